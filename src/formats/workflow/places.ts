/** Finds the line of a value in a TOML text by its headers and keys; good enough for a message, silent when unsure. */

const STEP = /([^.[\]]+)|\[(\d+)\]/g;

/** @returns the line, from 1, of `pieces[1].width`, or of the nearest table around it; undefined when none is found. */
export function placeOf(text: string, path: string): number | undefined {
  const lines = text.split("\n");
  const steps = [...path.matchAll(STEP)].map((match) => match[1] ?? Number(match[2]));
  for (let depth = steps.length; depth > 0; depth -= 1) {
    const header = headerLine(lines, steps.slice(0, depth));
    if (header === undefined) continue;
    return keyLine(lines, header + 1, steps[depth]) ?? header + 1;
  }
  return keyLine(lines, 0, steps[0]);
}

/** Index of the line `[a.b]`, or of the nth `[[a.b]]`. */
function headerLine(lines: readonly string[], steps: readonly (string | number)[]): number | undefined {
  const index = steps.at(-1);
  const names = steps.filter((step) => typeof step === "string").join(".");
  const wanted = typeof index === "number" ? `[[${names}]]` : `[${names}]`;
  let left = typeof index === "number" ? index : 0;
  for (const [line, content] of lines.entries()) {
    if (bare(content) !== wanted) continue;
    if (left === 0) return line;
    left -= 1;
  }
  return undefined;
}

function bare(line: string): string {
  return line.replace(/#.*$/, "").replaceAll(/[\s"']/g, "");
}

/** The line, from 1, of `key = ...` from a line on, before the next header. */
function keyLine(
  lines: readonly string[],
  from: number,
  key: string | number | undefined,
): number | undefined {
  if (typeof key !== "string") return undefined;
  for (let line = from; line < lines.length; line += 1) {
    const content = bare(lines[line] ?? "");
    if (content.startsWith("[")) return undefined;
    if (content.startsWith(`${key}=`)) return line + 1;
  }
  return undefined;
}
