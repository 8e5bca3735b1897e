import { assertNever, InvariantError, type Problem } from "../core/result.ts";
import { instant } from "../core/time.ts";
import type { Notice } from "../ports/notifier.ts";
import { dueAlerts } from "./alerts.ts";
import { lookAtApproval } from "./approvals.ts";
import { executeAttempt } from "./attempt.ts";
import { BASE_RUN, baseRun, isBaseKnown } from "./base-run.ts";
import { closeSession, leaveOpen, letGo, type SessionEnd } from "./close.ts";
import { type Decision, decide } from "./decide.ts";
import { dispatchAgent, stopWith } from "./dispatch.ts";
import type { SessionEvent, StopReason } from "./events.ts";
import { beginGate, changedTools, gateStep } from "./gate-step.ts";
import { handleInbox } from "./inbox.ts";
import { beginMoves, movesTo } from "./moves.ts";
import { perturb } from "./perturb-step.ts";
import { LEASE_MS } from "./ports.ts";
import type { SessionRun } from "./session-run.ts";
import { collectSettled, settleAttempt } from "./settle.ts";
import type { GatePiece } from "./spec.ts";
import { inFlight } from "./state.ts";
import { asTampering, tamperingEvents } from "./tampering.ts";
import { verdictStep } from "./verdict-step.ts";

const POLL_MS = 250;
const BOUNDARY_PATIENCE_MS = 10_000;

/** What a run of a session came to: its end, or the problem that took the chain out of our hands. */
export type Advanced = { readonly end: SessionEnd } | { readonly lost: Problem };

/**
 * Runs a session until it stops: read, decide, perform and append, over and over. Needs the session's lease; lets
 * go of it at the end. Safe to kill at any point and to call again on what is left.
 */
export async function advance(run: SessionRun): Promise<Advanced> {
  const heart = run.ports.heart.keep(run.chain.lease, () => run.leaseLost());
  let end: SessionEnd | undefined;
  try {
    end = await loop(run);
    return { end };
  } catch (error) {
    const problem = run.chain.stopped;
    if (problem === undefined) throw error;
    return { lost: await lostTo(run, problem) };
  } finally {
    for (const process of run.processes.values()) process.stop("force");
    await run.settle();
    heart.stop();
    await letGo(run, end);
  }
}

async function lostTo(run: SessionRun, refused: Problem): Promise<Problem> {
  const problem = asTampering(refused);
  if (problem.code === "tampering") await run.chain.disown((state) => tamperingEvents(state, problem));
  return problem;
}

async function loop(run: SessionRun): Promise<SessionEnd> {
  await enter(run);
  for (;;) {
    run.throwIfCrashed();
    if (run.chain.stopped !== undefined) throw new InvariantError("the chain is closed to us");
    await handleInbox(run);
    forwardStop(run);
    await pump(run);
    await raiseAlerts(run);
    const decision = decide(run.state, run.ports.clock.now());
    if (decision.action === "dispatch" && (await perturb(run))) continue;
    await settleLifecycle(run, decision);
    const end = await perform(run, decision);
    if (end !== undefined) return end;
  }
}

/** From a fresh or reopened session to `planning`, with the session's own worktree in place. */
async function enter(run: SessionRun): Promise<void> {
  // Whatever an agent does to the programs on the PATH comes after this look at them.
  changedTools(run);
  if (run.state.stopped !== undefined) return;
  await run.chain.commit((state) => {
    const events = beginMoves(state.lifecycle, "start");
    return events.length === 0 ? undefined : { events };
  });
  if (run.state.spec.sessionWorktree) {
    const made = await run.workspace.addWorktree(run.workDir, run.state.currentTree);
    if (!made.ok) return stopWith(run, made.problem);
  }
  // What a person has said meanwhile comes before what can be seen.
  await handleInbox(run);
  const { question } = run.state;
  if (question !== undefined) await lookAtApproval(run, question.id);
}

