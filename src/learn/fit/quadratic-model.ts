import { factorize, inverse, logDeterminant, solve } from "../kernels/cholesky.ts";
import { at, dot } from "../kernels/vector.ts";
import { addPrior, type PriorArrays, priorVariance } from "./design.ts";
import { addGroupSlopes, type Evaluation, type ScaleModel, scalePrior } from "./model.ts";

/** A head whose likelihood is held at its quadratic around a point: what many rows leave to do for each scale. */
export class QuadraticModel implements ScaleModel {
  readonly prior: PriorArrays;
  readonly ln: Float64Array;
  readonly lnSd: Float64Array;
  readonly low: number;
  readonly high: number;
  readonly #curvature: Float64Array;
  readonly #shift: Float64Array;
  readonly #value: number;

  constructor(
    base: ScaleModel,
    held: { readonly curvature: Float64Array; readonly shift: Float64Array; readonly value: number },
  ) {
    this.prior = base.prior;
    this.ln = base.ln;
    this.lnSd = base.lnSd;
    this.low = base.low;
    this.high = base.high;
    this.#curvature = held.curvature;
    this.#shift = held.shift;
    this.#value = held.value;
  }

  evaluate(theta: Float64Array): Evaluation | undefined {
    const n = this.#shift.length;
    const variance = priorVariance(this.prior, theta);
    const precision = this.#curvature.slice();
    const shift = this.#shift.slice();
    addPrior(precision, shift, this.prior, variance);
    const factor = factorize(precision, n);
    if (factor === undefined) return undefined;
    const mode = solve(factor, shift);
    const covariance = inverse(factor);
    const gradient = new Float64Array(theta.length);
    let objective = this.#value + scalePrior(this, theta, gradient) - 0.5 * logDeterminant(factor);
    for (let j = 0; j < n; j += 1) {
      objective -= 0.5 * (at(this.prior.mean, j) ** 2 / at(variance, j) + Math.log(at(variance, j)));
    }
    objective += 0.5 * dot(shift, mode);
    addGroupSlopes(this.prior, theta, { mode, covariance }, gradient);
    return { objective, gradient, mode, covariance };
  }
}
