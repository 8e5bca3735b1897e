import { byCodePoint } from "../core/canonical-json.ts";

/** A thing that waits for others of its list. */
export interface Link {
  readonly id: string;
  readonly dependsOn: readonly string[];
}

/**
 * One cycle in the direction of work, smallest id first; empty when there is none. Unknown dependencies are
 * passed over.
 */
export function findCycle(pieces: readonly Link[]): readonly string[] {
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

/**
 * How many links lie before each, at most; undefined when they go in a circle. Unknown dependencies are
 * passed over; of equal ids the last counts.
 */
export function levelsOf(links: readonly Link[]): ReadonlyMap<string, number> | undefined {
  const byId = new Map(links.map((link) => [link.id, new Set(link.dependsOn)]));
  const followers = new Map<string, string[]>();
  const waits = new Map<string, number>();
  for (const [id, dependsOn] of byId) {
    const known = [...dependsOn].filter((dependency) => byId.has(dependency));
    waits.set(id, known.length);
    for (const dependency of known) {
      const waiting = followers.get(dependency);
      if (waiting === undefined) followers.set(dependency, [id]);
      else waiting.push(id);
    }
  }
  const levels = new Map<string, number>();
  let wave = [...waits].filter(([, count]) => count === 0).map(([id]) => id);
  for (let level = 0; wave.length > 0; level += 1) {
    const next: string[] = [];
    for (const id of wave) {
      levels.set(id, level);
      for (const follower of followers.get(id) ?? []) {
        const left = (waits.get(follower) ?? 0) - 1;
        waits.set(follower, left);
        if (left === 0) next.push(follower);
      }
    }
    wave = next;
  }
  return levels.size === byId.size ? levels : undefined;
}
