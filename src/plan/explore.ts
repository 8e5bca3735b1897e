import { logistic, logit, normalQuantile } from "../learn/kernels/normal.ts";
import { gaussHermite, logisticNormalMean } from "../learn/kernels/quadrature.ts";
import { at, clip } from "../learn/kernels/vector.ts";

/** Normal belief about a candidate: its success predictor (logits) and its ln cost. */
export interface Outlook {
  readonly eta: Spread;
  readonly lnCost: Spread;
}

export interface Exploration {
  /** Runs of the candidate in one go. */
  readonly batch: number;
  /** Expected saving of every later run, dollars. */
  readonly gainUsd: number;
}

export const BATCHES = [1, 2, 4, 8, 16] as const;
const NODES = 41;
/** How far a verdict of an exploration run is trusted. */
const RELIABILITY = 0.95;

interface Moments {
  readonly mean: number;
  readonly variance: number;
}

/** Draws by their mean and what each is away from it. */
interface Spread extends Moments {
  readonly away: Float64Array;
}

function spreadOf(draws: Float64Array): Spread {
  let sum = 0;
  for (let d = 0; d < draws.length; d += 1) sum += at(draws, d);
  const mean = sum / draws.length;
  const away = draws.map((value) => value - mean);
  return { mean, away, variance: Math.max(covariance(away, away), 1e-9) };
}

/** Of draws less their means. */
function covariance(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let d = 0; d < a.length; d += 1) sum += at(a, d) * at(b, d);
  return sum / a.length;
}

export function outlook(success: Float64Array, costUsd: Float64Array): Outlook {
  return {
    eta: spreadOf(success.map((p) => logit(clip(p, 1e-6, 1 - 1e-6)))),
    lnCost: spreadOf(costUsd.map((usd) => Math.log(Math.max(usd, 1e-9)))),
  };
}

/**
 * What running candidate `chosen` some times would be worth to every later run: the expected loss of the best
 * candidate now, less that after the outcomes are known, by enumeration of the successes and quadrature over the
 * costs. Never negative. `noise` is the variance of one run's ln cost.
 */
export function explorationGains(
  candidates: readonly Outlook[],
  chosen: number,
  rescueUsd: number,
  noise: number,
  reliability = RELIABILITY,
): readonly Exploration[] {
  const x = candidates[chosen];
  if (x === undefined) return [];
  const { eta } = x;
  const nodes = Float64Array.from(
    { length: NODES },
    (_, i) => eta.mean + Math.sqrt(eta.variance) * normalQuantile((i + 0.5) / NODES),
  );
  const chances = candidates.map(({ eta: own }, c) =>
    c === chosen ? nodes.map(logistic) : chanceGiven(own, eta, nodes),
  );
  const costs = candidates.map(({ lnCost }) => ({
    mean: lnCost.mean,
    variance: lnCost.variance,
    shared: covariance(lnCost.away, x.lnCost.away),
  }));
  const now = Math.min(
    ...candidates.map((_, c) => loss(costs[c], 0, 0, average(chances[c] ?? new Float64Array()), rescueUsd)),
  );
  return BATCHES.map((batch) => {
    const later = expectedLoss(batch, nodes, chances, costs, costs[chosen], noise, rescueUsd, reliability);
    return { batch, gainUsd: Math.max(0, now - later) };
  });
}

/** A candidate's chance when the explored one's predictor is at each node. */
function chanceGiven(own: Spread, explored: Spread, nodes: Float64Array): Float64Array {
  const { mean, variance } = explored;
  const slope = covariance(own.away, explored.away) / variance;
  const rest = Math.max(0, own.variance - slope * slope * variance);
  return nodes.map((node) => logisticNormalMean(own.mean + slope * (node - mean), rest));
}

interface CostOutlook extends Moments {
  /** Covariance with the explored candidate's ln cost. */
  readonly shared: number;
}

function loss(
  cost: CostOutlook | undefined,
  shift: number,
  learned: number,
  chance: number,
  rescueUsd: number,
): number {
  if (cost === undefined) return Number.POSITIVE_INFINITY;
  const usd = Math.exp(cost.mean + shift + (cost.variance - learned) / 2);
  return usd + (1 - chance) * rescueUsd;
}

function average(values: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i += 1) sum += at(values, i);
  return sum / Math.max(1, values.length);
}

function averageProduct(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += at(a, i) * at(b, i);
  return sum / Math.max(1, a.length);
}

function expectedLoss(
  batch: number,
  nodes: Float64Array,
  chances: readonly Float64Array[],
  costs: readonly CostOutlook[],
  explored: CostOutlook | undefined,
  noise: number,
  rescueUsd: number,
  reliability: number,
): number {
  const { nodes: z, weights } = gaussHermite(15);
  const seen = nodes.map((node) => 1 - reliability + (2 * reliability - 1) * logistic(node));
  const predictive = (explored?.variance ?? 0) + noise / batch;
  let total = 0;
  for (let k = 0; k <= batch; k += 1) {
    const ways = choose(batch, k);
    const likelihood = seen.map((pi) => ways * pi ** k * (1 - pi) ** (batch - k));
    const chance = average(likelihood);
    if (chance < 1e-12) continue;
    const after = chances.map((own) => averageProduct(own, likelihood) / chance);
    for (let h = 0; h < z.length; h += 1) {
      let best = Number.POSITIVE_INFINITY;
      costs.forEach((cost, c) => {
        const slope = cost.shared / predictive;
        const shift = slope * Math.sqrt(predictive) * at(z, h);
        best = Math.min(best, loss(cost, shift, slope * cost.shared, at(after, c), rescueUsd));
      });
      total += chance * at(weights, h) * best;
    }
  }
  return total;
}

function choose(n: number, k: number): number {
  let value = 1;
  for (let i = 1; i <= k; i += 1) value = (value * (n - k + i)) / i;
  return value;
}
