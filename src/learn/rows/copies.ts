import { byCodePoint } from "../../core/canonical-json.ts";
import type { PieceFacts, WorkflowFacts } from "./facts.ts";

/** A workflow whose copies are one wide piece each, and where every piece is now. */
export interface Folded {
  readonly workflow: WorkflowFacts;
  readonly placeOf: ReadonlyMap<string, string>;
}

/**
 * Pieces with one role and one setting that wait for the same and are waited for by the same are copies, however they
 * were written: the first of them stands for all. A piece that a gate knows by name is itself.
 */
export function foldCopies(workflow: WorkflowFacts): Folded {
  const named = new Set(workflow.gates.flatMap(({ piece, sendsBackTo }) => [piece, sendsBackTo]));
  const placeOf = new Map(workflow.pieces.map(({ id }) => [id, id] as const));
  let pieces = workflow.pieces;
  for (let before = pieces.length + 1; pieces.length < before; ) {
    before = pieces.length;
    pieces = foldedOnce(pieces, named, placeOf);
  }
  return { workflow: { ...workflow, pieces }, placeOf };
}

/** Copies of what was copies itself are seen in the next turn. */
function foldedOnce(
  pieces: readonly PieceFacts[],
  named: ReadonlySet<string | undefined>,
  placeOf: Map<string, string>,
): readonly PieceFacts[] {
  const firsts = new Map<string, string>();
  const widths = new Map<string, number>();
  const into = new Map<string, string>();
  for (const piece of pieces) {
    const key = named.has(piece.id) || piece.isMechanical ? piece.id : likeness(piece, pieces);
    const first = firsts.get(key) ?? piece.id;
    firsts.set(key, first);
    into.set(piece.id, first);
    widths.set(first, (widths.get(first) ?? 0) + piece.width);
  }
  for (const [id, place] of placeOf) placeOf.set(id, into.get(place) ?? place);
  return pieces
    .filter(({ id }) => into.get(id) === id)
    .map((piece) => ({
      ...piece,
      width: widths.get(piece.id) ?? piece.width,
      dependsOn: [...new Set(piece.dependsOn.map((id) => into.get(id) ?? id))].sort(byCodePoint),
    }));
}

function likeness({ id, role, setting, dependsOn }: PieceFacts, pieces: readonly PieceFacts[]): string {
  const { harness = null, model = null, effort = null } = setting;
  const waiting = pieces.filter((other) => other.dependsOn.includes(id)).map((other) => other.id);
  return JSON.stringify([role, harness, model, effort, dependsOn, waiting]);
}
