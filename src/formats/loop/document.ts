import type { Document, LineCounter } from "yaml";
import type { Problem } from "../../core/result.ts";
import { readMarkdown } from "./markdown-read.ts";
import { aliasTargets, type Marked, Marker, TooLarge } from "./marked.ts";
import { type Move, migrate } from "./migrate.ts";

/** Markdown by the file's ending, else YAML, which JSON is too. */
export type LoopForm = "yaml" | "markdown";

export function isMarkdown(file: string): boolean {
  return /\.(md|markdown)$/i.test(file);
}

/** A loop file in the places of the 1.0 grammar, whatever grammar and form it was written in. */
export interface LoopDocument {
  readonly form: LoopForm;
  /** To be written again; comments are kept. */
  readonly document: Document;
  readonly root: Marked;
  /** What stood elsewhere, in the older grammar. */
  readonly moves: readonly Move[];
}

export type Opened =
  | { readonly ok: true; readonly value: LoopDocument }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/**
 * Opens a loop file; its problems are `bad-yaml` and `bad-markdown`. Duplicate keys, unknown tags and texts that grow beyond all measure
 * are refused. The parser is loaded on first use, so that commands without YAML do not pay for it.
 */
export async function openLoop(text: string, file: string): Promise<Opened> {
  const yaml = await import("yaml");
  const form: LoopForm = isMarkdown(file) ? "markdown" : "yaml";
  const lines = new yaml.LineCounter();
  const place = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  const { document, problems } =
    form === "markdown" ? readMarkdown(yaml, text, lines, place) : readYaml(yaml, text, lines, place);
  if (problems.length > 0) return { ok: false, problems };
  const targets = aliasTargets(yaml, document);
  const moves = migrate(yaml, document, place);
  try {
    const root = new Marker(yaml, targets, place).mark(document.contents);
    return { ok: true, value: { form, document, root, moves } };
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    return { ok: false, problems: [{ code: "bad-yaml", message: error.message, at: error.at }] };
  }
}

function readYaml(
  yaml: typeof import("yaml"),
  text: string,
  lines: LineCounter,
  place: (offset: number) => string,
): { readonly document: Document; readonly problems: readonly Problem[] } {
  const document = yaml.parseDocument(text, {
    version: "1.2",
    lineCounter: lines,
    prettyErrors: false,
    strict: true,
    uniqueKeys: true,
    stringKeys: true,
  });
  const problems = [...document.errors, ...document.warnings].map(
    ({ message, pos }): Problem => ({ code: "bad-yaml", message: firstLine(message), at: place(pos[0]) }),
  );
  return { document, problems };
}

function firstLine(message: string): string {
  const line = message.split("\n")[0] ?? "";
  return line.charAt(0).toLowerCase() + line.slice(1);
}
