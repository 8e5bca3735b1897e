import type { OcpAttempt, OcpDocument } from "../formats/ocp/index.ts";
import type { GraphPiece } from "../graph/index.ts";
import { median } from "./summary.ts";

/** What a piece took and cost in earlier runs of its loop. */
export interface PieceHistory {
  /** Attempts that were done and say how long they took. */
  readonly attempts: number;
  /** Their median: one attempt that hung says nothing about the next. */
  readonly seconds: number;
  /** Mean dollars of the attempts whose cost is known; undefined when none is. */
  readonly usd: number | undefined;
  readonly unknownCosts: number;
}

/** By piece; a piece that was never done is not in it. */
export function pieceHistory(documents: readonly OcpDocument[]): ReadonlyMap<string, PieceHistory> {
  const done = new Map<string, OcpAttempt[]>();
  for (const attempt of documents.flatMap(({ attempts = [] }) => attempts)) {
    if (attempt.status !== "done" || secondsOf(attempt) === undefined) continue;
    const others = done.get(attempt.node);
    if (others === undefined) done.set(attempt.node, [attempt]);
    else others.push(attempt);
  }
  return new Map([...done].map(([piece, attempts]) => [piece, historyOf(attempts)]));
}

function historyOf(attempts: readonly OcpAttempt[]): PieceHistory {
  const known = attempts.map(usdOf).filter((usd) => usd !== undefined);
  return {
    attempts: attempts.length,
    seconds: median(Float64Array.from(attempts.map(secondsOf).filter((seconds) => seconds !== undefined))),
    usd: known.length === 0 ? undefined : known.reduce((sum, usd) => sum + usd, 0) / known.length,
    unknownCosts: attempts.length - known.length,
  };
}

function secondsOf({ started_at, ended_at }: OcpAttempt): number | undefined {
  const seconds = (Date.parse(ended_at ?? "") - Date.parse(started_at ?? "")) / 1000;
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}

/** A command spends no model's tokens. */
function usdOf({ cost, harness }: OcpAttempt): number | undefined {
  return cost?.usd ?? (harness === "command" ? 0 : undefined);
}

export interface Weighed<P extends GraphPiece> {
  readonly pieces: readonly P[];
  /** `seconds` once a piece has been done before; until then the file's own weights. */
  readonly unit: "weight" | "seconds";
}

/** Shorter than anything that is measured: a weight has to be above 0. */
const LEAST_SECONDS = 0.001;

/**
 * Pieces weighed by the time they took. One that was never done is given the time that its weight means by the median of the
 * others' seconds a unit of weight.
 */
export function weighByHistory<P extends GraphPiece>(
  pieces: readonly P[],
  history: ReadonlyMap<string, PieceHistory>,
): Weighed<P> {
  const rates = pieces.flatMap(({ id, weight }) => {
    const seconds = history.get(id)?.seconds;
    return seconds === undefined ? [] : [seconds / weight];
  });
  if (rates.length === 0) return { pieces, unit: "weight" };
  const rate = median(Float64Array.from(rates));
  const secondsFor = ({ id, weight }: P): number => history.get(id)?.seconds ?? rate * weight;
  return {
    pieces: pieces.map((piece) => ({ ...piece, weight: Math.max(LEAST_SECONDS, secondsFor(piece)) })),
    unit: "seconds",
  };
}

/** Dollars of one iteration in which each piece is tried once, and the pieces whose price nobody knows. */
export function iterationUsd(
  pieces: readonly GraphPiece[],
  history: ReadonlyMap<string, PieceHistory>,
): { readonly known: number; readonly unknown: readonly string[] } {
  const usd = pieces.map(({ id }) => history.get(id)?.usd);
  return {
    known: usd.reduce<number>((sum, one) => sum + (one ?? 0), 0),
    unknown: pieces.filter((_, index) => usd[index] === undefined).map(({ id }) => id),
  };
}
