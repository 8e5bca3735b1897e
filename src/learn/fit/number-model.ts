import { factorize, inverse, logDeterminant, solve } from "../kernels/cholesky.ts";
import { addAt, at, dot } from "../kernels/vector.ts";
import { addPrior, type PriorArrays, priorVariance } from "./design.ts";
import { addGroupSlopes, type Evaluation, type ScaleModel, scalePrior } from "./model.ts";
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

  evaluate(theta: Float64Array): Evaluation | undefined {
    const n = this.prior.mean.length;
    const variance = priorVariance(this.prior, theta);
    const classes = this.#classes(theta);
    const precision = new Float64Array(n * n);
    const shift = new Float64Array(n);
    for (const { moments, variance: noise } of classes) {
      for (let i = 0; i < precision.length; i += 1) {
        precision[i] = (precision[i] ?? 0) + (moments.a[i] ?? 0) / noise;
      }
      for (let j = 0; j < n; j += 1) addAt(shift, j, at(moments.c, j) / noise);
    }
    addPrior(precision, shift, this.prior, variance);
    const factor = factorize(precision, n);
    if (factor === undefined) return undefined;
    const mode = solve(factor, shift);
    const covariance = inverse(factor);
    const gradient = new Float64Array(theta.length);
    let objective = scalePrior(this, theta, gradient) - 0.5 * logDeterminant(factor);
    for (let j = 0; j < n; j += 1) {
      const d = at(mode, j) - at(this.prior.mean, j);
      objective -= 0.5 * ((d * d) / at(variance, j) + Math.log(at(variance, j)));
    }
    addGroupSlopes(this.prior, theta, { mode, covariance }, gradient);
    for (const one of classes) objective += addClass(one, mode, covariance, gradient);
    return { objective, gradient, mode, covariance };
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

/** The class's part of the log evidence; adds its slopes in ln σ and ln ω. */
function addClass(
  { moments, variance, bySigma, byOmega }: NoiseClass,
  mode: Float64Array,
  covariance: Float64Array,
  gradient: Float64Array,
): number {
  const { rss, trace } = residuals(moments, mode, covariance);
  const slope = (rss + trace) / (variance * variance) - moments.count / variance;
  const last = gradient.length;
  gradient[last - 2] = at(gradient, last - 2) + slope * bySigma;
  gradient[last - 1] = at(gradient, last - 1) + slope * byOmega;
  return -0.5 * (rss / variance + moments.count * Math.log(variance));
}

/** `Σ (y - x'b)²` at the mode and `tr(S A)`. */
function residuals(
  { a, c, q }: Moments,
  mode: Float64Array,
  covariance: Float64Array,
): { readonly rss: number; readonly trace: number } {
  const n = mode.length;
  let quadratic = 0;
  let trace = 0;
  for (let i = 0; i < n; i += 1) {
    const row = i * n;
    const bi = mode[i] ?? 0;
    for (let j = 0; j < i; j += 1) {
      const value = a[row + j] ?? 0;
      quadratic += 2 * value * bi * (mode[j] ?? 0);
      trace += 2 * value * (covariance[row + j] ?? 0);
    }
    quadratic += (a[row + i] ?? 0) * bi * bi;
    trace += (a[row + i] ?? 0) * (covariance[row + i] ?? 0);
  }
  return { rss: Math.max(0, q - 2 * dot(c, mode) + quadratic), trace };
}
