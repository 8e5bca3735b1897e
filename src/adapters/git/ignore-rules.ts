import { canonicalJson } from "../../core/canonical-json.ts";
import { type Digest, sha256 } from "../../core/hash.ts";

/** One repository of a checkout: the root's prefix is empty, a nested one's ends in `/`. */
export interface RepositoryRules {
  readonly prefix: string;
  /** The user's global excludes, then `info/exclude`. */
  readonly extra: string;
  /** Tracked although ignored, relative to the root of the checkout: part of every tree. */
  readonly forced: readonly string[];
}

/**
 * What was ignored at session start. A path is left out of a tree only if these rules *and* the present ones
 * ignore it, so an ignore rule that is added later hides nothing; the one exception are folders of a generated kind.
 */
export interface IgnoreRules {
  readonly repositories: readonly RepositoryRules[];
  /** Every `.gitignore` that counted, shallow ones first. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
}

export function rulesDigest(rules: IgnoreRules): Digest {
  return sha256(
    canonicalJson({
      repositories: rules.repositories.map((one) => ({ ...one })),
      files: rules.files.map((one) => ({ ...one })),
    }),
  );
}

/** All rules as one exclude file for the root: git's order of precedence becomes the order of lines. */
export function flatten(rules: IgnoreRules, leftOut: readonly string[]): string {
  const lines: string[] = [];
  for (const { prefix, extra } of rules.repositories) {
    // A repository begins without the rules of the one around it.
    if (prefix !== "") lines.push(`!/${escapeGlob(prefix)}`, `!/${escapeGlob(prefix)}**`);
    lines.push(...anchorAll(extra, prefix));
    for (const file of rules.files) {
      if (ownerOf(rules, file.path) !== prefix) continue;
      lines.push(...anchorAll(file.text, file.path.slice(0, -".gitignore".length)));
    }
  }
  lines.push(...leftOut.map(excludeFolder));
  return `${lines.join("\n")}\n`;
}

/** The prefix of the innermost repository that a path lies in. */
function ownerOf(rules: IgnoreRules, path: string): string {
  let owner = "";
  for (const { prefix } of rules.repositories) {
    if (path.startsWith(prefix) && prefix.length > owner.length) owner = prefix;
  }
  return owner;
}

function anchorAll(text: string, prefix: string): string[] {
  if (prefix.includes("\n")) return []; // An exclude file cannot say such a name.
  return text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .map((line) => anchor(line.replace(/\r$/, ""), prefix))
    .filter((line) => line !== "");
}

/** Moves one pattern of the exclude file of folder `prefix` (empty, or ending in `/`) to the root. */
export function anchor(line: string, prefix: string): string {
  if (line === "" || line.startsWith("#") || prefix === "") return line.startsWith("#") ? "" : line;
  const isNegated = line.startsWith("!");
  const pattern = isNegated ? line.slice(1) : line.replace(/^\\(?=[#!])/, "");
  if (/^\s*$/.test(pattern)) return "";
  const body = pattern.replace(/^\//, "");
  const isAnchored = pattern.slice(0, -1).includes("/") && !/^[^/]+\/\s*$/.test(pattern);
  const moved = isAnchored ? `/${escapeGlob(prefix)}${body}` : `/${escapeGlob(prefix)}**/${body}`;
  return isNegated ? `!${moved}` : moved;
}

export function excludeFolder(path: string): string {
  return `/${escapeGlob(path)}/`;
}

function escapeGlob(path: string): string {
  return path.replace(/[\\*?[]/g, "\\$&");
}
