import type { ArrowPosterior } from "../kernels/arrow.ts";
import { coreSize } from "../kernels/arrow-shape.ts";
import { eachLeaf } from "../kernels/leaf-covariance.ts";
import { addAt, at } from "../kernels/vector.ts";
import { priorVariance } from "./design.ts";
import type { Evaluation, ScaleModel } from "./model.ts";

/** More leaves than this, and what two of them share is left out: it is small and costs their square. */
const MAX_PAIRED_LEAVES = 1500;

/** How the curvature of minus the log evidence in two scales grows by what two effects share. */
interface Weights {
  readonly group: Int32Array;
  readonly first: Float64Array;
  readonly moved: Float64Array;
}

/** The curvature of minus the log evidence in the ln scales, with the likelihood held at its quadratic. */
export function scaleCurvature(model: ScaleModel, theta: Float64Array, best: Evaluation): Float64Array {
  const { prior } = model;
  const n = best.mode.length;
  const size = theta.length;
  const variance = priorVariance(prior, theta);
  const spread = best.posterior.variances();
  const k = new Float64Array(size * size);
  const first = new Float64Array(n);
  const moved = new Float64Array(n);
  for (let j = 0; j < n; j += 1) {
    const g = at(prior.group, j);
    if (g < 0) continue;
    const precision = 1 / at(variance, j);
    const share = Math.exp(2 * at(theta, g)) * precision;
    const d = at(best.mode, j) - at(prior.mean, j);
    first[j] = -2 * share * precision;
    moved[j] = at(first, j) * d;
    const second = precision * (8 * share * share - 4 * share);
    const own = 0.5 * second * (d * d + at(spread, j));
    addAt(k, g * size + g, own - 0.5 * (second / precision - 4 * share * share));
  }
  const weights = { group: prior.group, first, moved };
  addCorePairs(best.posterior, weights, k, size);
  addLeafPairs(best.posterior, weights, k, size);
  for (let g = 0; g < size; g += 1) addAt(k, g * size + g, 1 / at(model.lnSd, g) ** 2);
  model.addNoiseCurvature(theta, best, k);
  return k;
}

/** Of two effects i and j with covariance s, once for each order of the two. */
function pairValue({ first, moved }: Weights, i: number, j: number, s: number): number {
  return s * (moved[i] ?? 0) * (moved[j] ?? 0) + 0.5 * (first[i] ?? 0) * (first[j] ?? 0) * s * s;
}

function addCorePairs(posterior: ArrowPosterior, weights: Weights, k: Float64Array, size: number): void {
  const { leaves } = posterior.shape;
  const p = coreSize(posterior.shape);
  const s = posterior.coreCovariance();
  for (let i = 0; i < p; i += 1) {
    const g = weights.group[leaves + i] ?? -1;
    if (g < 0) continue;
    for (let j = 0; j < p; j += 1) {
      const h = weights.group[leaves + j] ?? -1;
      if (h < 0) continue;
      const target = g * size + h;
      k[target] = (k[target] ?? 0) - pairValue(weights, leaves + i, leaves + j, s[i * p + j] ?? 0);
    }
  }
}

/** A leaf's covariance with the core is minus its meetings times the core's, over its tip. */
function addLeafPairs(posterior: ArrowPosterior, weights: Weights, k: Float64Array, size: number): void {
  const { shape, tips } = posterior;
  const { leaves } = shape;
  const p = coreSize(shape);
  const isPaired = leaves <= MAX_PAIRED_LEAVES;
  eachLeaf(posterior, isPaired, (l, shared, met) => {
    const g = at(weights.group, l);
    if (g < 0) return;
    for (let j = 0; j < p; j += 1) {
      const h = weights.group[leaves + j] ?? -1;
      if (h < 0) continue;
      const value = pairValue(weights, l, leaves + j, shared[j] ?? 0);
      addAt(k, g * size + h, -value);
      addAt(k, h * size + g, -value);
    }
    for (let m = isPaired ? 0 : l; m <= l; m += 1) {
      const sum = (m === l ? 1 / at(tips, l) : 0) - (met[m] ?? 0) / at(tips, m);
      addAt(k, g * size + g, -(m === l ? 1 : 2) * pairValue(weights, l, m, sum));
    }
  });
}
