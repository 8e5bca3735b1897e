import { normalQuantile } from "../kernels/normal.ts";
import { clip } from "../kernels/vector.ts";

/**
 * What the data say about one effect: an estimate with its standard error. `center` and `spread` are where the
 * prior expects the effect; they make the range shorter there and cost no coverage anywhere.
 */
export interface Estimate {
  readonly estimate: number;
  readonly error: number;
  readonly center: number;
  readonly spread: number;
}

export interface Interval {
  readonly lo: number;
  readonly hi: number;
}

/**
 * The distance of the data from a supposed true effect, in standard errors; falls as the effect grows. A curve of
 * the likelihood may stand in for the normal one.
 */
export type Distance = (effect: number) => number;

/**
 * A range that holds the true effect with the stated chance whatever its size: each supposed effect is tested with
 * tails shared out by where the prior expects it. Shares are clipped to [0.1, 0.9], so that no range is wider than
 * 1.16 times the plain one.
 */
export function anySizeRange(given: Estimate, level: number, distance?: Distance): Interval {
  const { estimate, error } = given;
  const alpha = 1 - level;
  const away = distance ?? ((effect: number) => (estimate - effect) / error);
  const lo = crossing(given, (effect) => {
    const share = upperShare(given, alpha, effect);
    return normalQuantile(1 - alpha * (1 - share)) - away(effect);
  });
  const hi = crossing(given, (effect) => {
    const share = upperShare(given, alpha, effect);
    return normalQuantile(alpha * share) - away(effect);
  });
  return { lo, hi };
}

/** The 80% and the 95% range, the first inside the second. */
export function nestedRanges(
  given: Estimate,
  distance?: Distance,
): { readonly range80: Interval; readonly range95: Interval } {
  const range80 = anySizeRange(given, 0.8, distance);
  const wide = anySizeRange(given, 0.95, distance);
  return {
    range80,
    range95: { lo: Math.min(wide.lo, range80.lo), hi: Math.max(wide.hi, range80.hi) },
  };
}

/** The root of an increasing function around the estimate. */
function crossing({ estimate, error }: Estimate, f: (effect: number) => number): number {
  let low = estimate - 6 * error;
  let high = estimate + 6 * error;
  for (let i = 0; i < 60; i += 1) {
    const middle = (low + high) / 2;
    if (f(middle) < 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The part of alpha that the test of this effect spends on the upper side. */
function upperShare({ error, center, spread }: Estimate, alpha: number, effect: number): number {
  const wanted = (2 * error * (effect - center)) / (spread * spread);
  let low = 0.1;
  let high = 0.9;
  for (let i = 0; i < 40; i += 1) {
    const middle = (low + high) / 2;
    if (normalQuantile(alpha * middle) - normalQuantile(alpha * (1 - middle)) < wanted) low = middle;
    else high = middle;
  }
  return clip((low + high) / 2, 0.1, 0.9);
}
