import type { AttemptId } from "../core/ids.ts";
import { addCost, type CostSum } from "../core/money.ts";
import { assertNever, InvariantError } from "../core/result.ts";
import { addUsage } from "../core/tokens.ts";
import type { AttemptEnd } from "../ports/provider.ts";
import { isCandidate } from "./consent.ts";
import type { AttemptEnded, EventOf } from "./events.ts";
import { successorOf, withOut } from "./fallback.ts";
import { withPiece } from "./fold-gates.ts";
import { afterFailure, causeOf, retriesFor } from "./retry.ts";
import type { AgentPiece } from "./spec.ts";
import { type AttemptState, attemptOf, type PieceState, type SessionState } from "./state.ts";

export function dispatched(
  state: SessionState,
  event: EventOf<"attempt:dispatched"> & { readonly at: string },
): SessionState {
  const { attempt, piece, iteration, n, assignment, before, provider, workDir, continues, isolated } =
    event.data;
  const added: AttemptState = {
    id: attempt,
    piece,
    iteration,
    n,
    phase: "dispatched",
    provider,
    assignment,
    before,
    workDir,
    dispatchedAt: event.at,
    continues,
    isolated,
  };
  const next = { ...state, attempts: [...state.attempts, added], steering: [] };
  return withPiece(next, piece, { state: "working", attempt });
}

export function spawned(
  state: SessionState,
  { attempt, identity, sandboxed, container }: EventOf<"attempt:spawned">["data"],
): SessionState {
  const next = withAttempt(state, attempt, {
    phase: "spawned",
    identity,
    ...(sandboxed === true && { isSandboxed: true }),
  });
  const id = attemptOf(state, attempt)?.piece;
  const piece = state.spec.pieces.find((one) => one.id === id);
  const wanted = piece?.kind === "agent" ? piece.sandbox : undefined;
  const line = lacking(wanted, sandboxed === true, container);
  const told = `${id} ${line}`;
  return line === undefined || state.notices.includes(told)
    ? next
    : { ...next, notices: [...state.notices, told] };
}

function lacking(
  wanted: AgentPiece["sandbox"],
  isSandboxed: boolean,
  container: string | undefined,
): string | undefined {
  if (wanted === undefined) return undefined;
  if (!isSandboxed) return "works without a sandbox: there is none on this machine";
  return wanted.image === undefined || container !== undefined
    ? undefined
    : "works in a sandbox and not in its container: neither docker nor podman works on this machine";
}

export function attemptEnded(state: SessionState, ended: AttemptEnded, at: string): SessionState {
  const attempt = state.attempts.find((candidate) => candidate.id === ended.attempt);
  if (attempt === undefined) throw new InvariantError(`attempt:ended without ${ended.attempt}`);
  const retries = retriesSoFar(state, attempt, ended.end);
  const seen = withAttempt(state, ended.attempt, { phase: "ended", endedAt: at, ended });
  const isLast = ended.end.reason !== "failed" || retries >= retriesFor(ended.end.kind, state.limits).count;
  const next = withService(seen, attempt, ended.end, at, isLast);
  const tree =
    ended.after !== null && attempt.workDir === state.spec.topLevel ? ended.after : state.currentTree;
  return withPiece(
    { ...next, ...spendOf(state, ended), currentTree: tree, facts: ended.facts ?? state.facts },
    attempt.piece,
    attempt.isolated && ended.end.reason === "done" && !isCandidate(state.spec, attempt.piece)
      ? { state: "working", attempt: ended.attempt }
      : pieceAfter(ended, at, retries, next),
  );
}

/** How often the same had failed of the same cause in this round. */
function retriesSoFar(state: SessionState, attempt: AttemptState, end: AttemptEnd): number {
  if (end.reason !== "failed") return 0;
  const cause = causeOf(end.kind);
  return state.attempts.filter(
    (other) =>
      other.piece === attempt.piece &&
      other.provider === attempt.provider &&
      other.iteration === attempt.iteration &&
      other.ended?.end.reason === "failed" &&
      causeOf(other.ended.end.kind) === cause,
  ).length;
}