/** Keeps the state's name in step with what is going on: planning → running, running ↔ retrying. */
async function settleLifecycle(run: SessionRun, decision: Decision): Promise<void> {
  if (decision.action === "ask") return;
  const waits = Object.values(run.state.pieces).some((piece) => piece.state === "retrying");
  await run.chain.commit((state) => {
    const { lifecycle } = state;
    if (lifecycle === "planning") return { events: movesTo(lifecycle, "running", "planned") };
    if (lifecycle === "running" && waits)
      return { events: movesTo(lifecycle, "retrying", "transient failure") };
    if (lifecycle === "retrying" && !waits) return { events: movesTo(lifecycle, "running", "trying again") };
    return undefined;
  });
}

async function perform(run: SessionRun, decision: Decision): Promise<SessionEnd | undefined> {
  switch (decision.action) {
    case "dispatch":
      await dispatch(run, decision.pieces);
      return undefined;
    case "skip":
      await run.chain.commit(() => ({
        events: decision.pieces.map((piece) => ({
          type: "piece:skipped",
          data: {
            piece: piece.id,
            because: piece.because,
            ...(piece.stands !== undefined && { stands: piece.stands }),
          },
        })),
      }));
      return undefined;
    case "unpark":
      await run.chain.commit(() => ({ events: [{ type: "session:unparked", data: {} }] }));
      return undefined;
    case "ask":
      return ask(run, decision);
    case "wait":
      return wait(run, decision.until);
    case "stop":
      return close(run, decision.reason);
    default:
      return assertNever(decision);
  }
}

async function close(run: SessionRun, reason: StopReason): Promise<SessionEnd> {
  await raiseAlerts(run, true);
  const end = await closeSession(run, reason);
  const { outcome } = run.state;
  tell(run, "ended", `${outcome ?? "ended"}: ${reason.why}`);
  return end;
}

async function raiseAlerts(run: SessionRun, isOver = false): Promise<void> {
  const due = dueAlerts(run.state, run.ports.clock.now(), isOver);
  if (due.length === 0) return;
  await run.chain.commit(() => ({
    events: due.map(({ id, value, message }) => ({
      type: "alert:raised",
      data: { alert: id, value, message },
    })),
  }));
  for (const { id, message } of due) tell(run, "alert", `alert ${id}: ${message}`);
}

/** Beside the loop: whoever is told slowly holds nobody up. */
function tell(run: SessionRun, kind: Notice["kind"], text: string): void {
  const { title } = run.state.spec;
  run.spawnTask(`notice ${kind} ${text}`, () =>
    run.ports.notifier.tell({ kind, session: run.session, title, text }),
  );
}

async function dispatch(run: SessionRun, pieces: readonly string[]): Promise<void> {
  // A task beside the loop may have stopped the session since the decision.
  if (run.state.stopped !== undefined) return;
  if (!isBaseKnown(run)) {
    run.spawnTask(BASE_RUN, () => baseRun(run));
    return run.rest(POLL_MS);
  }
  for (const id of pieces) {
    const piece = run.state.spec.pieces.find((candidate) => candidate.id === id);
    if (piece?.kind === "gate") {
      await startGate(run, piece);
    } else if (piece?.kind === "verdict") {
      await verdictStep(run, piece);
    } else if (piece?.kind === "agent") {
      const dispatched = await dispatchAgent(run, piece);
      if (!dispatched.ok) await stopWith(run, dispatched.problem);
    }
  }
}

async function startGate(run: SessionRun, piece: GatePiece): Promise<void> {
  const name = `gate:${piece.id}`;
  if (run.hasTask(name)) return run.rest(POLL_MS);
  const found = await beginGate(run, piece);
  if (found !== undefined) run.spawnTask(name, () => gateStep(run, piece, found));
}

