import type { AttemptId } from "../core/ids.ts";
import type { Problem } from "../core/result.ts";
import { totalTokens } from "../core/tokens.ts";
import type { FailureKind } from "../ports/provider.ts";
import type { StopReason } from "./events.ts";
import { awaitsPerson } from "./fold-gates.ts";
import { inOrderNow } from "./perturb.ts";
import { causeOf } from "./retry.ts";
import { type AgentPiece, type Join, type PlanPiece, worksApart } from "./spec.ts";
import { allSpent, spentBy } from "./spent.ts";
import { inFlight, type PieceState, type SessionState } from "./state.ts";

interface Skip {
  readonly id: string;
  readonly because: string;
  /** The attempt whose work stands all the same. */
  readonly stands?: AttemptId;
}

/** What the engine must do next. Both schedulers, the graph and the rule one, answer with this. */
export type Decision =
  | { readonly action: "dispatch"; readonly pieces: readonly string[] }
  /** Pieces that can never run in this iteration, with the reason that is recorded. */
  | { readonly action: "skip"; readonly pieces: readonly Skip[] }
  /** Nothing to do before `until`; null waits for something in flight or for an answer. */
  | { readonly action: "wait"; readonly until: string | null }
  | { readonly action: "unpark" }
  | { readonly action: "ask"; readonly id: string; readonly question: string; readonly answerWith: string }
  | { readonly action: "stop"; readonly reason: StopReason };

/**
 * The graph scheduler: pure, same state and time, same decision. Success is looked at before any ceiling,
 * ceilings before new work; what is in flight is always waited for.
 */
export function decide(state: SessionState, nowMs: number): Decision {
  const busy =
    inFlight(state).length > 0 || Object.values(state.pieces).some((piece) => piece.state === "working");
  const stop = stopReason(state, nowMs);
  if (stop !== undefined) return busy ? { action: "wait", until: null } : { action: "stop", reason: stop };
  if (state.question !== undefined) return { action: "wait", until: null };
  const approval = pendingApproval(state);
  if (approval !== undefined && !busy) return approval;
  if (state.wait !== undefined) {
    if (busy || nowMs < Date.parse(state.wait.until)) return { action: "wait", until: state.wait.until };
    return { action: "unpark" };
  }
  return schedule(state, nowMs);
}

function schedule(state: SessionState, nowMs: number): Decision {
  const blocked = state.spec.pieces.flatMap((piece) => {
    const spent = usedUp(piece, state);
    return spent.length > 0 ? spent : blockedBy(piece, state);
  });
  if (blocked.length > 0) return { action: "skip", pieces: blocked };
  const ready = inOrderNow(
    state,
    state.spec.pieces.filter((piece) => isReady(piece, state, nowMs)),
  );
  // What a gate looks at is taken before a judge's words send anybody back to it.
  const gates = [
    ...ready.filter((piece) => piece.kind === "gate"),
    ...ready.filter((piece) => piece.kind === "verdict"),
  ];
  const chosen = [...gates, ...agentsToBegin(ready, state)];
  if (chosen.length > 0) return { action: "dispatch", pieces: chosen.map((piece) => piece.id) };
  return { action: "wait", until: nextRetry(state) };
}

/** As many as there is room for. The folder is one place: a second one for it would hold a place and wait. */
function agentsToBegin(ready: readonly PlanPiece[], state: SessionState): readonly PlanPiece[] {
  const working = inFlight(state);
  let free = state.limits.concurrency - working.length;
  let isFolderTaken = working.some(({ isolated }) => !isolated);
  return ready.filter((piece) => {
    if (piece.kind !== "agent" || free <= 0) return false;
    const isApart = worksApart(piece, state.spec);
    if (!isApart && isFolderTaken) return false;
    if (!isApart) isFolderTaken = true;
    free -= 1;
    return true;
  });
}

function nextRetry(state: SessionState): string | null {
  const times = Object.values(state.pieces).flatMap((piece) =>
    piece.state === "retrying" ? [piece.notBefore] : [],
  );
  return times.sort()[0] ?? null;
}

