import { byCodePoint } from "../core/canonical-json.ts";
import { fail, InvariantError, ok, type Result } from "../core/result.ts";

/** A piece as the arithmetic sees it. `weight` is its relative cost, above 0. */
export interface GraphPiece {
  readonly id: string;
  readonly weight: number;
  readonly dependsOn: readonly string[];
}

/**
 * Pieces by levels: each wave holds what can start once all earlier waves are done, ids in order of code points. Every piece is in
 * exactly one wave. Problems: `unknown-piece`, `graph-cycle`; ids must be unique.
 */
export function waves(pieces: readonly GraphPiece[]): Result<readonly (readonly string[])[]> {
  const open = new Map<string, Set<string>>();
  for (const { id, dependsOn } of pieces) open.set(id, new Set(dependsOn));
  for (const { id, dependsOn } of pieces) {
    const unknown = dependsOn.find((dependency) => !open.has(dependency));
    if (unknown !== undefined) {
      return fail("unknown-piece", `piece "${id}" depends on "${unknown}", which is no piece`);
    }
  }
  const found: string[][] = [];
  while (open.size > 0) {
    const ready = [...open].filter(([, waits]) => waits.size === 0).map(([id]) => id);
    if (ready.length === 0) {
      const cycle = findCycle(pieces.filter(({ id }) => open.has(id)));
      return fail("graph-cycle", `pieces wait for each other: ${[...cycle, cycle[0] ?? ""].join(" -> ")}`);
    }
    found.push(ready.sort(byCodePoint));
    for (const id of ready) open.delete(id);
    for (const waits of open.values()) for (const id of ready) waits.delete(id);
  }
  return ok(found);
}

/** One cycle in the direction of work, smallest id first; empty when there is none. Unknown dependencies are passed over. */
export function findCycle(pieces: readonly Pick<GraphPiece, "id" | "dependsOn">[]): readonly string[] {
  const byId = new Map(pieces.map((piece) => [piece.id, piece]));
  const cleared = new Set<string>();
  for (const { id: start } of pieces) {
    const path: string[] = [];
    const todo: { readonly id: string; readonly depth: number }[] = [{ id: start, depth: 0 }];
    for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
      for (const left of path.splice(next.depth)) cleared.add(left);
      if (cleared.has(next.id)) continue;
      const seenAt = path.indexOf(next.id);
      if (seenAt >= 0) return fromSmallest(path.slice(seenAt).reverse());
      path.push(next.id);
      for (const dependency of byId.get(next.id)?.dependsOn ?? []) {
        if (byId.has(dependency)) todo.push({ id: dependency, depth: path.length });
      }
    }
    for (const left of path) cleared.add(left);
  }
  return [];
}

function fromSmallest(cycle: readonly string[]): readonly string[] {
  const smallest = [...cycle].sort(byCodePoint)[0] ?? "";
  const at = cycle.indexOf(smallest);
  return [...cycle.slice(at), ...cycle.slice(0, at)];
}

/** The waves of a graph that was already checked. */
export function mustOrder(pieces: readonly GraphPiece[]): readonly (readonly string[])[] {
  const order = waves(pieces);
  if (!order.ok) throw new InvariantError(order.problem.message);
  return order.value;
}
