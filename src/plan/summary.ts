import { at } from "../learn/kernels/vector.ts";

/** A mean with its 80% and 95% ranges of belief. */
export interface Summary {
  readonly mean: number;
  readonly lo: number;
  readonly hi: number;
  readonly lo95: number;
  readonly hi95: number;
}

export function summarize(draws: Float64Array): Summary {
  const sorted = draws.slice().sort();
  return {
    mean: mean(draws),
    lo: quantile(sorted, 0.1),
    hi: quantile(sorted, 0.9),
    lo95: quantile(sorted, 0.025),
    hi95: quantile(sorted, 0.975),
  };
}

/** The shares at which an amount is kept: enough for its 80% range and for where an actual one fell. */
export const SHARES = [0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95] as const;
/** Amounts in the order of `SHARES`. */
export type Quantiles = readonly number[];

export function quantilesOf(draws: Float64Array): Quantiles {
  const sorted = draws.slice().sort();
  return SHARES.map((share) => quantile(sorted, share));
}

export function quantile(sorted: Float64Array, p: number): number {
  const place = p * (sorted.length - 1);
  const below = Math.floor(place);
  const share = place - below;
  return at(sorted, below) * (1 - share) + at(sorted, Math.min(below + 1, sorted.length - 1)) * share;
}

export function median(draws: Float64Array): number {
  const sorted = draws.slice().sort();
  return (at(sorted, (sorted.length - 1) >> 1) + at(sorted, sorted.length >> 1)) / 2;
}

export function mean(draws: Float64Array): number {
  let sum = 0;
  for (let d = 0; d < draws.length; d += 1) sum += at(draws, d);
  return sum / Math.max(1, draws.length);
}

interface Gap {
  readonly mean: number;
  readonly sd: number;
}

interface Difference extends Gap {
  readonly median: number;
  /** The share of draws in which it is positive. */
  readonly positiveProb: number;
}

/** Mean and standard deviation of `a - b`, draw by draw. */
export function gapOf(a: Float64Array, b: Float64Array): Gap {
  return spreadOf(gapsOf(a, b));
}

/** The same and more. */
export function difference(a: Float64Array, b: Float64Array): Difference {
  const gaps = gapsOf(a, b);
  const positive = gaps.reduce((count, gap) => count + (gap > 0 ? 1 : gap === 0 ? 0.5 : 0), 0);
  return { ...spreadOf(gaps), median: median(gaps), positiveProb: positive / Math.max(1, gaps.length) };
}

function gapsOf(a: Float64Array, b: Float64Array): Float64Array {
  const gaps = new Float64Array(a.length);
  for (let d = 0; d < gaps.length; d += 1) gaps[d] = at(a, d) - at(b, d);
  return gaps;
}

function spreadOf(gaps: Float64Array): Gap {
  const center = mean(gaps);
  let squares = 0;
  for (let d = 0; d < gaps.length; d += 1) squares += (at(gaps, d) - center) ** 2;
  return { mean: center, sd: Math.sqrt(squares / Math.max(1, gaps.length)) };
}
