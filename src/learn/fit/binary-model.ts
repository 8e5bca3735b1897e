import { ArrowPosterior, emptyArrow } from "../kernels/arrow.ts";
import { addAt, at, dot } from "../kernels/vector.ts";
import {
  addPriorPrecision,
  type BinaryData,
  type PriorArrays,
  predictors,
  priorVariance,
  transposed,
} from "./design.ts";
import { answers } from "./likelihood.ts";
import {
  addGroupSlopes,
  type Evaluation,
  groupStep,
  logPriorDensity,
  type ScaleModel,
  type ScaleStep,
  scalePrior,
} from "./model.ts";
import type { Quadratic } from "./quadratic-model.ts";
import { addGram, quadratics } from "./row-products.ts";

const MAX_STEPS = 40;

/** The log likelihood and its derivatives in `eta`, every row's predictor. */
export interface Slopes {
  readonly value: number;
  readonly eta: Float64Array;
  readonly first: Float64Array;
  readonly second: Float64Array;
  readonly third: Float64Array;
  readonly weight: Float64Array;
}

/** The head of yes and no answers: Laplace's approximation around the mode, with the skew of the posterior. */
export class BinaryModel implements ScaleModel {
  readonly prior: PriorArrays;
  readonly ln: Float64Array;
  readonly lnSd: Float64Array;
  readonly low = -5;
  readonly high = 1.2;
  readonly data: BinaryData;

  constructor(data: BinaryData, prior: PriorArrays) {
    this.data = data;
    this.prior = prior;
    this.ln = prior.ln;
    this.lnSd = prior.lnSd;
  }

  evaluate(
    theta: Float64Array,
    start: Float64Array | undefined,
    wants: "value" | "slope",
  ): Evaluation | undefined {
    const variance = priorVariance(this.prior, theta);
    const found = this.#mode(variance, start ?? this.prior.mean);
    if (found === undefined) return undefined;
    const { mode, slopes, posterior } = found;
    const skew = posterior.solve(this.tilt(slopes, posterior));
    const gradient = new Float64Array(theta.length);
    const scales = scalePrior(this, theta, gradient);
    if (wants === "slope") addGroupSlopes(this.prior, theta, { mode, posterior, skew }, gradient);
    const objective =
      slopes.value + logPriorDensity(this.prior, variance, mode) - 0.5 * posterior.logDeterminant() + scales;
    return { objective, gradient, mode, posterior, skew };
  }

  addNoiseCurvature(): void {}

  step(theta: Float64Array, here: Evaluation): ScaleStep {
    return groupStep(this, theta, here);
  }

  /** How the third derivative of the likelihood pushes the mean of the posterior away from its mode. */
  tilt(slopes: Slopes, posterior: ArrowPosterior): Float64Array {
    const v = quadratics(this.data.rows, posterior.covariance());
    for (let i = 0; i < v.length; i += 1) v[i] = -at(v, i) * at(slopes.third, i);
    return transposed(this.data.rows, v, this.prior.mean.length);
  }

  /** The likelihood as a quadratic around `b`, whose slopes are given. */
  linearize(b: Float64Array, slopes: Slopes): Quadratic {
    const { rows, shape } = this.data;
    const curvature = emptyArrow(shape);
    addGram(rows, slopes.weight, curvature);
    const { eta, first, weight } = slopes;
    const pull = new Float64Array(rows.count);
    const bent = new Float64Array(rows.count);
    for (let i = 0; i < rows.count; i += 1) {
      bent[i] = at(weight, i) * at(eta, i);
      pull[i] = at(first, i) + at(bent, i);
    }
    const shift = transposed(rows, pull, b.length);
    return { curvature, shift, value: slopes.value - dot(first, eta) - 0.5 * dot(bent, eta) };
  }

  slopes(b: Float64Array): Slopes {
    const { rows, trials, yes, reliability } = this.data;
    const eta = predictors(rows, b);
    const first = new Float64Array(rows.count);
    const second = new Float64Array(rows.count);
    const third = new Float64Array(rows.count);
    const weight = new Float64Array(rows.count);
    let value = 0;
    for (let i = 0; i < rows.count; i += 1) {
      const one = answers(at(eta, i), at(yes, i), at(trials, i), at(reliability, i));
      value += one.value;
      first[i] = one.first;
      second[i] = one.second;
      third[i] = one.third;
      weight[i] = one.weight;
    }
    return { value, eta, first, second, third, weight };
  }

  #mode(
    variance: Float64Array,
    start: Float64Array,
  ):
    | { readonly mode: Float64Array; readonly slopes: Slopes; readonly posterior: ArrowPosterior }
    | undefined {
    let mode: Float64Array = start.slice();
    let slopes = this.slopes(mode);
    for (let step = 0; step < MAX_STEPS; step += 1) {
      const gradient = this.gradient(slopes, variance, mode);
      const factor = this.#factor(slopes.weight, variance);
      if (factor === undefined) return undefined;
      const direction = factor.solve(gradient);
      if (dot(direction, gradient) < 1e-6) break;
      const moved = this.#search(mode, direction, variance, slopes);
      if (moved === undefined) break;
      mode = moved.mode;
      slopes = moved.slopes;
    }
    const observed = this.#factor(
      slopes.second.map((value) => -value),
      variance,
      true,
    );
    const posterior = observed ?? this.#factor(slopes.weight, variance);
    return posterior === undefined ? undefined : { mode, slopes, posterior };
  }

  /** The slope of the log posterior. */
  gradient(slopes: Slopes, variance: Float64Array, b: Float64Array): Float64Array {
    const gradient = transposed(this.data.rows, slopes.first, b.length);
    for (let j = 0; j < b.length; j += 1) {
      addAt(gradient, j, -(at(b, j) - at(this.prior.mean, j)) / at(variance, j));
    }
    return gradient;
  }

  #factor(weight: Float64Array, variance: Float64Array, strict = false): ArrowPosterior | undefined {
    const matrix = emptyArrow(this.data.shape);
    addGram(this.data.rows, weight, matrix);
    addPriorPrecision(matrix, variance);
    const posterior = ArrowPosterior.factor(matrix);
    return strict && posterior !== undefined && posterior.core.jitter > 0 ? undefined : posterior;
  }

  /** Halves the step until the log posterior does not fall. */
  #search(
    mode: Float64Array,
    direction: Float64Array,
    variance: Float64Array,
    slopes: Slopes,
  ): { readonly mode: Float64Array; readonly slopes: Slopes } | undefined {
    const before = slopes.value + logPriorDensity(this.prior, variance, mode);
    for (let length = 1; length > 1e-4; length /= 2) {
      const next = mode.map((value, j) => value + length * at(direction, j));
      const there = this.slopes(next);
      const after = there.value + logPriorDensity(this.prior, variance, next);
      if (after >= before - 1e-10 * Math.abs(before)) return { mode: next, slopes: there };
    }
    return undefined;
  }
}
