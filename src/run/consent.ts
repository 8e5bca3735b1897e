import type { TreeId } from "../ports/workspace.ts";
import type { PlanPiece, SessionSpec } from "./spec.ts";
import type { SessionState } from "./state.ts";

/** Whether the work of a piece is kept apart until it is picked. */
export function isCandidate(spec: Pick<SessionSpec, "pieces">, piece: string): boolean {
  return spec.pieces.some((one) => one.kind === "agent" && one.id === piece && one.isCandidate === true);
}

/**
 * True when this yes is the last one that the goal needs: every other gate and reviewer has said yes, and of the very
 * same content. A pick chooses work, it does not accept it.
 */
export function isLastYes(state: SessionState, piece: string, tree: TreeId): boolean {
  return state.spec.pieces.every((other) => {
    if (other.id === piece || other.kind === "agent") return true;
    if (state.pieces[other.id]?.state !== "succeeded") return false;
    const seen = treeSeen(state, other);
    return seen === undefined || seen === tree;
  });
}

/**
 * Gates and reviewers whose yes was about other content than what was just accepted: they have to look again, and a
 * reviewer's own attempt with them.
 */
export function staleYeses(state: SessionState, piece: string, tree: TreeId): readonly string[] {
  return state.spec.pieces.flatMap((other) => {
    if (other.id === piece || other.kind === "agent" || state.pieces[other.id]?.state !== "succeeded")
      return [];
    const seen = treeSeen(state, other);
    if (seen === undefined || seen === tree) return [];
    return other.kind === "verdict" ? [other.id, other.of] : [other.id];
  });
}

/** The content that the last word of a gate or reviewer was about; undefined where that does not matter. */
function treeSeen(state: SessionState, piece: PlanPiece): TreeId | undefined {
  // The gate of a phase asks nothing that the gate of all goals does not ask again.
  if (piece.kind === "gate" && piece.goals !== undefined) return undefined;
  if (piece.kind === "gate") return state.gates.findLast((gate) => gate.piece === piece.id)?.result.tree;
  if (piece.kind !== "verdict" || piece.rule.kind === "pick") return undefined;
  return state.verdicts.findLast((verdict) => verdict.piece === piece.id)?.tree;
}
