import { levelsOf } from "../order.ts";
import { filesWritten } from "./instruction-files.ts";
import type { Loop, LoopPiece } from "./types.ts";

/** By wave, the builders that may write in one folder at the same time; only waves with more than one. */
export function sharedWriters({ concurrency, pieces }: Pick<Loop, "concurrency" | "pieces">): readonly {
  readonly wave: number;
  readonly ids: readonly string[];
}[] {
  const levels = levelsOf(pieces);
  if (concurrency.mode === "sequential" || levels === undefined) return [];
  const byLevel = new Map<number, string[]>();
  for (const { id, role, isolation } of pieces) {
    const level = levels.get(id) ?? 0;
    if (role === "builder" && isolation.mode === "none") {
      byLevel.set(level, [...(byLevel.get(level) ?? []), id]);
    }
  }
  return [...byLevel]
    .filter(([, ids]) => ids.length > 1)
    .sort(([a], [b]) => a - b)
    .map(([level, ids]) => ({ wave: level + 1, ids }));
}

export interface Overlap {
  readonly pieces: readonly [string, string];
  readonly files: readonly string[];
}

/**
 * Pieces that may run at the same time and are told to write the same file, in one folder or in two that are merged. A
 * prediction from the words of their instructions.
 */
export function predictedOverlaps({ pieces }: Pick<Loop, "pieces">): readonly Overlap[] {
  const before = ancestorsOf(pieces);
  const writers = new Map<string, LoopPiece[]>();
  for (const piece of pieces) {
    for (const file of filesWritten(piece.instruction)) {
      writers.set(file, [...(writers.get(file) ?? []), piece]);
    }
  }
  const overlaps = new Map<
    string,
    { readonly pieces: readonly [string, string]; readonly files: string[] }
  >();
  for (const [file, together] of writers) {
    for (const [index, { id }] of together.entries()) {
      for (const { id: other } of together.slice(index + 1)) {
        if (before(id).has(other) || before(other).has(id)) continue;
        const key = `${id}\n${other}`;
        const known = overlaps.get(key) ?? { pieces: [id, other] as const, files: [] };
        known.files.push(file);
        overlaps.set(key, known);
      }
    }
  }
  return [...overlaps.values()];
}

/** All that come before a piece; asked for only where two pieces share a file. */
function ancestorsOf(pieces: readonly LoopPiece[]): (id: string) => ReadonlySet<string> {
  const byId = new Map(pieces.map((piece) => [piece.id, piece]));
  const known = new Map<string, ReadonlySet<string>>();
  return (id) => {
    const done = known.get(id);
    if (done !== undefined) return done;
    const found = new Set<string>();
    const todo = [...(byId.get(id)?.dependsOn ?? [])];
    for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
      if (found.has(next)) continue;
      found.add(next);
      todo.push(...(byId.get(next)?.dependsOn ?? []));
    }
    known.set(id, found);
    return found;
  };
}
