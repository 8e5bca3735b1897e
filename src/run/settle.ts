import type { JsonObject } from "../core/canonical-json.ts";
import { byCodePoint } from "../core/canonical-json.ts";
import type { AttemptId } from "../core/ids.ts";
import { instant } from "../core/time.ts";
import type { RepositoryFacts } from "../ports/workspace.ts";
import { canceledAttempt } from "./attempt-report.ts";
import { isCandidate } from "./consent.ts";
import type { AttemptEnded, SessionEvent } from "./events.ts";
import { successorOf, withOut } from "./fallback.ts";
import { forbiddenChanges, forbiddenProblem } from "./forbidden.ts";
import { parkDelayMs } from "./retry.ts";
import type { SessionRun } from "./session-run.ts";
import { type AttemptState, attemptOf, type SessionState } from "./state.ts";

/**
 * Takes a settled attempt to the chain: once, whoever calls. The queue forgets it in the same transaction, so a
 * crash in between leaves it to be taken by the next process.
 */
export async function settleAttempt(run: SessionRun, ended: AttemptEnded): Promise<void> {
  await run.chain.commit((state) => {
    const attempt = attemptOf(state, ended.attempt);
    if (attempt === undefined || attempt.phase === "ended") {
      return { events: [], acknowledge: [ended.attempt] };
    }
    const events: SessionEvent[] = [{ type: "attempt:ended", data: ended }];
    events.push(...notices(state, ended), ...overstepped(state, attempt, ended));
    if (ended.end.reason === "retry-later" && !hasSuccessor(state, attempt, ended, run.ports.clock.now())) {
      const until = ended.end.retryAt ?? instant(run.ports.clock.now() + parkDelayMs(state.parks));
      events.push({ type: "session:parked", data: { until, why: ended.end.detail } });
    }
    return { events, acknowledge: [ended.attempt] };
  });
  await integrateAttempt(run, ended.attempt);
}

/** The first change of what is forbidden ends the session: nobody builds on it, and it is not tried again. */
function overstepped(state: SessionState, { piece }: AttemptState, ended: AttemptEnded): SessionEvent[] {
  const paths = forbiddenChanges(state, piece, ended);
  if (paths.length === 0) return [];
  const reason = { why: "problem", problem: forbiddenProblem(piece, paths), cause: "forbidden" } as const;
  return [
    {
      type: "workspace:noticed",
      data: { notice: "forbidden-touched", paths: [...paths], attempt: ended.attempt },
    },
    ...(state.stopped === undefined ? [{ type: "session:stopped", data: { reason } } as const] : []),
  ];
}

/** Whether another provider takes the piece over, so that nobody has to wait. */
function hasSuccessor(
  state: SessionState,
  { provider, piece }: AttemptState,
  { end }: AttemptEnded,
  nowMs: number,
): boolean {
  const next = withOut(state, provider, end, false, instant(nowMs));
  return next !== undefined && successorOf(next, piece, nowMs) !== undefined;
}

/** What workers have settled and the chain does not hold yet, e.g. after a crash between the two. */
export async function collectSettled(run: SessionRun): Promise<readonly AttemptId[]> {
  const rows = await run.ports.queue.list(run.session);
  if (!rows.ok) return [];
  const collected: AttemptId[] = [];
  for (const row of rows.value) {
    if (row.state !== "settled" && row.state !== "canceled") continue;
    if (row.result === undefined && mayHaveProcess(attemptOf(run.state, row.attempt))) continue;
    const ended =
      row.result === undefined
        ? canceledAttempt(row.attempt)
        : (row.result as JsonObject as unknown as AttemptEnded);
    if (attemptOf(run.state, row.attempt)?.phase !== "ended") collected.push(row.attempt);
    await settleAttempt(run, ended);
  }
  return collected;
}

/** Its claim was revoked, but what became of its process is not known yet: recovery looks after it. */
function mayHaveProcess(attempt: AttemptState | undefined): boolean {
  return attempt?.phase === "starting" || attempt?.phase === "spawned";
}

/**
 * Brings the work of an isolated attempt into the root by a real merge, one at a time; repeating it changes nothing. A
 * candidate's work only when it was picked.
 */
export function integrateAttempt(run: SessionRun, id: AttemptId, isPicked = false): Promise<void> {
  return run.oneAtATime(async () => {
    const attempt = attemptOf(run.state, id);
    const after = attempt?.ended?.after;
    if (attempt === undefined || after === undefined || after === null) return;
    if (!isPicked && (attempt.integrated !== undefined || isCandidate(run.state.spec, attempt.piece))) return;
    if (!attempt.isolated || attempt.integrated === true || attempt.ended?.end.reason !== "done") return;
    const forbidden = forbiddenChanges(run.state, attempt.piece, attempt.ended);
    const merged =
      forbidden.length > 0
        ? { ok: false as const, problem: forbiddenProblem(attempt.piece, forbidden) }
        : await run.workspace.integrate(attempt.before, after);
    const outcome = merged.ok ? merged.value : undefined;
    const root = await run.workspace.snapshot(run.workDir);
    await run.chain.commit(() => ({
      events: [
        {
          type: "work:integrated",
          data: {
            attempt: id,
            base: attempt.before,
            found: after,
            paths: outcome?.kind === "applied" ? outcome.paths : [],
            conflicts: outcome?.kind === "conflict" ? outcome.paths : [],
            problem: merged.ok ? null : merged.problem,
            root: root.ok ? root.value : null,
          },
        },
      ],
    }));
    if (outcome !== undefined && outcome.kind !== "conflict")
      await run.workspace.removeWorktree(attempt.workDir);
  });
}

function notices(state: SessionState, ended: AttemptEnded): SessionEvent[] {
  const { protection } = state.spec.gate;
  const guarded = new Set([...protection.paths, ...protection.manifests]);
  const touched = ended.changes.map((change) => change.path).filter((path) => guarded.has(path));
  const events: SessionEvent[] = [];
  if (touched.length > 0) {
    events.push({
      type: "workspace:noticed",
      data: { notice: "protected-touched", paths: touched.sort(byCodePoint), attempt: ended.attempt },
    });
  }
  if (ended.refusedCommands !== undefined) {
    events.push({
      type: "workspace:noticed",
      data: { notice: "command-refused", commands: ended.refusedCommands, attempt: ended.attempt },
    });
  }
  const what = changedFacts(state.facts, ended.facts);
  if (what.length > 0) {
    events.push({
      type: "workspace:noticed",
      data: { notice: "repository-changed", what, attempt: ended.attempt },
    });
  }
  return events;
}

function changedFacts(before: RepositoryFacts | null, after: RepositoryFacts | null): string[] {
  if (before === null || after === null) return [];
  const names = {
    head: "HEAD",
    branch: "branch",
    refs: "refs",
    config: ".git/config",
    info: ".git/info",
    hooks: "hooks",
  };
  return (Object.keys(names) as (keyof typeof names)[])
    .filter((key) => before[key] !== after[key])
    .map((key) => names[key]);
}
