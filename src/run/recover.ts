import type { JsonObject } from "../core/canonical-json.ts";
import type { AttemptId } from "../core/ids.ts";
import { InvariantError, ok, type Result } from "../core/result.ts";
import type { Claim, QueueRow } from "../ports/queue.ts";
import { drain, readAssignment } from "./attempt.ts";
import { lostAttempt } from "./attempt-report.ts";
import { clearChecks } from "./clear-checks.ts";
import type { AttemptEnded } from "./events.ts";
import { containerName } from "./sandbox.ts";
import type { SessionRun } from "./session-run.ts";
import { collectSettled, integrateAttempt, settleAttempt } from "./settle.ts";
import { type AttemptState, inFlight } from "./state.ts";

const GRACE_MS = 5_000;

/**
 * Makes a session whose process died whole again: protected files put back, finished orphans drained, running ones
 * stopped by verified identity and salvaged, vanished ones recorded as lost. The iteration goes on. Safe to kill and
 * to call again. Problem: what keeps protected files from being put back; nothing else is done then.
 */
export async function recover(run: SessionRun): Promise<Result<void>> {
  const cleared = await clearChecks(run.ports, run.session, run.workspace);
  if (!cleared.ok) return cleared;
  const drained: AttemptId[] = [...(await collectSettled(run))];
  const lost: AttemptId[] = [];
  let { reapedProcesses } = cleared.value;
  for (const attempt of inFlight(run.state)) {
    const found = await recoverAttempt(run, attempt);
    reapedProcesses += found.reaped;
    if (found.ended === undefined) continue;
    (found.ended.end.reason === "lost" ? lost : drained).push(attempt.id);
    await settleAttempt(run, found.ended);
  }
  for (const attempt of run.state.attempts) {
    await integrateAttempt(run, attempt.id);
    if (attempt.integrated === true) await run.workspace.removeWorktree(attempt.workDir);
  }
  await run.chain.commit((state) => {
    const gates = Object.entries(state.pieces).filter(
      ([, piece]) => piece.state === "working" && piece.attempt === null,
    );
    const nothing = drained.length + lost.length + reapedProcesses + gates.length === 0;
    if (nothing && state.runningSince === undefined) return undefined;
    return {
      events: [
        {
          type: "session:recovered",
          data: { drained, lost, reapedProcesses, restoredPaths: cleared.value.restoredPaths },
        },
      ],
    };
  });
  return ok(undefined);
}

interface Found {
  readonly ended?: AttemptEnded;
  readonly reaped: number;
}

async function recoverAttempt(run: SessionRun, attempt: AttemptState): Promise<Found> {
  const rows = await run.ports.queue.list(run.session);
  const row = rows.ok ? rows.value.find((candidate) => candidate.attempt === attempt.id) : undefined;
  if (attempt.phase === "dispatched" && row?.state === "ready") return { reaped: 0 };
  const { dir, nonce, identity } = attempt;
  if (dir === undefined || nonce === undefined) {
    await revoke(run, row);
    return { ended: await lost(run, attempt), reaped: 0 };
  }
  const search = { dir, nonce, graceMs: GRACE_MS, ...(identity === undefined ? {} : { identity }) };
  const orphan = await run.ports.process.findOrphan(search);
  if (orphan.kind === "finished" && row?.state === "claimed") {
    const reaped = await run.ports.process.reap(search);
    await removeContainer(run, attempt, nonce);
    const ended = await drained(run, attempt, orphan.exitCode);
    await run.ports.queue.complete(claimOf(attempt, row), ended as unknown as JsonObject);
    return { ended, reaped };
  }
  await revoke(run, row);
  const reaped = orphan.kind === "gone" ? 0 : await run.ports.process.reap(search);
  await removeContainer(run, attempt, nonce);
  return { ended: await lost(run, attempt), reaped };
}

/** A container outlives the program that started it. */
async function removeContainer(run: SessionRun, { piece }: AttemptState, nonce: string): Promise<void> {
  const plan = run.state.spec.pieces.find(({ id }) => id === piece);
  if (plan?.kind === "agent" && plan.sandbox?.image !== undefined)
    await run.ports.containers.remove(containerName(nonce));
}

/**
 * Comes before any signal of ours: should we die too, a claim that is revoked tells the next process that the end
 * which the trace shows is our doing and not the agent's.
 */
async function revoke(run: SessionRun, row: QueueRow | undefined): Promise<void> {
  if (row?.state === "claimed") await run.ports.queue.revoke(row.attempt, row.fence);
}

function claimOf(attempt: AttemptState, row: QueueRow): Claim {
  return {
    attempt: row.attempt,
    session: row.session,
    worker: row.worker ?? "",
    fence: row.fence,
    assignment: attempt.assignment as Claim["assignment"],
    leaseUntil: row.leaseUntil ?? "",
  };
}

async function drained(run: SessionRun, attempt: AttemptState, exitCode: number): Promise<AttemptEnded> {
  const spec = run.state.spec.providers.find((candidate) => candidate.id === attempt.provider);
  if (spec === undefined) throw new InvariantError(`unknown provider ${attempt.provider}`);
  const provider = run.ports.providers.make(spec);
  if (!provider.ok) return lost(run, attempt);
  const ended = await drain(run, attempt.id, provider.value, exitCode);
  return ended.ok ? ended.value : lost(run, attempt);
}

async function lost(run: SessionRun, attempt: AttemptState): Promise<AttemptEnded> {
  const assignment = await readAssignment(run, {
    attempt: attempt.id,
    assignment: attempt.assignment as Claim["assignment"],
  });
  return lostAttempt(run, assignment, attempt.agentSession, attempt.startedAt);
}
