import { type Factor, factorize, solveUpper } from "../kernels/cholesky.ts";
import { normalQuantile } from "../kernels/normal.ts";
import { addAt, at, clip } from "../kernels/vector.ts";
import { type BestScales, freeScales } from "./best-scales.ts";
import type { Evaluation, ScaleModel } from "./model.ts";
import { scaleCurvature } from "./scale-curvature.ts";

/** One vector of scales with its weight and what the head believes under it. */
export interface ScalePoint {
  readonly weight: number;
  readonly theta: Float64Array;
  readonly evaluation: Evaluation;
}

const MAX_SAMPLED = 24;

/**
 * Point m of an antithetic sequence that fills the unit cube evenly, as standard normal numbers: the generalized
 * golden ratio of the dimension gives the steps.
 */
export function sequencePoint(m: number, dimensions: number): Float64Array {
  const k = Math.floor(m / 2) + 1;
  const sign = m % 2 === 0 ? 1 : -1;
  return uniformPoint(k, dimensions).map((u) => sign * normalQuantile(0.001 + 0.998 * u));
}

export function uniformPoint(k: number, dimensions: number): Float64Array {
  let ratio = 2;
  for (let i = 0; i < 60; i += 1) ratio = (1 + ratio) ** (1 / (dimensions + 1));
  return Float64Array.from({ length: dimensions }, (_, g) => (0.5 + k * ratio ** -(g + 1)) % 1);
}

/** `count` vectors of scales drawn evenly from their posterior, with weights that correct its normal shape. */
export function scalePoints({ theta, best, near }: BestScales, count: number): readonly ScalePoint[] {
  const isFree = freeScales(near);
  const free = isFree.flatMap((yes, g) => (yes ? [g] : []));
  const sampled = free.slice(-MAX_SAMPLED);
  const curvature = curvatureFactor(near, theta, best, sampled);
  const points = Array.from({ length: count }, (_, m) => {
    const z = sequencePoint(m, sampled.length);
    const step = solveUpper(curvature, z);
    const moved = theta.slice();
    sampled.forEach((g, i) => {
      moved[g] = clip(at(theta, g) + at(step, i), near.low, near.high);
    });
    const evaluation = near.evaluate(moved, best.mode, "value");
    const squares = z.reduce((sum, value) => sum + value * value, 0);
    return evaluation === undefined
      ? undefined
      : { theta: moved, evaluation, logWeight: evaluation.objective + 0.5 * squares };
  }).filter((point) => point !== undefined);
  const weights = cappedWeights(points.map(({ logWeight }) => logWeight));
  return points.map(({ theta: moved, evaluation }, m) => ({
    theta: moved,
    evaluation,
    weight: at(weights, m),
  }));
}

/** Normalized weights, none above √count times the mean. */
export function cappedWeights(logWeights: readonly number[]): Float64Array {
  const most = Math.max(...logWeights);
  const raw = Float64Array.from(logWeights, (value) => Math.exp(value - most));
  const normalize = (values: Float64Array): Float64Array => {
    const total = values.reduce((sum, value) => sum + value, 0);
    return values.map((value) => value / total);
  };
  const cap = 1 / Math.sqrt(Math.max(1, logWeights.length));
  return normalize(normalize(raw).map((value) => Math.min(value, cap)));
}

/** The factor of the curvature of minus the log evidence in the sampled scales, made positive definite. */
function curvatureFactor(
  model: ScaleModel,
  theta: Float64Array,
  best: Evaluation,
  sampled: readonly number[],
): Factor {
  const full = scaleCurvature(model, theta, best);
  const size = sampled.length;
  const all = theta.length;
  const k = new Float64Array(size * size);
  sampled.forEach((g, i) => {
    sampled.forEach((h, j) => {
      k[i * size + j] = at(full, g * all + h);
    });
    k[i * size + i] = Math.max(at(k, i * size + i), 1 / 0.9 ** 2);
  });
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const factor = factorize(k, size);
    if (factor !== undefined && factor.jitter === 0) return factor;
    for (let i = 0; i < size; i += 1) addAt(k, i * size + i, 0.2 * (1 + attempt));
  }
  throw new RangeError("the curvature of the scales has no factor");
}
