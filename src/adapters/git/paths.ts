import type { TreeId } from "../../ports/workspace.ts";

/** Tree ids of both kinds are SHA-256: git trees in our SHA-256 store, or the hash of a manifest. */
export function parseTreeId(text: string): TreeId | undefined {
  return /^[0-9a-f]{64}$/.test(text) ? (text as TreeId) : undefined;
}

/** Splits what git wrote with `-z`. A name that is not UTF-8 comes out with U+FFFD in it. */
export function splitNul(output: Buffer): string[] {
  const parts = output.toString("utf8").split("\0");
  if (parts.at(-1) === "") parts.pop();
  return parts;
}

export function joinNul(paths: Iterable<string>): string {
  let text = "";
  for (const path of paths) text += `${path}\0`;
  return text;
}

/** `a/b/c` → `a`, `a/b`. */
export function ancestors(path: string): string[] {
  const found: string[] = [];
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) found.push(path.slice(0, at));
  return found;
}

/** True when the set holds the path itself or a folder above it. */
export function covers(set: ReadonlySet<string>, path: string): boolean {
  return set.has(path) || ancestors(path).some((folder) => set.has(folder));
}

export const OUR_SESSIONS = ".loopwright/sessions";

/** Never part of a tree, whatever any index says. */
export function isOurs(path: string): boolean {
  return path === OUR_SESSIONS || path.startsWith(`${OUR_SESSIONS}/`);
}

/** Why a path cannot be part of a tree at all, or undefined. */
export function unnameable(path: string): string | undefined {
  if (path.includes("\uFFFD")) return "the name is not UTF-8";
  if (/(^|\/)\.git(\/|$)/i.test(path)) return "the name is reserved by git";
  return undefined;
}
