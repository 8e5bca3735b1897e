import { type BeliefPoint, type HeadBelief, unseenPrior } from "../fit/head-belief.ts";
import { normalCdf } from "../kernels/normal.ts";
import { at, clip } from "../kernels/vector.ts";
import { groupOf, type Term } from "../rows/terms.ts";
import { type Distance, type Estimate, type Interval, nestedRanges } from "./any-size.ts";
import { type SparseView, sparseSpread } from "./sparse.ts";

/** Beyond this the data cannot tell the effect from others: logits, ln dollars. */
const LIMIT = { binary: 3, number: 1.5 } as const;
const MIN_PRECISION = 0.02;
/** Logits from which on the skew of few rows matters, and how many effects it is worked out for. */
const MIN_SKEWED = 0.8;
const MAX_SKEWED = 10;

/** One effect as it is printed. `range` is undefined when the data cannot separate the effect from others. */
export interface EffectView {
  readonly mean: number;
  readonly belief: Interval;
  readonly range:
    | { readonly range80: Interval; readonly range95: Interval; readonly isPulled: boolean }
    | undefined;
  readonly aboveZeroProb: number;
  readonly zeroProb?: number;
}

/** Mean and variance of a sum of effects under one vector of scales, for the belief and for the prior. */
interface Moments {
  readonly mean: number;
  readonly cavityMean: number;
  readonly variance: number;
  readonly priorMean: number;
  readonly priorVariance: number;
}

/** The moments of `terms` at one point. Effects without a row have their prior's. */
function momentsAt(head: HeadBelief, point: BeliefPoint, terms: readonly Term[]): Moments {
  const columns: number[] = [];
  const values: number[] = [];
  let mean = 0;
  let cavityMean = 0;
  let priorMean = 0;
  let priorVariance = 0;
  let unseen = 0;
  for (const [id, value] of terms) {
    const j = head.nodes.index.get(id);
    if (j === undefined) {
      const own = unseenPrior(point, id);
      mean += value * own.mean;
      cavityMean += value * own.mean;
      priorMean += value * own.mean;
      unseen += value * value * own.variance;
      continue;
    }
    columns.push(j);
    values.push(value);
    mean += value * at(point.mean, j);
    cavityMean += value * at(point.cavityMean, j);
    priorMean += value * at(point.priorMean, j);
    priorVariance += value * value * at(point.priorVariance, j);
  }
  const variance = unseen + point.posterior.quadratic(columns, values);
  return { mean, cavityMean, variance, priorMean, priorVariance: priorVariance + unseen };
}

/** What the data alone say about a sum of effects: the prior of the sum is taken away, that of the rest kept. */
export function cavity(head: HeadBelief, terms: readonly Term[]): Estimate {
  let weight = 0;
  let estimate = 0;
  let inside = 0;
  let spread2 = 0;
  let center = 0;
  const estimates: { w: number; value: number }[] = [];
  for (const point of head.points) {
    const { cavityMean, variance, priorMean, priorVariance } = momentsAt(head, point, terms);
    const precision = Math.max(MIN_PRECISION, 1 / variance - 1 / priorVariance);
    const value = (cavityMean / variance - priorMean / priorVariance) / precision;
    estimates.push({ w: point.weight, value });
    weight += point.weight;
    estimate += point.weight * value;
    inside += point.weight / precision;
    spread2 += point.weight * priorVariance;
    center += point.weight * priorMean;
  }
  estimate /= weight;
  const between = estimates.reduce((sum, { w, value }) => sum + w * (value - estimate) ** 2, 0) / weight;
  return {
    estimate,
    error: Math.sqrt(inside / weight + between),
    center: center / weight,
    spread: Math.sqrt(spread2 / weight),
  };
}

/** Mean and range of a sum of effects as the mixture believes it. */
export function beliefOf(
  head: HeadBelief,
  terms: readonly Term[],
  level = 0.8,
): { readonly mean: number; readonly range: Interval; readonly aboveZeroProb: number } {
  const parts = head.points.map((point) => {
    const { mean, variance } = momentsAt(head, point, terms);
    return { weight: point.weight, mean, sd: Math.sqrt(Math.max(variance, 1e-18)) };
  });
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  const mean = parts.reduce((sum, part) => sum + part.weight * part.mean, 0) / total;
  const below = (t: number) =>
    parts.reduce((sum, part) => sum + part.weight * normalCdf((t - part.mean) / part.sd), 0) / total;
  const quantile = (p: number): number => {
    let low = Math.min(...parts.map((part) => part.mean - 8 * part.sd));
    let high = Math.max(...parts.map((part) => part.mean + 8 * part.sd));
    for (let i = 0; i < 60; i += 1) {
      const middle = (low + high) / 2;
      if (below(middle) < p) low = middle;
      else high = middle;
    }
    return (low + high) / 2;
  };
  const tail = (1 - level) / 2;
  return { mean, range: { lo: quantile(tail), hi: quantile(1 - tail) }, aboveZeroProb: 1 - below(0) };
}

/** An effect as it is printed: the belief that decides, and the range that holds effects of any size. */
export function effectView(head: HeadBelief, terms: readonly Term[]): EffectView {
  return viewOf(head, terms, cavity(head, terms));
}

function viewOf(
  head: HeadBelief,
  terms: readonly Term[],
  given: Estimate,
  sparse?: SparseView,
  distance?: Distance,
): EffectView {
  const { mean, range: belief, aboveZeroProb } = beliefOf(head, terms);
  const spread = sparse === undefined ? given.spread : clip(sparse.spread, 0.12, 1.2);
  const zero = sparse === undefined ? {} : { zeroProb: sparse.zeroProb };
  if (given.error > LIMIT[head.kind]) return { mean, belief, range: undefined, aboveZeroProb, ...zero };
  const ranges = nestedRanges({ ...given, spread }, distance);
  const isPulled = mean < ranges.range80.lo || mean > ranges.range80.hi;
  return { mean, belief, range: { ...ranges, isPulled }, aboveZeroProb, ...zero };
}

/** The effects of every harness part of a head, with what the parts together say about how many do nothing. */
export function partEffects(head: HeadBelief): ReadonlyMap<string, EffectView> {
  const ids = head.nodes.ids.filter((id) => groupOf(id) === "part");
  const estimates = ids.map((id) => cavity(head, [[id, 1]]));
  const sparse = sparseSpread(estimates, head.kind === "number" ? 0.5 : 1);
  const skewed = largest(estimates);
  return new Map(
    ids.map((id, k) => {
      const given = estimates[k] ?? cavity(head, [[id, 1]]);
      const distance = skewed.has(k) ? head.curves?.([[id, 1]], given) : undefined;
      return [id, viewOf(head, [[id, 1]], given, sparse[k], distance)] as const;
    }),
  );
}

/** Which estimates are large enough for skew to matter, at most ten: each costs eleven small fits. */
function largest(estimates: readonly Estimate[]): ReadonlySet<number> {
  const large = [...estimates.entries()].filter(
    ([, { estimate, error }]) => Math.abs(estimate) > MIN_SKEWED && error <= LIMIT.binary,
  );
  large.sort(([, a], [, b]) => Math.abs(b.estimate) - Math.abs(a.estimate));
  return new Set(large.slice(0, MAX_SKEWED).map(([k]) => k));
}
