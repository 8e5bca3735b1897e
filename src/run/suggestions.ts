import type { Json } from "../core/canonical-json.ts";
import { oneLine } from "./notes.ts";
import type { AgentPiece } from "./spec.ts";
import type { SessionState } from "./state.ts";

/** A change of the loop file that an agent asks for. Nothing comes of it without a person. */
export interface Suggestion {
  readonly path: string;
  readonly value: Json;
  readonly because: string;
}

/** What an agent is told about suggesting. `suggestionsIn` reads exactly this. */
export const SUGGESTION_CONTRACT = `If the loop itself stands in the way, you may suggest one change of its file, as one line at the end of your last message; a person decides:
PROPOSE <path, e.g. execution.graph.nodes[build].instruction> = <the new value as JSON> [because: <what this run showed>]`;

const LINE = /^[\s*_>-]*PROPOSE\s+([^\s=]{1,200})\s*=\s*(.+?)\s*(?:\[because:\s*([^\]]+?)\s*\])?$/;
const LONGEST_VALUE = 4000;

/** The last one that the words hold; a value that is no JSON is none. */
export function suggestionIn(words: string): Suggestion | undefined {
  for (const line of words.split(/\r?\n/).toReversed()) {
    const [, path, text, because = ""] = LINE.exec(line) ?? [];
    if (path === undefined || text === undefined || text.length > LONGEST_VALUE) continue;
    const value = parsed(text);
    if (value !== undefined) return { path: oneLine(path), value, because: oneLine(because) };
  }
  return undefined;
}

/** What the agents of a session suggested, each once. A judge is not asked, and not heard. */
export function suggestionsOf(state: SessionState): readonly (Suggestion & { readonly piece: string })[] {
  if (state.spec.maySuggest !== true) return [];
  return state.attempts.flatMap(({ piece, ended }) => {
    const made = state.spec.pieces.find(({ id }) => id === piece);
    const found = isHeard(made) ? suggestionIn(ended?.summary ?? "") : undefined;
    return found === undefined ? [] : [{ ...found, piece }];
  });
}

function isHeard(piece: SessionState["spec"]["pieces"][number] | undefined): piece is AgentPiece {
  return piece?.kind === "agent" && piece.answers === undefined;
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
