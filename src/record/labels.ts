/** Text that may stand in a run document, which promises to hold labels only. */

const TITLE_CHARACTERS = 200;

/** Foreign text on one line, cut to `max` characters (code points), never empty. */
export function oneLine(text: string, max: number): string {
  const line = text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Surrogate}\s]+/gu, " ")
    .replaceAll("```", "")
    .trim();
  const cut = line.length <= max ? line : [...line].slice(0, max).join("");
  return cut === "" ? "-" : cut;
}

/** A title out of a person's words: one line, and no path into somebody's home directory. */
export function titleOf(text: string): string {
  const line = oneLine(text, 4 * TITLE_CHARACTERS);
  const bare = line.replace(/(?:\/home\/|\/Users\/|[A-Za-z]:\\Users\\)[^\s/\\]+/g, "~");
  return oneLine(bare, TITLE_CHARACTERS);
}

/** `wanted`, or the first of `wanted_2`, `wanted_3` ... that is free; takes it. */
export function freeName(wanted: string, taken: Set<string>): string {
  const base = oneLine(wanted, 180);
  let name = base;
  for (let n = 2; taken.has(name); n += 1) name = `${base}_${n}`;
  taken.add(name);
  return name;
}
