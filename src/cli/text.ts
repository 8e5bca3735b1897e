import type { Colors } from "./colors.ts";

/** Cuts a line to a width, with an ellipsis when something is lost. Control characters become spaces. */
export function clip(text: string, columns: number): string {
  const plain = withoutControls(text);
  const characters = [...plain];
  return characters.length <= columns ? plain : `${characters.slice(0, Math.max(0, columns - 1)).join("")}…`;
}

/** `950`, `12.3k`, `4.57M`. */
export function formatCount(count: number): string {
  if (count < 10_000) return String(count);
  return count < 1_000_000 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1e6).toFixed(2)}M`;
}

/** Breaks words at a width; every line after the first gets the indent. */
export function wrap(text: string, columns: number, indent = ""): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const next = line === "" ? word : `${line} ${word}`;
    if (next.length > columns - (lines.length === 0 ? 0 : indent.length) && line !== "") {
      lines.push(line);
      line = word;
    } else line = next;
  }
  lines.push(line);
  return lines.join(`\n${indent}`);
}

/** Control characters as spaces: an agent chooses paths, names and words that are shown. */
function withoutControls(text: string): string {
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, " ");
}

/** A line of talk at a width: what follows a label and its gap stays under the text, not under the label. */
export function wrapTalk(talk: string, columns: number): string {
  const line = withoutControls(talk);
  const label = /^(?:\S.{0,20}?\s{2,}|\s*)(?=\S)/.exec(line)?.[0] ?? "";
  const rest = wrap(line.slice(label.length), columns - label.length);
  return label + rest.replaceAll("\n", `\n${" ".repeat(label.length)}`);
}

/** A check and why it does not pass, in one line; the reason matters more than the end of a long command. */
export function checkLabel(check: string, why: string, columns: number): string {
  if (why === "") return clip(check, columns);
  const share = Math.max(columns - [...why].length - 2, Math.floor(columns / 2));
  return clip(`${clip(check, share)}: ${why}`, columns);
}

export function checkMark(verdict: string, colors: Colors): string {
  if (verdict === "pass") return colors.green("✔");
  return verdict === "fail" ? colors.red("✖") : colors.yellow("?");
}

/** The last lines of an output, for people, each cut to the width. */
export function lastLines(text: string, count: number, columns: number, indent: string): string[] {
  const lines = text.trimEnd().split("\n").slice(-count);
  return lines.map((line) => indent + clip(line, columns - indent.length));
}
