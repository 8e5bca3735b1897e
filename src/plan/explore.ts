import { logistic, logit, normalQuantile } from "../learn/kernels/normal.ts";
import { gaussHermite, logisticNormalMean } from "../learn/kernels/quadrature.ts";
import { at, clip } from "../learn/kernels/vector.ts";

/** Normal belief about a candidate: its success predictor (logits) and its ln cost. */
export interface Outlook {
  readonly eta: Float64Array;
  readonly lnCost: Float64Array;
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

function momentsOf(draws: Float64Array): Moments {
  const mean = draws.reduce((sum, value) => sum + value, 0) / draws.length;
  const variance = draws.reduce((sum, value) => sum + (value - mean) ** 2, 0) / draws.length;
  return { mean, variance: Math.max(variance, 1e-9) };
}

function covariance(a: Float64Array, b: Float64Array): number {
  const ma = momentsOf(a).mean;
  const mb = momentsOf(b).mean;
  return a.reduce((sum, value, d) => sum + (value - ma) * (at(b, d) - mb), 0) / a.length;
}

export function outlook(success: Float64Array, costUsd: Float64Array): Outlook {
  return {
    eta: success.map((p) => logit(clip(p, 1e-6, 1 - 1e-6))),
    lnCost: costUsd.map((usd) => Math.log(Math.max(usd, 1e-9))),
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
  const eta = momentsOf(x.eta);
  const nodes = Float64Array.from(
    { length: NODES },
    (_, i) => eta.mean + Math.sqrt(eta.variance) * normalQuantile((i + 0.5) / NODES),
  );
  const chances = candidates.map(({ eta: own }, c) =>
    c === chosen ? nodes.map(logistic) : chanceGiven(own, x.eta, eta, nodes),
  );
  const costs = candidates.map(({ lnCost }) => ({
    ...momentsOf(lnCost),
    shared: covariance(lnCost, x.lnCost),
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
function chanceGiven(
  own: Float64Array,
  explored: Float64Array,
  { mean, variance }: Moments,
  nodes: Float64Array,
): Float64Array {
  const mine = momentsOf(own);
  const slope = covariance(own, explored) / variance;
  const rest = Math.max(0, mine.variance - slope * slope * variance);
  return nodes.map((node) => logisticNormalMean(mine.mean + slope * (node - mean), rest));
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
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
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
  const predictive = (explored?.variance ?? 0) + noise / batch;
  let total = 0;
  for (let k = 0; k <= batch; k += 1) {
    const likelihood = nodes.map((node) => {
      const pi = 1 - reliability + (2 * reliability - 1) * logistic(node);
      return choose(batch, k) * pi ** k * (1 - pi) ** (batch - k);
    });
    const chance = average(likelihood);
    if (chance < 1e-12) continue;
    const after = chances.map((own) => average(own.map((p, i) => p * at(likelihood, i))) / chance);
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
