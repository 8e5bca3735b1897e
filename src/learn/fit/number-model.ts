import { ArrowPosterior, addArrow, arrowQuadratic, emptyArrow, traceOfProduct } from "../kernels/arrow.ts";
import { addAt, at, dot } from "../kernels/vector.ts";
import { addPriorPrecision, addPriorShift, type PriorArrays, priorVariance } from "./design.ts";
import {
  addGroupSlopes,
  type Evaluation,
  groupStep,
  type ScaleModel,
  type ScaleStep,
  scalePrior,
} from "./model.ts";
import type { Moments, NumberStats } from "./number-stats.ts";
import type { ScalePrior } from "./prior-table.ts";

/** One class of rows with its noise variance, and how that variance moves with ln σ and ln ω. */
interface NoiseClass {
  readonly moments: Moments;
  readonly variance: number;
  readonly bySigma: number;
  readonly byOmega: number;
}

/**
 * The head of numbers: `y = x'b + u + e`, u shared by the rows of one run. The evidence is exact. The ln scales end
 * with ln σ (noise of a row) and ln ω (of a run).
 */
export class NumberModel implements ScaleModel {
  readonly prior: PriorArrays;
  readonly ln: Float64Array;
  readonly lnSd: Float64Array;
  readonly low = -6;
  readonly high = 1.2;
  readonly #stats: NumberStats;

  constructor(stats: NumberStats, prior: PriorArrays, sigma: ScalePrior, omega: ScalePrior) {
    this.#stats = stats;
    this.prior = prior;
    this.ln = Float64Array.of(...prior.ln, sigma.ln, omega.ln);
    this.lnSd = Float64Array.of(...prior.lnSd, sigma.lnSd, omega.lnSd);
  }

  evaluate(theta: Float64Array, _: unknown, wants: "value" | "slope"): Evaluation | undefined {
    const n = this.prior.mean.length;
    const variance = priorVariance(this.prior, theta);
    const classes = this.#classes(theta);
    const precision = emptyArrow(this.#stats.within.a.shape);
    const shift = new Float64Array(n);
    for (const { moments, variance: noise } of classes) {
      addArrow(precision, moments.a, 1 / noise);
      for (let j = 0; j < n; j += 1) addAt(shift, j, at(moments.c, j) / noise);
    }
    addPriorPrecision(precision, variance);
    addPriorShift(shift, this.prior, variance);
    const posterior = ArrowPosterior.factor(precision);
    if (posterior === undefined) return undefined;
    const mode = posterior.solve(shift);
    const gradient = new Float64Array(theta.length);
    let objective = scalePrior(this, theta, gradient) - 0.5 * posterior.logDeterminant();
    for (let j = 0; j < n; j += 1) {
      const d = at(mode, j) - at(this.prior.mean, j);
      objective -= 0.5 * ((d * d) / at(variance, j) + Math.log(at(variance, j)));
    }
    for (const one of classes) {
      const rss = residuals(one.moments, mode);
      objective -= 0.5 * (rss / one.variance + one.moments.count * Math.log(one.variance));
      if (wants === "slope") addNoiseSlopes(one, rss, posterior, gradient);
    }
    if (wants === "slope") addGroupSlopes(this.prior, theta, { mode, posterior }, gradient);
    return { objective, gradient, mode, posterior };
  }

  /** As the expected information: rows less the degrees of freedom that the effects take. */
  addNoiseCurvature(theta: Float64Array, here: Evaluation, k: Float64Array): void {
    const size = theta.length;
    const [s, o] = [size - 2, size - 1];
    for (const { moments, variance, bySigma, byOmega } of this.#classes(theta)) {
      const taken = traceOfProduct(moments.a, here.posterior.covariance()) / variance;
      const spare = Math.max(0, moments.count - taken);
      const sigma = bySigma / variance;
      const omega = byOmega / variance;
      addAt(k, s * size + s, 2 * spare * sigma * sigma);
      addAt(k, o * size + o, 2 * spare * omega * omega);
      addAt(k, s * size + o, 2 * spare * sigma * omega);
      addAt(k, o * size + s, 2 * spare * sigma * omega);
    }
  }

  /** For the noise by its slope, as if every row told of it alone. */
  step(theta: Float64Array, here: Evaluation): ScaleStep {
    const { step, sharpness } = groupStep(this, theta, here);
    const noise = step.length - 2;
    for (let g = noise; g < step.length; g += 1) sharpness[g] = 1 / at(this.lnSd, g) ** 2;
    for (const { moments, variance, bySigma, byOmega } of this.#classes(theta)) {
      addAt(sharpness, noise, 2 * moments.count * (bySigma / variance) ** 2);
      addAt(sharpness, noise + 1, 2 * moments.count * (byOmega / variance) ** 2);
    }
    for (let g = noise; g < step.length; g += 1) step[g] = at(here.gradient, g) / at(sharpness, g);
    return { step, sharpness };
  }

  #classes(theta: Float64Array): readonly NoiseClass[] {
    const sigma2 = Math.exp(2 * at(theta, theta.length - 2));
    const omega2 = Math.exp(2 * at(theta, theta.length - 1));
    const classes: NoiseClass[] = [
      { moments: this.#stats.within, variance: sigma2, bySigma: sigma2, byOmega: 0 },
    ];
    for (const [weight, moments] of this.#stats.between) {
      const own = sigma2 / weight;
      classes.push({ moments, variance: omega2 + own, bySigma: own, byOmega: omega2 });
    }
    return classes;
  }
}

/** Adds the slopes of a class's part of the log evidence in ln σ and ln ω. */
function addNoiseSlopes(
  { moments, variance, bySigma, byOmega }: NoiseClass,
  rss: number,
  posterior: ArrowPosterior,
  gradient: Float64Array,
): void {
  const trace = traceOfProduct(moments.a, posterior.covariance());
  const slope = (rss + trace) / (variance * variance) - moments.count / variance;
  addAt(gradient, gradient.length - 2, slope * bySigma);
  addAt(gradient, gradient.length - 1, slope * byOmega);
}

/** `Σ (y - x'b)²` at the mode. */
function residuals({ a, c, q }: Moments, mode: Float64Array): number {
  return Math.max(0, q - 2 * dot(c, mode) + arrowQuadratic(a, mode));
}
