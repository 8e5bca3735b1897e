import { addUsage, type TokenUsage, totalTokens } from "../core/tokens.ts";
import { awaitsPerson } from "./fold-gates.ts";
import type { AgentPiece } from "./spec.ts";
import type { GateRecord, SessionState } from "./state.ts";

/**
 * Why a piece gets no further attempt in this session; undefined while it may have one. Read from what the ledger
 * holds, so that neither a crash nor a resume gives anything back.
 */
export function spentBy(state: SessionState, piece: AgentPiece): string | undefined {
  return tokensSpent(state, piece) ?? revisionsSpent(state, piece);
}

/** Pieces that the last gate sent back and that may not go, when nobody else is left to mend what it found. */
export function allSpent(state: SessionState): readonly string[] {
  const said = state.gates.at(-1);
  if (said === undefined || said.result.satisfied || awaitsPerson(said.result)) return [];
  if (said.iteration !== state.iteration) return [];
  const gate = state.spec.pieces.find(({ id }) => id === said.piece);
  const mending = state.spec.pieces.filter(
    (piece): piece is AgentPiece =>
      piece.kind === "agent" && gate?.kind === "gate" && gate.onFail.sendBack.includes(piece.id),
  );
  const open = mending.filter((piece) => spentBy(state, piece) === undefined);
  return open.length > 0 ? [] : mending.map(({ id }) => id);
}

function tokensSpent(state: SessionState, { id, maxTokens }: AgentPiece): string | undefined {
  if (maxTokens === undefined) return undefined;
  let usage: TokenUsage = {};
  for (const { piece, ended } of state.attempts) {
    if (piece !== id || ended === undefined) continue;
    // What is not known may be anything: it is no licence to spend more.
    if (ended.usage.kind === "unknown" && !state.spec.allowUnknownCost)
      return `what it has spent of its ${maxTokens} tokens is not known`;
    for (const part of ended.priced) usage = addUsage(usage, part.usage);
  }
  return (totalTokens(usage) ?? 0) >= maxTokens ? `its ${maxTokens} tokens are spent` : undefined;
}

/** A round that a piece has worked in and that left one of its goals open is a revision. Without goals it has none. */
function revisionsSpent(state: SessionState, { id, goals }: AgentPiece): string | undefined {
  const most = state.limits.maxRevisions;
  if (most === undefined || goals.length === 0) return undefined;
  const isOpen = ({ result }: GateRecord): boolean =>
    result.targets.some(({ target, satisfied }) => !satisfied && goals.includes(target));
  const last = state.gates.at(-1);
  if (last === undefined || !isOpen(last)) return undefined;
  const worked = new Set(
    state.attempts.flatMap(({ piece, iteration, ended }) =>
      piece === id && ended?.end.reason === "done" ? [iteration] : [],
    ),
  );
  const revised = new Set(
    state.gates.flatMap((gate) => (worked.has(gate.iteration) && isOpen(gate) ? [gate.iteration] : [])),
  );
  return revised.size >= most ? `${revised.size} rounds of its work left its goals open` : undefined;
}
