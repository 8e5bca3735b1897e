import { type ArrowMatrix, ArrowPosterior, copyArrow } from "../kernels/arrow.ts";
import { at, dot } from "../kernels/vector.ts";
import { addPriorPrecision, addPriorShift, type PriorArrays, priorVariance } from "./design.ts";
import {
  addGroupSlopes,
  type Evaluation,
  groupStep,
  type ScaleModel,
  type ScaleStep,
  scalePrior,
} from "./model.ts";

/** A likelihood as `value + shift'b - b' curvature b / 2`. */
export interface Quadratic {
  readonly curvature: ArrowMatrix;
  readonly shift: Float64Array;
  readonly value: number;
}

/** A head whose likelihood is held at its quadratic around a point: what many rows leave to do for each scale. */
export class QuadraticModel implements ScaleModel {
  readonly prior: PriorArrays;
  readonly ln: Float64Array;
  readonly lnSd: Float64Array;
  readonly low: number;
  readonly high: number;
  readonly #held: Quadratic;
  /** The skew of the likelihood where it is held. */
  readonly #tilt: Float64Array | undefined;

  constructor(base: ScaleModel, held: Quadratic, tilt?: Float64Array) {
    this.prior = base.prior;
    this.ln = base.ln;
    this.lnSd = base.lnSd;
    this.low = base.low;
    this.high = base.high;
    this.#held = held;
    this.#tilt = tilt;
  }

  evaluate(theta: Float64Array, _: unknown, wants: "value" | "slope"): Evaluation | undefined {
    const variance = priorVariance(this.prior, theta);
    const precision = copyArrow(this.#held.curvature);
    addPriorPrecision(precision, variance);
    const shift = this.#held.shift.slice();
    addPriorShift(shift, this.prior, variance);
    const posterior = ArrowPosterior.factor(precision);
    if (posterior === undefined) return undefined;
    const mode = posterior.solve(shift);
    const gradient = new Float64Array(theta.length);
    let objective = this.#held.value + scalePrior(this, theta, gradient) - 0.5 * posterior.logDeterminant();
    for (let j = 0; j < variance.length; j += 1) {
      objective -= 0.5 * (at(this.prior.mean, j) ** 2 / at(variance, j) + Math.log(at(variance, j)));
    }
    objective += 0.5 * dot(shift, mode);
    if (wants === "slope") addGroupSlopes(this.prior, theta, { mode, posterior }, gradient);
    const skew = this.#tilt === undefined ? {} : { skew: posterior.solve(this.#tilt) };
    return { objective, gradient, mode, posterior, ...skew };
  }

  addNoiseCurvature(): void {}

  step(theta: Float64Array, here: Evaluation): ScaleStep {
    return groupStep(this, theta, here);
  }
}
