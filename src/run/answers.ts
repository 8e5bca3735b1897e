import type { AgentPiece } from "./spec.ts";
import type { SessionState, VerdictRecord } from "./state.ts";

type Asked = Pick<SessionState, "spec" | "verdicts" | "limits" | "attempts">;

/** The last answers of a reader, read by the piece `verdict`, that did not count, with none between them that did. */
function voidsInARow(verdicts: readonly VerdictRecord[], verdict: string): readonly VerdictRecord[] {
  const own = verdicts.filter(({ piece }) => piece === verdict);
  return own.slice(own.findLastIndex(({ ruling }) => ruling.said !== "void") + 1);
}

/** Whether a reader whose last words did not count is asked once more, rather than all whose work it read. */
export function mayAnswerAgain(state: Asked, verdict: string, reader: string): boolean {
  const { answerAttempts, answerFallback } = state.limits;
  const most = answerFallback === true ? providersOf(state, reader).length : answerAttempts;
  return most === undefined || voidsInARow(state.verdicts, verdict).length % most !== 0;
}

/** Providers whose words did not count since a reader was first asked about the same work: another is to answer. */
export function askedInVain(state: Asked, reader: string): readonly string[] {
  if (state.limits.answerFallback !== true) return [];
  const verdict = state.spec.pieces.find((piece) => piece.kind === "verdict" && piece.of === reader);
  if (verdict === undefined) return [];
  const voids = voidsInARow(state.verdicts, verdict.id);
  const round = voids.length % providersOf(state, reader).length;
  const inVain = voids.slice(voids.length - round).map(({ attempt }) => attempt);
  return state.attempts.filter(({ id }) => inVain.includes(id)).map(({ provider }) => provider);
}

function providersOf({ spec }: Asked, id: string): readonly string[] {
  const isReader = (piece: (typeof spec.pieces)[number]): piece is AgentPiece =>
    piece.kind === "agent" && piece.id === id;
  const reader = spec.pieces.find(isReader);
  return reader === undefined ? [id] : [reader.provider, ...(reader.fallbacks ?? [])];
}