/** Claims what is ready and works on it beside the loop. */
async function pump(run: SessionRun): Promise<void> {
  if (run.state.stopAsked !== undefined || run.state.stopped !== undefined) return;
  const waiting = inFlight(run.state).filter((attempt) => !run.hasTask(attempt.id));
  if (waiting.length === 0) return;
  const nowMs = run.ports.clock.now();
  const claims = await run.ports.queue.claim({
    worker: run.chain.lease.owner,
    capabilities: ["local"],
    max: waiting.length,
    now: instant(nowMs),
    leaseUntil: instant(nowMs + LEASE_MS),
    session: run.session,
  });
  if (!claims.ok) return;
  for (const claim of claims.value) {
    run.spawnTask(claim.attempt, async () => {
      const ended = await executeAttempt(run, claim);
      if (ended !== undefined) await settleAttempt(run, ended);
    });
  }
}

async function ask(
  run: SessionRun,
  question: Extract<Decision, { readonly action: "ask" }>,
): Promise<SessionEnd | undefined> {
  const { id, question: statement, answerWith } = question;
  const looked = await lookAtApproval(run, id);
  if (looked === "answered") return undefined;
  const text = looked === undefined ? statement : `${statement} (${looked.why})`;
  await run.chain.commit((state) => ({
    events: [
      ...movesTo(state.lifecycle, "awaiting_approval", text),
      { type: "person:asked", data: { id, question: text, answerWith } },
    ],
  }));
  tell(run, "needs-person", text);
  return undefined;
}

async function wait(run: SessionRun, until: string | null): Promise<SessionEnd | undefined> {
  const { question, wait: parked } = run.state;
  const idle = inFlight(run.state).length === 0;
  if (question !== undefined && idle) {
    const answer = await run.options.confirm?.(question.question);
    if (answer === undefined) return leaveOpen({ why: "needs-person", question: question.question });
    await answerHere(run, question.id, answer);
    return undefined;
  }
  if (parked !== undefined && idle && !run.options.waitWhenParked) {
    return leaveOpen({ why: "parked", retryAt: parked.until });
  }
  const untilMs = until === null ? POLL_MS : Date.parse(until) - run.ports.clock.now();
  await run.rest(Math.max(1, Math.min(POLL_MS, untilMs)));
  await cancelUnclaimed(run);
  return undefined;
}

async function answerHere(run: SessionRun, id: string, approved: boolean): Promise<void> {
  await run.chain.commit((state) => {
    const events: SessionEvent[] = [
      { type: "person:answered", data: { id, answer: approved ? "approve" : "refuse", by: "terminal" } },
    ];
    if (state.lifecycle === "awaiting_approval")
      events.push(...movesTo(state.lifecycle, "running", "answered"));
    return { events };
  });
}

/** After a stop, what no worker has begun is canceled in the queue and comes back as settled. */
async function cancelUnclaimed(run: SessionRun): Promise<void> {
  if (run.state.stopAsked === undefined && run.state.stopped === undefined) return;
  for (const attempt of inFlight(run.state)) {
    if (!run.hasTask(attempt.id)) await run.ports.queue.cancel(attempt.id);
  }
  await collectSettled(run);
}

/** A boundary stop gives running agents some time to end by themselves; a forced one does not. */
function forwardStop(run: SessionRun): void {
  const asked = run.state.stopAsked;
  if (asked === undefined || run.processes.size + run.checks.size === 0) return;
  if (asked.how === "force") {
    for (const process of run.processes.values()) process.stop("force");
    run.cancelChecks();
    return;
  }
  run.spawnTask("stop-at-boundary", async () => {
    const deadline = run.ports.clock.monotonic() + BOUNDARY_PATIENCE_MS;
    while (run.processes.size + run.checks.size > 0 && run.state.stopAsked?.how !== "force") {
      if (run.ports.clock.monotonic() >= deadline) {
        for (const process of run.processes.values()) process.stop("cancel");
        run.cancelChecks();
      }
      await run.ports.clock.sleep(POLL_MS);
    }
  });
}
