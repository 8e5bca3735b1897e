import { type Factor, factorize, inverse, logDeterminant, solve } from "../kernels/cholesky.ts";
import { addAt, at, dot, times } from "../kernels/vector.ts";
import {
  addGram,
  type BinaryData,
  type PriorArrays,
  predictors,
  priorVariance,
  quadratics,
  transposed,
} from "./design.ts";
import { answers } from "./likelihood.ts";
import { addGroupSlopes, type Evaluation, logPriorDensity, type ScaleModel, scalePrior } from "./model.ts";

const MAX_STEPS = 40;

/** The log likelihood and its derivatives in every row's predictor. */
export interface Slopes {
  readonly value: number;
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

  evaluate(theta: Float64Array, start: Float64Array | undefined): Evaluation | undefined {
    const variance = priorVariance(this.prior, theta);
    const found = this.#mode(variance, start ?? this.prior.mean);
    if (found === undefined) return undefined;
    const { mode, slopes, factor } = found;
    const n = mode.length;
    const covariance = inverse(factor);
    const v = quadratics(this.data.rows, covariance, n);
    const u = transposed(
      this.data.rows,
      v.map((value, i) => -value * at(slopes.third, i)),
      n,
    );
    const skew = times(covariance, u);
    const gradient = new Float64Array(theta.length);
    const scales = scalePrior(this, theta, gradient);
    addGroupSlopes(this.prior, theta, { mode, covariance, skew }, gradient);
    const objective =
      slopes.value + logPriorDensity(this.prior, variance, mode) - 0.5 * logDeterminant(factor) + scales;
    return { objective, gradient, mode, covariance, skew };
  }

  /** The likelihood as a quadratic around `b`: curvature (lower triangle) and slope at 0. */
  linearize(b: Float64Array): {
    readonly curvature: Float64Array;
    readonly shift: Float64Array;
    readonly value: number;
  } {
    const { rows } = this.data;
    const n = b.length;
    const slopes = this.slopes(b);
    const curvature = new Float64Array(n * n);
    addGram(rows, slopes.weight, curvature, n);
    const eta = predictors(rows, b);
    const shift = transposed(
      rows,
      slopes.first.map((g, i) => g + at(slopes.weight, i) * at(eta, i)),
      n,
    );
    const value =
      slopes.value -
      dot(slopes.first, eta) -
      0.5 *
        dot(
          slopes.weight.map((w, i) => w * at(eta, i)),
          eta,
        );
    return { curvature, shift, value };
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
    return { value, first, second, third, weight };
  }

  #mode(
    variance: Float64Array,
    start: Float64Array,
  ): { readonly mode: Float64Array; readonly slopes: Slopes; readonly factor: Factor } | undefined {
    let mode: Float64Array = start.slice();
    let slopes = this.slopes(mode);
    for (let step = 0; step < MAX_STEPS; step += 1) {
      const gradient = this.gradient(slopes, variance, mode);
      const factor = this.#factor(slopes.weight, variance);
      if (factor === undefined) return undefined;
      const direction = solve(factor, gradient);
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
    const factor = observed ?? this.#factor(slopes.weight, variance);
    return factor === undefined ? undefined : { mode, slopes, factor };
  }

  /** The slope of the log posterior. */
  gradient(slopes: Slopes, variance: Float64Array, b: Float64Array): Float64Array {
    const gradient = transposed(this.data.rows, slopes.first, b.length);
    for (let j = 0; j < b.length; j += 1) {
      addAt(gradient, j, -(at(b, j) - at(this.prior.mean, j)) / at(variance, j));
    }
    return gradient;
  }

  #factor(weight: Float64Array, variance: Float64Array, strict = false): Factor | undefined {
    const n = variance.length;
    const matrix = new Float64Array(n * n);
    addGram(this.data.rows, weight, matrix, n);
    for (let j = 0; j < n; j += 1) addAt(matrix, j * n + j, 1 / at(variance, j));
    const factor = factorize(matrix, n);
    return strict && factor !== undefined && factor.jitter > 0 ? undefined : factor;
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
