import { InvariantError } from "../core/result.ts";
import type { GateResult } from "../verify/types.ts";
import { mayAnswerAgain } from "./answers.ts";
import { staleYeses } from "./consent.ts";
import type { EventOf } from "./events.ts";
import { isYes, type Ruling } from "./ruling.ts";
import type { GatePiece, VerdictPiece } from "./spec.ts";
import type { PieceState, SessionState } from "./state.ts";

/** What a reader compares to see whether anything changed: per check, not only how many passed. */
function resultSignature(result: GateResult): string {
  return result.checks
    .map((check) => {
      const evidence = check.evidence;
      const tests = evidence?.tests;
      const counts =
        tests === undefined ? "" : `:${tests.passed}/${tests.failed}/${tests.newlyFailing.length}`;
      const metrics = evidence?.metrics === undefined ? "" : `:${JSON.stringify(evidence.metrics)}`;
      return `${check.check}=${check.verdict}${counts}${metrics}`;
    })
    .sort()
    .join("|");
}

/** What a verdict of the goal gate changes. */
export function gateEvaluated(
  state: SessionState,
  event: EventOf<"gate:evaluated"> & { readonly at: string },
): SessionState {
  const { piece, iteration, result, threat } = event.data;
  const gate = state.spec.pieces.find((candidate) => candidate.id === piece);
  if (gate?.kind !== "gate") throw new InvariantError(`gate:evaluated for ${piece}, which is no gate`);
  const signature = resultSignature(result);
  const isNew = !state.seenTrees.includes(result.tree) || !state.seenResults.includes(signature);
  const next: SessionState = {
    ...state,
    currentTree: result.tree,
    gates: [
      ...state.gates,
      { piece, iteration, startedAt: state.gateStartedAt ?? event.at, at: event.at, result, threat },
    ],
    seenTrees: union(state.seenTrees, result.tree),
    seenResults: union(state.seenResults, signature),
    staleIterations: isNew ? 0 : state.staleIterations + 1,
  };
  if (result.satisfied) return dueFor(withPiece(next, piece, YES), staleYeses(next, piece, result.tree));
  if (awaitsPerson(result)) return withPiece(next, piece, { state: "pending" });
  return afterNo(next, gate, iteration);
}

const YES: PieceState = { state: "succeeded", attempt: null };

/** What the words of a reviewer or selector change. */
export function verdictRead(
  state: SessionState,
  event: EventOf<"verdict:read"> & { readonly at: string },
): SessionState {
  const { piece, iteration, tree, ruling } = event.data;
  const verdict = state.spec.pieces.find((candidate) => candidate.id === piece);
  if (verdict?.kind !== "verdict") throw new InvariantError(`verdict:read for ${piece}, which reads none`);
  const next: SessionState = {
    ...state,
    currentTree: tree,
    verdicts: [...state.verdicts, { ...event.data, at: event.at }],
  };
  if (ruling.said === "void" && event.data.attempt !== null && state.spec.outcomes?.invalid !== undefined) {
    const problem = { code: "verdict-void", message: `${piece}: ${whyNot(ruling)}`, hint: RESUME } as const;
    return withPiece(next, piece, { state: "broken", problem, cause: "invalid" });
  }
  // Words that do not count say nothing about the work: only the reviewer is asked again.
  if (ruling.said === "void" && event.data.attempt !== null && mayAnswerAgain(next, piece, verdict.of)) {
    const toReader = { ...verdict, onFail: { ...verdict.onFail, sendBack: [verdict.of] } };
    return afterNo(next, toReader, iteration, whyNot(ruling));
  }
  if (!isYes(ruling)) return afterNo(next, verdict, iteration, whyNot(ruling));
  return dueFor(withPiece(next, piece, YES), staleYeses(next, piece, tree));
}

const RESUME = "`loopwright loop resume` asks again";

/** What a person must know when it was the last word. */
function whyNot(ruling: Ruling): string {
  if (ruling.said === "void") return `no verdict, ${ruling.why}`;
  const points = ruling.said === "fail" ? ruling.findings : [];
  return `not accepted; ${points.map(({ where, what }) => `${where}: ${what}`).join("; ")}`;
}

/** Back to those who can mend it, or the end when no round is left. */
function afterNo(
  state: SessionState,
  gate: GatePiece | VerdictPiece,
  iteration: number,
  why?: string,
): SessionState {
  if (iteration < Math.min(gate.onFail.rounds, state.limits.maxIterations)) {
    return dueFor(state, [gate.id, ...gate.onFail.sendBack]);
  }
  const detail =
    gate.kind === "gate"
      ? "the gate says no and no round is left"
      : "it was not accepted and no round is left";
  const told = why === undefined ? state : { ...state, notices: [...state.notices, `${gate.id}: ${why}`] };
  return withPiece(told, gate.id, { state: "failed", attempt: null, end: { reason: "refused", detail } });
}

function dueFor(state: SessionState, pieces: readonly string[]): SessionState {
  const due = Object.fromEntries(pieces.map((id) => [id, { state: "pending" } as const]));
  return { ...state, pieces: { ...state.pieces, ...due } };
}

/** A verdict that a person must unlock: it costs no round. */
export function awaitsPerson(result: GateResult): boolean {
  return result.dependencyChange?.needsApproval === true || result.needsApproval.length > 0;
}

export function withPiece(state: SessionState, id: string, piece: PieceState): SessionState {
  return { ...state, pieces: { ...state.pieces, [id]: piece } };
}

function union<T>(list: readonly T[], value: T): readonly T[] {
  return list.includes(value) ? list : [...list, value];
}
