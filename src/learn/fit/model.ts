import { at } from "../kernels/vector.ts";
import { type PriorArrays, priorVariance } from "./design.ts";

/** A head at given scales: its most likely effects, how sure they are, and how likely the scales are. */
export interface Evaluation {
  /** Log evidence of the scales, with their prior; constants dropped. */
  readonly objective: number;
  readonly gradient: Float64Array;
  readonly mode: Float64Array;
  readonly covariance: Float64Array;
  /** `S u`: minus half of it is the first-order difference between posterior mean and mode. */
  readonly skew?: Float64Array;
}

/**
 * A head as a function of its ln scales: one per group, for number heads then ln σ and ln ω. Undefined where the
 * posterior cannot be factored.
 */
export interface ScaleModel {
  readonly prior: PriorArrays;
  /** Prior of all scales, the noise included. */
  readonly ln: Float64Array;
  readonly lnSd: Float64Array;
  readonly low: number;
  readonly high: number;
  evaluate(theta: Float64Array, start: Float64Array | undefined): Evaluation | undefined;
}

/** Log prior of the scales and, added to `gradient`, its slope. */
export function scalePrior(
  model: Pick<ScaleModel, "ln" | "lnSd">,
  theta: Float64Array,
  gradient: Float64Array,
): number {
  let value = 0;
  for (let g = 0; g < theta.length; g += 1) {
    const z = (at(theta, g) - at(model.ln, g)) / at(model.lnSd, g);
    value -= 0.5 * z * z;
    gradient[g] = at(gradient, g) - z / at(model.lnSd, g);
  }
  return value;
}

/** Adds the slope of the log evidence in the groups' ln scales. */
export function addGroupSlopes(
  prior: PriorArrays,
  theta: Float64Array,
  { mode, covariance, skew }: Pick<Evaluation, "mode" | "covariance" | "skew">,
  gradient: Float64Array,
): void {
  const n = mode.length;
  const variance = priorVariance(prior, theta);
  for (let j = 0; j < n; j += 1) {
    const g = at(prior.group, j);
    if (g < 0) continue;
    const t = at(variance, j);
    const share = Math.exp(2 * at(theta, g)) / t;
    const d = at(mode, j) - at(prior.mean, j);
    const moved = skew === undefined ? 0 : at(skew, j) * d;
    const slope = share * ((d * d + at(covariance, j * n + j) - moved) / t - 1);
    gradient[g] = at(gradient, g) + slope;
  }
}

/** `-½ Σ (b-μ)²/T - ½ Σ ln T`. */
export function logPriorDensity(prior: PriorArrays, variance: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < b.length; j += 1) {
    const d = at(b, j) - at(prior.mean, j);
    sum -= 0.5 * ((d * d) / at(variance, j) + Math.log(at(variance, j)));
  }
  return sum;
}
