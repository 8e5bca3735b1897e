import type { Document } from "yaml";
import type { Parsed } from "../../core/result.ts";
import { openLoop } from "./document.ts";
import type { Move } from "./migrate.ts";

export interface MigratedLoop {
  /** The whole file in the 1.0 grammar; the text itself when nothing moves. */
  readonly text: string;
  readonly moves: readonly Move[];
}

/** A loop file in the 1.0 grammar, in its own form; comments are kept. Problems: `bad-yaml`. */
export async function migrateLoop(text: string, file: string): Promise<Parsed<MigratedLoop>> {
  const opened = await openLoop(text, file);
  if (!opened.ok) return opened;
  const { document, moves } = opened.value;
  if (moves.length === 0) return { ok: true, value: { text, moves } };
  const written = yamlText(document);
  if (written !== undefined) return { ok: true, value: { text: written, moves } };
  const message = "an alias (*name) would come to stand before its anchor (&name)";
  return {
    ok: false,
    problems: [{ code: "bad-yaml", message, at: file, hint: "write the value out instead" }],
  };
}

const LINE_WIDTH = 110;

/** Undefined when the moves tore an alias from its anchor, which the writer refuses. */
function yamlText(document: Document): string | undefined {
  try {
    return document.toString({ lineWidth: LINE_WIDTH, flowCollectionPadding: false });
  } catch (error) {
    if (error instanceof Error && /alias/i.test(error.message)) return undefined;
    throw error;
  }
}
