/** A document that promises `metadata_only` should not look as if it carried text of a conversation. */
import type { Path, Report } from "./finding.ts";
import { dig } from "./members.ts";

/** Longer free text in an extension is prose, not a label. */
const PROSE_CHARACTERS = 1000;

export function lintPrivacy(document: unknown, report: Report): void {
  const open: { readonly value: unknown; readonly path: Path }[] = [{ value: document, path: [] }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path } = next;
    if (typeof value === "string") {
      const why = breachOf(value, path);
      if (why !== undefined) report("loopwright/private-text", path, why);
      continue;
    }
    if (typeof value !== "object" || value === null) continue;
    const isList = Array.isArray(value);
    for (const key of Object.keys(value).reverse()) {
      const member = isList ? value[Number(key)] : dig(value, key);
      open.push({ value: member, path: [...path, isList ? Number(key) : key] });
    }
  }
}

function breachOf(text: string, path: Path): string | undefined {
  const key = path.at(-1);
  // A gate's command is configuration, and may well be a script of several lines.
  if (key === "command") return undefined;
  if (text.includes("```")) return "holds a code fence";
  if (/\n/.test(text)) return "holds a line break";
  if (text.length > PROSE_CHARACTERS) return `holds ${text.length} characters of text`;
  const isLabel = key === "title" || key === "detail" || key === "reason" || key === "note";
  if (isLabel && /(?:^|[\s"'(])(?:\/home\/|\/Users\/|[A-Za-z]:\\Users\\)[^\s/\\]/.test(text)) {
    return "holds a path in somebody's home directory";
  }
  return undefined;
}
