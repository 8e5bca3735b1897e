import { makeId } from "../core/ids.ts";
import { InvariantError, type Problem, type Result } from "../core/result.ts";
import type { PathChange, TreeId } from "../ports/workspace.ts";
import { type Assignment, freeze, uuid } from "./assignment.ts";
import type { SessionEvent } from "./events.ts";
import { providerNow } from "./fallback.ts";
import { inputsText } from "./inputs.ts";
import { pieceText } from "./prompt.ts";
import { nextIteration } from "./rounds.ts";
import type { SessionRun } from "./session-run.ts";
import { type AgentPiece, type SessionSpec, worksApart } from "./spec.ts";
import { inFlight } from "./state.ts";

/** Freezes the order for the next attempt of a piece and makes it claimable, in one transaction. */
export async function dispatchAgent(run: SessionRun, piece: AgentPiece): Promise<Result<void>> {
  const before = await run.workspace.snapshot(run.workDir);
  if (!before.ok) return before;
  const edits = await editsSinceLastLook(run, before.value);
  if (!edits.ok) return edits;
  const inputs = await inputsText(run, piece, before.value);
  if (!inputs.ok) return inputs;
  const assignment = assignmentFor(run, piece, before.value, inputs.value);
  const frozen = freeze(assignment);
  const blob = await run.ports.store.putBlob(frozen.text);
  if (!blob.ok) return blob;
  const prompt = await run.ports.store.putBlob(assignment.prompt);
  if (!prompt.ok) return prompt;
  await run.chain.commit((state) => {
    const previous = state.attempts.findLast((attempt) => attempt.piece === piece.id);
    const iteration = Math.max(state.iteration, assignment.iteration);
    const events: SessionEvent[] = [];
    if (iteration > state.iteration) events.push({ type: "iteration:started", data: { iteration } });
    if (edits.value.length > 0) {
      const paths = edits.value.map((change) => change.path);
      events.push({ type: "workspace:noticed", data: { notice: "user-edit", paths, attempt: null } });
    }
    events.push({
      type: "attempt:dispatched",
      data: {
        attempt: assignment.attempt,
        piece: piece.id,
        iteration,
        n: assignment.n,
        assignment: frozen.digest,
        before: before.value,
        provider: assignment.provider.id,
        workDir: assignment.workDir,
        promptDigest: prompt.value,
        steering: state.steering,
        isolated: assignment.isolation === "worktree",
        continues: previous?.ended?.end.reason === "lost" ? previous.id : null,
      },
    });
    return {
      events,
      enqueue: [
        {
          attempt: assignment.attempt,
          session: run.session,
          key: assignment.workDir,
          capability: "local",
          priority: 0,
          notBefore: run.now(),
          dependsOn: [],
          assignment: frozen.digest,
        },
      ],
    };
  });
  return { ok: true, value: undefined };
}

function assignmentFor(run: SessionRun, piece: AgentPiece, before: TreeId, inputs: string): Assignment {
  const { state, ports } = run;
  const attempt = makeId("attempt", ports.clock.now(), ports.entropy.bytes(10));
  const named = providerNow(state, piece, ports.clock.now());
  const provider = state.spec.providers.find((candidate) => candidate.id === named);
  if (provider === undefined)
    throw new InvariantError(`piece ${piece.id} names the unknown provider ${named}`);
  const previous = state.attempts.findLast((candidate) => candidate.piece === piece.id);
  const text = pieceText(state, piece, inputs, previous?.ended?.end.reason === "lost");
  const isolated = worksApart(piece, state.spec);
  return {
    attempt,
    session: run.session,
    piece: piece.id,
    iteration: nextIteration(run.state),
    n: state.attempts.filter((candidate) => candidate.piece === piece.id).length + 1,
    provider,
    ...text,
    tier: piece.tier,
    permission: piece.permission,
    isolation: isolated ? "worktree" : "none",
    ...roomFor(state.spec, piece, isolated),
    workDir: isolated ? ports.files.worktreeDir(run.session, attempt) : run.workDir,
    before,
    agentSession: uuid(ports.entropy.bytes(16)),
    wallMs: piece.wallMs ?? state.limits.attemptWallMs,
    idleMs: state.limits.attemptIdleMs,
    streamCapBytes: state.limits.streamCapBytes,
  };
}

function roomFor(
  { threat }: SessionSpec,
  { sandbox }: AgentPiece,
  isolated: boolean,
): Pick<Assignment, "sandbox"> {
  if (isolated && sandbox !== undefined) return { sandbox };
  return threat === "sandboxed" ? { sandbox: { network: true } } : {};
}

/** What changed in the folder while no attempt of ours was working there: a person's own edits. */
async function editsSinceLastLook(run: SessionRun, now: TreeId): Promise<Result<readonly PathChange[]>> {
  const known = run.state.currentTree;
  if (known === now || inFlight(run.state).length > 0) return { ok: true, value: [] };
  if (run.state.attempts.at(-1)?.ended?.end.reason === "lost") return { ok: true, value: [] };
  return run.workspace.diff(known, now);
}

/** Ends the session's run with a problem that no scheduler can answer. */
export async function stopWith(run: SessionRun, problem: Problem): Promise<void> {
  await run.chain.commit((state) =>
    state.stopped === undefined
      ? { events: [{ type: "session:stopped", data: { reason: { why: "problem", problem } } }] }
      : undefined,
  );
}
