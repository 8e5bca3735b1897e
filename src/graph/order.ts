import { byCodePoint } from "../core/canonical-json.ts";
import { fail, InvariantError, ok, type Result } from "../core/result.ts";
import { findCycle, levelsOf } from "../formats/order.ts";

/** A piece as the arithmetic sees it. `weight` is its relative cost, above 0. */
export interface GraphPiece {
  readonly id: string;
  readonly weight: number;
  readonly dependsOn: readonly string[];
  /** Of the mode `none` works in the one folder, which it shares with nobody at a time. */
  readonly isolation?: { readonly mode: string };
}

export function sharesFolder({ isolation }: GraphPiece): boolean {
  return isolation?.mode === "none";
}

/**
 * Pieces by levels: each wave holds what can start once all earlier waves are done, ids in order of code
 * points. Every piece is in exactly one wave. Problems: `unknown-piece`, `graph-cycle`; ids must be unique.
 */
export function waves(pieces: readonly GraphPiece[]): Result<readonly (readonly string[])[]> {
  const ids = new Set(pieces.map(({ id }) => id));
  for (const { id, dependsOn } of pieces) {
    const unknown = dependsOn.find((dependency) => !ids.has(dependency));
    if (unknown !== undefined) {
      return fail("unknown-piece", `piece "${id}" depends on "${unknown}", which is no piece`);
    }
  }
  const levels = levelsOf(pieces);
  if (levels === undefined) {
    const cycle = findCycle(pieces);
    return fail("graph-cycle", `pieces wait for each other: ${[...cycle, cycle[0] ?? ""].join(" -> ")}`);
  }
  const found: string[][] = [];
  for (const [id, level] of levels) {
    if (found[level] === undefined) found[level] = [];
    found[level].push(id);
  }
  return ok(found.map((wave) => wave.sort(byCodePoint)));
}

/** The waves of a graph that was already checked. */
export function mustOrder(pieces: readonly GraphPiece[]): readonly (readonly string[])[] {
  const order = waves(pieces);
  if (!order.ok) throw new InvariantError(order.problem.message);
  return order.value;
}

/** The waves within each phase, in which no piece of another runs; the pieces of no phase come first. */
export function wavesByPhase(
  pieces: readonly (GraphPiece & { readonly phase?: string })[],
): readonly { readonly phase: string | undefined; readonly waves: readonly (readonly string[])[] }[] {
  const named = new Set(pieces.flatMap(({ phase }) => (phase === undefined ? [] : [phase])));
  const phases = pieces.some(({ phase }) => phase === undefined) ? [undefined, ...named] : [...named];
  return phases.map((phase) => {
    const members = pieces.filter((piece) => piece.phase === phase);
    const ids = new Set(members.map(({ id }) => id));
    const inside = members.map((piece) => ({
      ...piece,
      dependsOn: piece.dependsOn.filter((id) => ids.has(id)),
    }));
    return { phase, waves: mustOrder(inside) };
  });
}
