import type { ArrowPosterior } from "../kernels/arrow.ts";
import { addAt, at, clip } from "../kernels/vector.ts";
import { type PriorArrays, priorVariance } from "./design.ts";

/** A head at given scales: its most likely effects, how sure they are, and how likely the scales are. */
export interface Evaluation {
  /** Log evidence of the scales, with their prior; constants dropped. */
  readonly objective: number;
  /** Zeros unless it was asked for. */
  readonly gradient: Float64Array;
  readonly mode: Float64Array;
  readonly posterior: ArrowPosterior;
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
  evaluate(
    theta: Float64Array,
    start: Float64Array | undefined,
    wants: "value" | "slope",
  ): Evaluation | undefined;
  /** Adds the curvature of minus the log evidence in the scales beyond the groups' to a square matrix of all. */
  addNoiseCurvature(theta: Float64Array, here: Evaluation, k: Float64Array): void;
  /** See `groupStep`. */
  step(theta: Float64Array, here: Evaluation): ScaleStep;
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
  { mode, posterior, skew }: Pick<Evaluation, "mode" | "posterior" | "skew">,
  gradient: Float64Array,
): void {
  const n = mode.length;
  const variance = priorVariance(prior, theta);
  const spread = posterior.variances();
  for (let j = 0; j < n; j += 1) {
    const g = at(prior.group, j);
    if (g < 0) continue;
    const t = at(variance, j);
    const share = Math.exp(2 * at(theta, g)) / t;
    const d = at(mode, j) - at(prior.mean, j);
    const moved = skew === undefined ? 0 : at(skew, j) * d;
    const slope = share * ((d * d + at(spread, j) - moved) / t - 1);
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

export interface ScaleStep {
  readonly step: Float64Array;
  /** How fast the slope of the evidence falls at the end of the step, roughly. */
  readonly sharpness: Float64Array;
}

/**
 * Where each group's ln scale would go if the effects stayed where they are: the scale that their squares ask for,
 * by the degrees of freedom that the data give them, held back by its own prior. Close to the best scales when far.
 */
export function groupStep(
  { prior, ln, lnSd }: Pick<ScaleModel, "prior" | "ln" | "lnSd">,
  theta: Float64Array,
  { mode, posterior, skew }: Evaluation,
): ScaleStep {
  const variance = priorVariance(prior, theta);
  const spread = posterior.variances();
  const known = new Float64Array(theta.length);
  const squares = new Float64Array(theta.length);
  for (let j = 0; j < variance.length; j += 1) {
    const g = at(prior.group, j);
    if (g < 0) continue;
    const t = at(variance, j);
    const share = Math.exp(2 * at(theta, g)) / t;
    const d = at(mode, j) - at(prior.mean, j);
    addAt(known, g, share * (1 - at(spread, j) / t));
    addAt(squares, g, (share * (d * d - (skew === undefined ? 0 : at(skew, j) * d))) / t);
  }
  const sharpness = known.map((count, g) => Math.max(0.5, 2 * count) + 1 / at(lnSd, g) ** 2);
  const step = known.map((count, g) => {
    const precision = 1 / at(lnSd, g) ** 2;
    const pull = (at(theta, g) - at(ln, g)) * precision;
    let way = 0;
    for (let i = 0; i < 8; i += 1) {
      const asked = Math.max(0, at(squares, g)) * Math.exp(-2 * way);
      const slope = asked - count - pull - precision * way;
      way += clip(slope / (2 * Math.max(asked, 0.5 * count) + precision), -0.5, 0.5);
    }
    return way;
  });
  return { step, sharpness };
}