function isReady(piece: PlanPiece, state: SessionState, nowMs: number): boolean {
  const own = state.pieces[piece.id];
  if (own?.state === "retrying") return nowMs >= Date.parse(own.notBefore);
  if (own?.state !== "pending") return false;
  if (piece.kind === "agent" && !(piece.after ?? []).every((id) => hasCleared(id, state))) return false;
  if (piece.kind === "agent" && isBeingJudged(piece, state)) return false;
  const inputs = piece.dependsOn.map((id) => state.pieces[id]);
  return piece.kind === "agent" ? joinHolds(piece.join, inputs) : inputs.every(hasEnded);
}

/** While a gate is at work its no may still send the piece back, and what it judges in place must lie still. */
function isBeingJudged({ id }: AgentPiece, state: SessionState): boolean {
  return state.spec.pieces.some(
    (piece) =>
      piece.kind === "gate" &&
      state.pieces[piece.id]?.state === "working" &&
      piece.onFail.sendBack.includes(id),
  );
}

/** What must be over before a later phase begins: a gate or reviewer with a yes, an agent with any end. */
function hasCleared(id: string, state: SessionState): boolean {
  const isAgent = state.spec.pieces.some((piece) => piece.id === id && piece.kind === "agent");
  return isAgent ? hasEnded(state.pieces[id]) : state.pieces[id]?.state === "succeeded";
}

function hasEnded(piece: PieceState | undefined): boolean {
  return piece !== undefined && ["succeeded", "failed", "skipped"].includes(piece.state);
}

function joinHolds(join: Join, inputs: readonly (PieceState | undefined)[]): boolean {
  const successes = inputs.filter((piece) => piece?.state === "succeeded").length;
  switch (join.strategy) {
    case "wait_for_all":
      return successes === inputs.length;
    case "any_of_all":
      return inputs.every(hasEnded) && successes >= Math.min(1, inputs.length);
    case "quorum":
      return successes >= Math.min(join.count, inputs.length);
    case "first_success":
      return successes >= Math.min(1, inputs.length);
  }
}

/** A piece that is due and has used what it may. What it has done before stands. */
function usedUp(piece: PlanPiece, state: SessionState): readonly Skip[] {
  const own = state.pieces[piece.id]?.state;
  if (piece.kind !== "agent" || (own !== "pending" && own !== "retrying")) return [];
  const because = spentBy(state, piece);
  if (because === undefined) return [];
  const stands = state.attempts.findLast(
    (attempt) => attempt.piece === piece.id && attempt.ended?.end.reason === "done",
  );
  return [{ id: piece.id, because, ...(stands !== undefined && { stands: stands.id }) }];
}

/** A pending agent piece whose join can no longer hold. A gate or verdict is never blocked: it runs when its inputs ended. */
function blockedBy(piece: PlanPiece, state: SessionState): readonly Skip[] {
  if (piece.kind !== "agent" || state.pieces[piece.id]?.state !== "pending") return [];
  const dead = piece.dependsOn.filter((id) => {
    const input = state.pieces[id];
    return input?.state === "failed" || input?.state === "skipped";
  });
  const alive = piece.dependsOn.length - dead.length;
  if (dead.length === 0 || alive >= needed(piece)) return [];
  return [{ id: piece.id, because: `blocked by ${dead.join(", ")}` }];
}

function needed(piece: AgentPiece): number {
  const inputs = piece.dependsOn.length;
  switch (piece.join.strategy) {
    case "wait_for_all":
      return inputs;
    case "quorum":
      return Math.min(piece.join.count, inputs);
    case "any_of_all":
    case "first_success":
      return Math.min(1, inputs);
  }
}

/** What a person must say before the next step: the frozen approval rules, then a dependency change. */
function pendingApproval(state: SessionState): Decision | undefined {
  const rule = state.spec.approvals.find((candidate) => state.answers[candidate.id] === undefined);
  if (rule !== undefined && state.iteration === 0) return ask(rule.id, rule.statement);
  const result = state.gates.at(-1)?.result;
  if (result === undefined || !awaitsPerson(result)) return undefined;
  const id = changeQuestion(result.tree);
  if (state.answers[id] !== undefined) return undefined;
  const reasons = [
    ...(result.dependencyChange?.reasons ?? []),
    ...result.needsApproval.map((path) => `changed test ${path}`),
  ];
  return ask(id, `approve what the agent changed? ${reasons.join("; ")}`);
}

