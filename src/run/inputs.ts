import { ok, type Result } from "../core/result.ts";
import type { TreeId } from "../ports/workspace.ts";
import { candidatesOf } from "./candidates.ts";
import type { SessionRun } from "./session-run.ts";
import type { AgentPiece, PieceInput } from "./spec.ts";
import { attemptOf } from "./state.ts";

const PATCH_CHARACTERS = 40_000;
const CANDIDATE_PATCH_CHARACTERS = 15_000;
const LISTED_PATHS = 100;

/** What a piece is given to read, as text of its prompt; empty when it reads nothing but its task. */
export async function inputsText(run: SessionRun, piece: AgentPiece, now: TreeId): Promise<Result<string>> {
  const parts: string[] = [];
  for (const input of piece.reads ?? []) {
    const part = await inputText(run, input, now);
    if (!part.ok) return part;
    if (part.value !== "") parts.push(part.value);
  }
  return ok(parts.join("\n\n"));
}

async function inputText(run: SessionRun, input: PieceInput, now: TreeId): Promise<Result<string>> {
  switch (input.kind) {
    case "words": {
      const words = lastWords(run, input.piece);
      return ok(words === "" ? "" : `${input.title}\n\n${words}`);
    }
    case "changes": {
      const text = await changesText(run, run.state.spec.gate.base, now, PATCH_CHARACTERS);
      return text.ok ? ok(`What was changed:\n${text.value}`) : text;
    }
    case "candidates":
      return candidatesText(run, input.pieces);
  }
}

function lastWords(run: SessionRun, id: string): string {
  const piece = run.state.pieces[id];
  if (piece?.state !== "succeeded") return "";
  return attemptOf(run.state, piece.attempt)?.ended?.summary.trim() ?? "";
}

async function candidatesText(run: SessionRun, pieces: readonly string[]): Promise<Result<string>> {
  const parts: string[] = [];
  for (const { letter, before, tree, workDir } of candidatesOf(run.state, pieces)) {
    const text = await changesText(run, before, tree, CANDIDATE_PATCH_CHARACTERS);
    if (!text.ok) return text;
    parts.push(`Candidate ${letter}, to be read in ${workDir}:\n${text.value}`);
  }
  return ok(parts.join("\n\n"));
}

async function changesText(run: SessionRun, from: TreeId, to: TreeId, cap: number): Promise<Result<string>> {
  const changes = await run.workspace.diff(from, to);
  if (!changes.ok) return changes;
  if (changes.value.length === 0) return ok("nothing");
  const patch = await run.workspace.patch(from, to);
  if (!patch.ok) return patch;
  const listed = changes.value.slice(0, LISTED_PATHS).map(({ path, kind }) => `- ${path} (${kind})`);
  const more = changes.value.length - listed.length;
  return ok(
    [...listed, ...(more > 0 ? [`- and ${more} more`] : []), "", cut(patch.value, cap)].join("\n").trimEnd(),
  );
}

function cut(text: string, cap: number): string {
  return text.length <= cap ? text : `${text.slice(0, cap)}\n[… the rest is left out; read the files]`;
}
