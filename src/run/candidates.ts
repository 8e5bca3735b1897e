import { byCodePoint } from "../core/canonical-json.ts";
import { sha256 } from "../core/hash.ts";
import type { AttemptId } from "../core/ids.ts";
import type { TreeId } from "../ports/workspace.ts";
import { attemptOf, type SessionState } from "./state.ts";

/** Work that was kept apart, under the letter by which a selector knows it. */
export interface Candidate {
  readonly letter: string;
  readonly attempt: AttemptId;
  readonly before: TreeId;
  readonly tree: TreeId;
  readonly workDir: string;
}

/**
 * What the pieces left in this round, in an order that follows from the attempts' ids alone and tells nothing of who
 * made it or how long it took. The same state gives the same letters.
 */
export function candidatesOf(state: SessionState, pieces: readonly string[]): readonly Candidate[] {
  const kept = pieces.flatMap((id) => {
    const piece = state.pieces[id];
    if (piece?.state !== "succeeded") return [];
    const attempt = attemptOf(state, piece.attempt);
    const tree = attempt?.ended?.after;
    if (attempt === undefined || tree === undefined || tree === null) return [];
    return [{ attempt: attempt.id, before: attempt.before, tree, workDir: attempt.workDir }];
  });
  return kept
    .sort((a, b) => byCodePoint(sha256(a.attempt), sha256(b.attempt)))
    .map((candidate, index) => ({ letter: String.fromCodePoint(65 + index), ...candidate }));
}