/** Takes the provider out of service that cannot work, and back in when it has worked. */
function withService(
  state: SessionState,
  { provider, piece }: AttemptState,
  end: AttemptEnded["end"],
  at: string,
  isLastRetry: boolean,
): SessionState {
  if (end.reason === "done") {
    const { [provider]: _was, ...others } = state.outOfService ?? {};
    return { ...state, outOfService: others };
  }
  const next = withOut(state, provider, end, isLastRetry, at);
  if (next === undefined) return state;
  const other = successorOf(next, piece, Date.parse(at));
  const line = `${provider} cannot work now (${next.outOfService?.[provider]?.why}); ${other} takes over`;
  return other === undefined ? next : { ...next, notices: [...state.notices, line] };
}

/** The work of an isolated attempt is the piece's only once it is in the root, where later pieces read it. */
export function integrated(state: SessionState, event: EventOf<"work:integrated">): SessionState {
  const { attempt, conflicts, problem, root } = event.data;
  const looked = { ...state, currentTree: root ?? state.currentTree };
  const merged = withAttempt(looked, attempt, { integrated: conflicts.length === 0 && problem === null });
  const piece = merged.attempts.find((candidate) => candidate.id === attempt)?.piece;
  if (piece === undefined) throw new InvariantError(`work:integrated without ${attempt}`);
  // A candidate stays one whatever comes of the merge: its letter must not move.
  if (isCandidate(state.spec, piece)) return merged;
  if (conflicts.length === 0 && problem === null) {
    return withPiece(merged, piece, { state: "succeeded", attempt });
  }
  const detail = problem?.message ?? `its work conflicts in ${conflicts.join(", ")} and is kept apart`;
  return withPiece(merged, piece, { state: "failed", attempt, end: { reason: "refused", detail } });
}

function pieceAfter(ended: AttemptEnded, at: string, retries: number, state: SessionState): PieceState {
  switch (ended.end.reason) {
    case "done":
      return { state: "succeeded", attempt: ended.attempt };
    case "lost":
    case "retry-later":
    case "canceled":
      return { state: "pending" };
    case "failed": {
      const after = afterFailure(ended.attempt, ended.end, at, retries, state.limits);
      const isFinal = state.spec.outcomes?.[causeOf(ended.end.kind)] !== undefined;
      return after.state === "failed" && !isFinal && hasSuccessor(state, ended.attempt, at)
        ? { state: "pending" }
        : after;
    }
    case "timed-out":
    case "stalled":
    case "refused":
      return { state: "failed", attempt: ended.attempt, end: ended.end };
    default:
      return assertNever(ended.end);
  }
}

/** Whether somebody else can go on with what this attempt's provider cannot do. */
function hasSuccessor(state: SessionState, id: AttemptId, at: string): boolean {
  const attempt = attemptOf(state, id);
  if (attempt === undefined) return false;
  const next = successorOf(state, attempt.piece, Date.parse(at));
  return next !== undefined && next !== attempt.provider;
}

function spendOf(state: SessionState, ended: AttemptEnded): Pick<SessionState, "cost" | "usage"> {
  let cost: CostSum = state.cost;
  let usage = state.usage;
  for (const part of ended.priced) {
    cost = addCost(cost, part.cost);
    usage = addUsage(usage, part.usage);
  }
  if (ended.usage.kind === "unknown") cost = addCost(cost, { kind: "unknown", why: "no-usage" });
  return { cost, usage };
}

export function withAttempt(state: SessionState, id: string, patch: Partial<AttemptState>): SessionState {
  return {
    ...state,
    attempts: state.attempts.map((attempt) => (attempt.id === id ? { ...attempt, ...patch } : attempt)),
  };
}
