import { fail, ok, type Result } from "../../core/result.ts";

/** Reads a dotted key; a part with other characters is quoted: `usual.bug_fix."acme/api"`. */
export function parseKeyPath(text: string): Result<readonly string[]> {
  const parts: string[] = [];
  const part = /([A-Za-z0-9_-]+|\*)|"((?:[^"\\]|\\.)*)"/y;
  for (let at = 0; ; at = part.lastIndex + 1) {
    part.lastIndex = at;
    const match = part.exec(text);
    const quoted = match?.[2];
    const word = quoted === undefined ? match?.[1] : quoted.replaceAll(/\\(.)/g, "$1");
    if (word === undefined) return fail("bad-input", `"${text}" is no key, expected words joined by dots`);
    parts.push(word);
    if (part.lastIndex === text.length) return ok(parts);
    if (text[part.lastIndex] !== ".")
      return fail("bad-input", `"${text}" is no key, expected words joined by dots`);
  }
}

export function formatKeyPath(path: readonly string[]): string {
  return path.map((part) => (/^[A-Za-z0-9_-]+$/.test(part) ? part : JSON.stringify(part))).join(".");
}
