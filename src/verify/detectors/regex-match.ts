import type { Detector } from "../types.ts";
import { compileRegex, searchLinear } from "./linear-regex.ts";
import { locate } from "./locate.ts";
import { type Assessed, pass, refuse, type TreeView } from "./types.ts";

/** An unanchored search in one UTF-8 file of the tree, in time linear in its length. */
export async function assessRegexMatch(
  detector: Extract<Detector, { readonly type: "regex_match" }>,
  view: TreeView,
): Promise<Assessed> {
  const regex = compileRegex(detector.pattern);
  if (!regex.ok) return unanswerable(`pattern /${detector.pattern}/: ${regex.why}`);
  const found = await locate(detector.artifact, view);
  if (found.kind === "unreadable") return { verdict: "uncheckable", problem: found.problem };
  if (found.kind !== "file") return refuse(`${detector.artifact} is not a file of the tree`);
  const text = utf8(found.bytes);
  if (text === undefined) return refuse(`${detector.artifact} is not UTF-8 text`);
  const matches = searchLinear(regex.program, text);
  if (matches === undefined)
    return unanswerable(`${detector.artifact} is too long for /${detector.pattern}/`);
  return matches
    ? pass(`${detector.artifact} matches /${detector.pattern}/`)
    : refuse(`${detector.artifact} does not match /${detector.pattern}/`);
}

function unanswerable(message: string): Assessed {
  return {
    verdict: "uncheckable",
    problem: {
      code: "checks-uncheckable",
      message,
      hint: "use a simpler pattern without look-around and back-references",
    },
  };
}

function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
