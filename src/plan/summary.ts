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
  const quantile = (p: number): number => {
    const place = p * (sorted.length - 1);
    const below = Math.floor(place);
    const share = place - below;
    return at(sorted, below) * (1 - share) + at(sorted, Math.min(below + 1, sorted.length - 1)) * share;
  };
  return {
    mean: mean(draws),
    lo: quantile(0.1),
    hi: quantile(0.9),
    lo95: quantile(0.025),
    hi95: quantile(0.975),
  };
}

export function median(draws: Float64Array): number {
  const sorted = draws.slice().sort();
  return (at(sorted, (sorted.length - 1) >> 1) + at(sorted, sorted.length >> 1)) / 2;
}

export function mean(draws: Float64Array): number {
  return draws.reduce((sum, value) => sum + value, 0) / Math.max(1, draws.length);
}

/** Mean and standard deviation of `a - b`, draw by draw, and the share of draws in which it is positive. */
export function difference(
  a: Float64Array,
  b: Float64Array,
): { readonly mean: number; readonly sd: number; readonly positiveProb: number } {
  const gaps = a.map((value, d) => value - at(b, d));
  const center = mean(gaps);
  const variance = mean(gaps.map((gap) => (gap - center) ** 2));
  const positive = gaps.reduce((count, gap) => count + (gap > 0 ? 1 : gap === 0 ? 0.5 : 0), 0);
  return { mean: center, sd: Math.sqrt(variance), positiveProb: positive / Math.max(1, gaps.length) };
}
