import { sha256 } from "../core/hash.ts";
import type { CommandContext } from "./types.ts";

const LONGEST = 200;

/**
 * The files that words of a command line mean: a folder stands for the run documents in it. `missing` are words that
 * name nothing.
 */
export async function documentFiles(
  { files }: Pick<CommandContext, "files">,
  words: readonly string[],
): Promise<{ readonly paths: readonly string[]; readonly missing: readonly string[] }> {
  const paths: string[] = [];
  const missing: string[] = [];
  for (const word of words) {
    const kind = await files.kind(word);
    if (kind === "file") paths.push(word);
    else if (kind === "folder") paths.push(...(await files.list(word, ".ocp.json")));
    else missing.push(word);
  }
  return { paths, missing };
}

/** The file name of a run: its id, with every character that a file system may not like as `%XX` of its UTF-8 bytes. */
export function fileNameOf(run: string): string {
  const escaped = [...new TextEncoder().encode(run)].map((byte) => {
    const char = String.fromCharCode(byte);
    return /[A-Za-z0-9._-]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  });
  const name = escaped.join("");
  // A leading dot hides a file or climbs; file systems take 255 bytes, and no escaped name has a tilde.
  const visible = name.startsWith(".") ? `%2E${name.slice(1)}` : name;
  const whole =
    visible.length <= LONGEST ? visible : `${visible.slice(0, LONGEST)}~${sha256(run).slice(0, 12)}`;
  return `${whole}.ocp.json`;
}
