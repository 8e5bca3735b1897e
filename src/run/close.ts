import { assertNever, type Problem, type Result } from "../core/result.ts";
import type { StopReason } from "./events.ts";
import { keepMemory } from "./keep-memory.ts";
import type { Outcome } from "./lifecycle.ts";
import { movesTo } from "./moves.ts";
import { writeRecord } from "./record-step.ts";
import { undoRound } from "./rules.ts";
import type { SessionRun } from "./session-run.ts";
import type { EndCause, SessionSpec } from "./spec.ts";

/** How the run of a session ended, for faces. */
export interface SessionEnd {
  readonly reason: StopReason;
  /** False when the session can be gone on with (parked, awaiting a person) and was not closed. */
  readonly closed: boolean;
}

/**
 * Delivers the work, gives the session its outcome, writes its record and leaves the folder. `closed` comes last: until
 * then a resume does the rest, after it nothing is left to do.
 */
export async function closeSession(run: SessionRun, decided: StopReason): Promise<SessionEnd> {
  await run.chain.commit((state) =>
    state.stopped === undefined
      ? { events: [{ type: "session:stopped", data: { reason: decided } }] }
      : undefined,
  );
  const reason = await deliverIfSatisfied(run, run.state.stopped ?? decided);
  const outcome = await settledOutcome(run, reason);
  await run.chain.commit((state) =>
    state.outcome === undefined ? { events: movesTo(state.lifecycle, outcome, reason.why) } : undefined,
  );
  await keepMemory(run);
  await writeRecord(run);
  await leaveFolder(run);
  await run.chain.commit((state) => {
    const { lifecycle: from } = state;
    return from === "closed"
      ? undefined
      : { events: [{ type: "session:moved", data: { from, to: "closed", why: reason.why } }] };
  });
  return { reason, closed: true };
}

/** A round is undone before the session is called rolled back; where it cannot be, a person must act. */
async function settledOutcome(run: SessionRun, reason: StopReason): Promise<Outcome> {
  const outcome = outcomeOf(reason, run.state.spec);
  if (outcome !== "rolled_back" || run.state.outcome !== undefined) return outcome;
  const undone = await undoRound(run, []);
  if (!undone.ok) return "blocked";
  if (undone.value.length > 0) await run.chain.commit(() => ({ events: undone.value }));
  return outcome;
}

/** Lets go without closing: the session waits for a time or for a person. */
export function leaveOpen(reason: StopReason): SessionEnd {
  return { reason, closed: false };
}

/** Gives the checkout and the lease free; errors here only delay the next starter until the lease lapses. */
export async function letGo(run: SessionRun, end: SessionEnd | undefined): Promise<void> {
  if (end?.closed === true) await leaveFolder(run);
  await run.ports.store.releaseLease(run.session, run.chain.lease.fence);
}

async function leaveFolder(run: SessionRun): Promise<void> {
  await run.ports.files.removeScratch(run.session);
  await run.ports.store.unlockCheckout(run.workspace.root, run.session);
}

function outcomeOf(reason: StopReason, { outcomes, approvals }: SessionSpec): Outcome {
  switch (reason.why) {
    case "goal-satisfied":
    case "already-satisfied":
      return "succeeded";
    case "iterations":
    case "running-time":
    case "spend":
    case "tokens":
      return outcomes?.ceiling ?? "paused";
    case "pieces-spent":
      return outcomes?.spent ?? "escalated";
    case "asked":
    case "parked":
      return "paused";
    case "problem":
      return problemOutcome(reason.cause, outcomes);
    case "no-progress":
      return "blocked";
    case "refused":
      return approvals.find(({ id }) => id === reason.by)?.onNo ?? "failed";
    case "needs-person":
      return "escalated";
    default:
      return assertNever(reason);
  }
}

function problemOutcome(cause: EndCause | undefined, outcomes: SessionSpec["outcomes"]): Outcome {
  const named = cause === undefined ? undefined : outcomes?.[cause];
  return named ?? (cause === "forbidden" ? "failed" : "blocked");
}

/** A problem with the delivery changes the reason: the work is done and kept, but a person must bring it home. */
async function deliverIfSatisfied(run: SessionRun, reason: StopReason): Promise<StopReason> {
  if (!run.state.satisfied || run.state.outcome !== undefined) return reason;
  const problem = (await bringHome(run)) ?? (await publish(run)) ?? (await dropWorktree(run));
  return problem === undefined ? reason : { why: "problem", problem };
}

/** Merges the session's own worktree into the user's folder, unless a branch takes the work. */
async function bringHome(run: SessionRun): Promise<Problem | undefined> {
  const { spec, satisfiedTree } = run.state;
  if (!spec.sessionWorktree || satisfiedTree === undefined || spec.delivery.kind === "branch")
    return undefined;
  const merged = await run.workspace.integrate(spec.gate.base, satisfiedTree);
  if (!merged.ok) return merged.problem;
  if (merged.value.kind === "conflict") {
    return {
      code: "work-conflict",
      message: `the work conflicts with your edits in ${merged.value.paths.join(", ")}; it is kept in ${run.workDir}`,
      hint: "merge by hand, or `loopwright diff` to see it",
    };
  }
  return undefined;
}

/** The session's own worktree goes once its work is home or on its branch. */
async function dropWorktree(run: SessionRun): Promise<Problem | undefined> {
  if (!run.state.spec.sessionWorktree) return undefined;
  const removed = await run.workspace.removeWorktree(run.workDir);
  return removed.ok ? undefined : removed.problem;
}

async function publish(run: SessionRun): Promise<Problem | undefined> {
  const { spec, satisfiedTree, delivered } = run.state;
  if (delivered !== undefined || satisfiedTree === undefined) return undefined;
  switch (spec.delivery.kind) {
    case "leave":
      return undefined;
    case "commit": {
      const changed = await run.workspace.diff(spec.gate.base, satisfiedTree);
      if (!changed.ok) return changed.problem;
      const paths = changed.value.map((change) => change.path);
      if (paths.length === 0) return undefined;
      return recordDelivery(run, "commit", null, await run.workspace.commit(paths, spec.title));
    }
    case "branch": {
      const { name } = spec.delivery;
      return recordDelivery(run, "branch", name, await run.workspace.branch(name, satisfiedTree, spec.title));
    }
    default:
      return assertNever(spec.delivery);
  }
}

async function recordDelivery(
  run: SessionRun,
  kind: "commit" | "branch",
  branch: string | null,
  made: Result<{ readonly commit: string }>,
): Promise<Problem | undefined> {
  if (!made.ok) return made.problem;
  const { commit } = made.value;
  await run.chain.commit(() => ({ events: [{ type: "work:delivered", data: { kind, commit, branch } }] }));
  return undefined;
}
