import type { Document, Node } from "yaml";
import type { Parsed } from "../../core/result.ts";
import { type LoopDocument, type LoopForm, openLoop } from "./document.ts";
import { plainOf, writeMarkdown } from "./markdown-write.ts";
import type { Move } from "./migrate.ts";
import { parseLoop } from "./parse.ts";

export interface MigratedLoop {
  /** The whole file in the 1.0 grammar; the text itself when nothing moves. */
  readonly text: string;
  readonly moves: readonly Move[];
}

/** A loop file in the 1.0 grammar, in its own form; YAML keeps its comments. */
export async function migrateLoop(text: string, file: string): Promise<Parsed<MigratedLoop>> {
  const opened = await openLoop(text, file);
  if (!opened.ok) return opened;
  const { form, moves } = opened.value;
  if (moves.length === 0) return { ok: true, value: { text, moves } };
  const written = await textOf(opened.value, form, file);
  return written.ok ? { ok: true, value: { text: written.value, moves } } : written;
}

export interface ConvertedLoop {
  readonly text: string;
  readonly form: LoopForm;
  /** Comments stood in the file, and Markdown has no place for them. */
  readonly hasLostComments: boolean;
}

/**
 * A loop file of either grammar in the 1.0 grammar, in the other form or the one that is asked for. Only what is written
 * is written again: no defaults are filled in. Problems: every value that has no meaning, so that none is lost.
 */
export async function convertLoop(
  text: string,
  file: string,
  asked?: LoopForm,
): Promise<Parsed<ConvertedLoop>> {
  const { loop, findings } = await parseLoop(text, file);
  if (loop === undefined) {
    return { ok: false, problems: findings.filter(({ severity }) => severity === "error") };
  }
  const opened = await openLoop(text, file);
  if (!opened.ok) return opened;
  const form = asked ?? (opened.value.form === "markdown" ? "yaml" : "markdown");
  const written = await textOf(opened.value, form, file);
  if (!written.ok) return written;
  const hasLostComments = form === "markdown" && (await hasComments(opened.value.document));
  return { ok: true, value: { text: written.value, form, hasLostComments } };
}

async function textOf(
  { document, root }: LoopDocument,
  form: LoopForm,
  file: string,
): Promise<Parsed<string>> {
  if (form === "markdown") {
    const written = writeMarkdown(await import("yaml"), plainOf(root) ?? {});
    return written.ok ? written : { ok: false, problems: [{ ...written.problem, at: file }] };
  }
  const written = yamlText(document);
  if (written !== undefined) return { ok: true, value: written };
  const message = "an alias (*name) would come to stand before its anchor (&name)";
  return {
    ok: false,
    problems: [{ code: "bad-yaml", message, at: file, hint: "write the value out instead" }],
  };
}

const LINE_WIDTH = 110;

/** Undefined when the moves tore an alias from its anchor, which the writer refuses. */
export function yamlText(document: Document): string | undefined {
  try {
    return document.toString({ lineWidth: LINE_WIDTH, flowCollectionPadding: false });
  } catch (error) {
    if (error instanceof Error && /alias/i.test(error.message)) return undefined;
    throw error;
  }
}

async function hasComments(document: Document): Promise<boolean> {
  const yaml = await import("yaml");
  let found = Boolean(document.comment) || Boolean(document.commentBefore);
  yaml.visit(document, {
    Node: (_key, node: Node) => {
      found ||= Boolean(node.comment) || Boolean(node.commentBefore);
    },
  });
  return found;
}
