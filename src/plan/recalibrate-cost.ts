import { normalCdf, normalQuantile } from "../learn/kernels/normal.ts";
import { at, clip } from "../learn/kernels/vector.ts";
import { FEWEST_FORESEEN, LATEST_FORESEEN } from "./recalibrate.ts";
import { quantile } from "./summary.ts";

/** Where the costs of earlier runs fell among those foretold for them, as ascending shares of 0 to 1. */
export interface CostRecalibration {
  readonly shares: Float64Array;
}

/** Quantiles by share as they were foretold before a run, uncorrected, and what it cost. */
export interface ForeseenCost {
  readonly quantiles: Readonly<Record<string, number>>;
  readonly usd: number;
}

/** Runs that count as much as the forecasts themselves. */
const HALF_WAY = 200;

/**
 * How ranges of costs are best corrected by the latest 500 runs, in order of time; undefined below 100 of them. Unlike
 * a line of chances it cannot do much harm: what it moves grows with the runs, and is nothing where forecasts held.
 */
export function costRecalibrationOf(seen: readonly ForeseenCost[]): CostRecalibration | undefined {
  const shares = seen.flatMap(({ quantiles, usd }) => shareOf(quantiles, usd) ?? []).slice(-LATEST_FORESEEN);
  if (shares.length < FEWEST_FORESEEN) return undefined;
  return { shares: Float64Array.from(shares).sort() };
}

/** Simulated costs of a run, each moved to where a cost of its rank fell. */
export function recalibratedCosts(draws: Float64Array, { shares }: CostRecalibration): Float64Array {
  const sorted = draws.slice().sort();
  const weight = shares.length / (shares.length + HALF_WAY);
  const order = [...draws.keys()].sort((a, b) => at(draws, a) - at(draws, b));
  const moved = new Float64Array(draws.length);
  for (const [rank, d] of order.entries()) {
    const share = (rank + 0.5) / draws.length;
    moved[d] = quantile(sorted, weight * quantile(shares, share) + (1 - weight) * share);
  }
  return moved;
}

/** Where a cost lies among quantiles: between two of them by proportion of logarithms, beyond them as a normal tail. */
function shareOf(quantiles: Readonly<Record<string, number>>, usd: number): number | undefined {
  const points = Object.entries(quantiles)
    .map(([share, value]) => ({
      z: normalQuantile(clip(Number(share), 1e-6, 1 - 1e-6)),
      ln: Math.log(value),
    }))
    .sort((a, b) => a.z - b.z);
  const [first, second] = points;
  if (first === undefined || second === undefined || !(usd > 0)) return undefined;
  if (points.some(({ ln }) => !Number.isFinite(ln))) return undefined;
  const ln = Math.log(usd);
  const above = points.findIndex((point) => point.ln >= ln);
  const place = above < 0 ? points.length - 1 : Math.max(1, above);
  const [low, high] = [points[place - 1] ?? first, points[place] ?? second];
  const part = high.ln > low.ln ? (ln - low.ln) / (high.ln - low.ln) : Number(ln > low.ln);
  return normalCdf(low.z + part * (high.z - low.z));
}
