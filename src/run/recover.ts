import type { AttemptId } from "../core/ids.ts";
import { InvariantError, ok, type Result } from "../core/result.ts";
import type { Claim } from "../ports/queue.ts";
import { drain, readAssignment } from "./attempt.ts";
import { lostAttempt } from "./attempt-report.ts";
import { clearChecks } from "./clear-checks.ts";
import type { AttemptEnded } from "./events.ts";
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
  if (row !== undefined && row.state === "claimed") await run.ports.queue.revoke(attempt.id, row.fence);
  if (attempt.nonce === undefined || attempt.dir === undefined) {
    return { ended: await lost(run, attempt), reaped: 0 };
  }
  const search = {
    dir: attempt.dir,
    nonce: attempt.nonce,
    ...(attempt.identity === undefined ? {} : { identity: attempt.identity }),
  };
  const orphan = await run.ports.process.findOrphan(search);
  switch (orphan.kind) {
    case "finished": {
      const reaped = await run.ports.process.reap({ ...search, graceMs: GRACE_MS });
      return { ended: await drained(run, attempt, orphan.exitCode), reaped };
    }
    case "alive": {
      const reaped = await run.ports.process.reap({ ...search, graceMs: GRACE_MS });
      return { ended: await lost(run, attempt), reaped };
    }
    case "gone":
      return { ended: await lost(run, attempt), reaped: 0 };
  }
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
