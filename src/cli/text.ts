/** Cuts a line to a width, with an ellipsis when something is lost. Control characters become spaces. */
export function clip(text: string, columns: number): string {
  const plain = text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, " ");
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

/** The last lines of an output, for people, each cut to the width. */
export function lastLines(text: string, count: number, columns: number, indent: string): string[] {
  const lines = text.trimEnd().split("\n").slice(-count);
  return lines.map((line) => indent + clip(line, columns - indent.length));
}
