/** An id by its hash: what is asked of ids is whether they are the same, and only within files that share some. */
export function idHash(id: string | undefined, kind: IdKind): number | undefined {
  return id === undefined ? undefined : textHash(id, kind);
}

/**
 * Sessions, threads, calls of plain logs; of Claude Code messages, requests by both their names, and records; of Codex
 * responses.
 */
export type IdKind = "s" | "t" | "c" | "m" | "q" | "r" | "u" | "p";

/**
 * 53 bits (cyrb53), for what is asked for thousands of times and need not withstand an attacker. Equal texts of different
 * kinds, as the first character of `kind` says, have different hashes.
 */
export function textHash(text: string, kind?: IdKind): number {
  const seed = seedOf(kind);
  let a = 0xdeadbeef ^ seed;
  let b = 0x41c6ce57 ^ seed;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return 4294967296 * (2097151 & b) + (a >>> 0);
}

export function seedOf(kind: IdKind | undefined): number {
  return kind === undefined ? 0 : kind.charCodeAt(0);
}
