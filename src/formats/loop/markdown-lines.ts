/** The tokens of a loop in Markdown. Offsets count from the start of the text. */
export type Token =
  | { readonly kind: "name" | "section" | "entry"; readonly text: string; readonly offset: number }
  | {
      readonly kind: "bullet";
      readonly indent: number;
      /** What follows the dash; further lines that continue it are joined by line breaks. */
      readonly text: string;
      readonly offset: number;
    }
  | { readonly kind: "stray"; readonly offset: number };

const HEADINGS = { "#": "name", "##": "section", "###": "entry" } as const;

/**
 * Headings, bullets, and text that continues a bullet. Prose at the margin and fenced blocks are passed over; indented
 * text that belongs to no bullet is `stray`, so that nothing meant as content is lost in silence.
 */
export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let isFenced = false;
  let canContinue = false;
  let offset = 0;
  for (const raw of text.split("\n")) {
    const line = raw.replace(/\r$/, "");
    const start = offset;
    offset += raw.length + 1;
    if (line.startsWith("```")) isFenced = !isFenced;
    if (isFenced || line.startsWith("```") || line.trim() === "") {
      canContinue = false;
      continue;
    }
    const token = tokenOf(line, start);
    if (token?.kind === "stray" && canContinue) {
      extendLast(tokens, line);
      continue;
    }
    if (token !== undefined) tokens.push(token);
    canContinue = token?.kind === "bullet";
  }
  return tokens;
}

function tokenOf(line: string, start: number): Token | undefined {
  const [, mark, title] = /^(#{1,3})\s+([^\n]*?)\s*$/.exec(line) ?? [];
  if (title !== undefined && (mark === "#" || mark === "##" || mark === "###")) {
    return { kind: HEADINGS[mark], text: title, offset: start + line.indexOf(title, mark.length) };
  }
  const [, indent, rest] = /^(\s*)-(?:\s+([^\n]*?))?\s*$/.exec(line) ?? [];
  if (indent !== undefined) {
    const text = rest ?? "";
    return {
      kind: "bullet",
      indent: indent.length,
      text,
      offset: start + (text === "" ? indent.length : line.indexOf(text, indent.length + 1)),
    };
  }
  return /^\s/.test(line) ? { kind: "stray", offset: start + line.search(/\S/) } : undefined;
}

/** Only text that is indented deeper than its bullet continues it. */
function extendLast(tokens: Token[], line: string): void {
  const last = tokens.at(-1);
  if (last?.kind !== "bullet") return;
  if (line.search(/\S/) <= last.indent) {
    tokens.push({ kind: "stray", offset: last.offset });
    return;
  }
  tokens[tokens.length - 1] = { ...last, text: `${last.text}\n${line.trim()}` };
}