/** The id under which a person approves the dependencies and changed tests of one tree. */
export function changeQuestion(tree: string): string {
  return `change-${tree.slice(0, 12)}`;
}

function ask(id: string, question: string): Decision {
  return { action: "ask", id, question, answerWith: "loopwright loop approve" };
}

/** The stop ladder, in its order. */
export function stopReason(state: SessionState, nowMs: number): StopReason | undefined {
  if (state.stopped !== undefined) return state.stopped;
  if (state.satisfied) return { why: "goal-satisfied" };
  if (state.stopAsked !== undefined) return { why: "asked", ...state.stopAsked };
  const refused = Object.entries(state.answers).find(([, answer]) => answer === "refuse");
  if (refused !== undefined) return { why: "refused", by: refused[0] };
  const fatal = fatalFailure(state);
  if (fatal !== undefined) return fatal;
  if (noRoundLeft(state)) return { why: "iterations" };
  const spent = allSpent(state);
  if (spent.length > 0) return { why: "pieces-spent", pieces: spent };
  const noProgress = state.limits.noProgressIterations;
  if (noProgress > 0 && state.staleIterations >= noProgress) return { why: "no-progress" };
  return budgetStop(state, nowMs);
}

function budgetStop(state: SessionState, nowMs: number): StopReason | undefined {
  const { limits } = state;
  if (runningMs(state, nowMs) >= limits.maxRunningMs) return { why: "running-time" };
  if (limits.maxTokens !== undefined && (totalTokens(state.usage) ?? 0) >= limits.maxTokens)
    return { why: "tokens" };
  if (limits.maxMicroUsd !== undefined && state.cost.microUsd >= limits.maxMicroUsd) return { why: "spend" };
  return undefined;
}

/** Running time so far: parks, approvals and down time do not count. */
export function runningMs(state: SessionState, nowMs: number): number {
  const since = state.runningSince;
  return state.runningMs + (since === undefined ? 0 : Math.max(0, nowMs - Date.parse(since)));
}

/** A failure that no further attempt can mend, or that the session's own rules end it for: a person must act first. */
function fatalFailure(state: SessionState): StopReason | undefined {
  for (const piece of Object.values(state.pieces)) {
    if (piece.state === "broken") {
      const { problem, cause } = piece;
      return { why: "problem", problem, ...(cause !== undefined && { cause }) };
    }
    if (piece.state !== "failed" || piece.end.reason !== "failed") continue;
    const cause = causeOf(piece.end.kind);
    const isNamed = state.spec.outcomes?.[cause] !== undefined;
    const problem = problemOf(piece.end.kind, piece.end.detail, isNamed);
    if (problem !== undefined) return { why: "problem", problem, cause };
  }
  return undefined;
}

function problemOf(kind: FailureKind, message: string, isNamed: boolean): Problem | undefined {
  switch (kind) {
    case "auth":
      return {
        code: "provider-auth",
        message,
        hint: "log in to the agent, then `loopwright loop resume`",
      };
    case "missing":
      return {
        code: "provider-missing",
        message,
        hint: "install the agent or pass `--provider`; see `loopwright providers`",
      };
    case "configuration":
      return { code: "provider-model", message, hint: "mend the setting, then `loopwright loop resume`" };
    case "transient":
    case "agent-error":
    case "signal":
      return isNamed
        ? { code: "provider-failed", message, hint: "`loopwright loop resume` tries again" }
        : undefined;
  }
}

function noRoundLeft(state: SessionState): boolean {
  const judged = state.gates.at(-1);
  const isSpent =
    judged?.iteration === state.iteration && !judged.result.satisfied && !awaitsPerson(judged.result);
  if (isSpent && state.iteration >= state.limits.maxIterations) return true;
  return state.spec.pieces.some(
    (piece) => piece.kind !== "agent" && state.pieces[piece.id]?.state === "failed",
  );
}
