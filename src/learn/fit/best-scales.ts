import { at, clip, dot, times } from "../kernels/vector.ts";
import type { BinaryModel } from "./binary-model.ts";
import type { Evaluation, ScaleModel } from "./model.ts";
import { QuadraticModel } from "./quadratic-model.ts";

export interface BestScales {
  readonly theta: Float64Array;
  readonly best: Evaluation;
  /** The model to ask about scales near the best ones. */
  readonly near: ScaleModel;
}

const MAX_ITERATIONS = 25;

/**
 * The most likely ln scales by BFGS, from `start`. A group with a single effect cannot tell its scale from the
 * effect and keeps its default. Undefined when the posterior cannot be factored even there.
 */
export function bestScales(
  model: ScaleModel,
  start: Float64Array,
  mode: Float64Array | undefined,
): BestScales | undefined {
  const isFree = freeScales(model);
  const size = start.length;
  let theta: Float64Array = start.map((value) => clip(value, model.low, model.high));
  let here = model.evaluate(theta, mode);
  if (here === undefined) return undefined;
  let slope = freeGradient(here, isFree);
  let inverseHessian: Float64Array = diagonal(size, 0.3);
  for (let iteration = 0; iteration < MAX_ITERATIONS; iteration += 1) {
    const direction = times(inverseHessian, slope).map((value) => clip(value, -1, 1));
    const next = lineSearch(model, theta, direction, here, slope);
    if (next === undefined) break;
    const gain = next.there.objective - here.objective;
    const nextSlope = freeGradient(next.there, isFree);
    inverseHessian = updated(inverseHessian, next.theta, theta, slope, nextSlope);
    theta = next.theta;
    here = next.there;
    slope = nextSlope;
    if (gain < 1e-3) break;
  }
  return { theta, best: here, near: model };
}

/**
 * The same for many rows: the likelihood is held at its quadratic around the mode, and each scale moves by a
 * safeguarded step of its own.
 */
export function bestScalesOfMany(
  model: BinaryModel,
  start: Float64Array,
  mode: Float64Array | undefined,
): BestScales | undefined {
  const isFree = freeScales(model);
  let theta: Float64Array = start.slice();
  let at0: Float64Array = mode ?? model.prior.mean;
  let found: BestScales | undefined;
  for (let round = 0; round < 8; round += 1) {
    const near = new QuadraticModel(model, model.linearize(at0));
    const first = near.evaluate(theta);
    if (first === undefined) return found;
    let best = first;
    let moved = 0;
    for (let step = 0; step < 3; step += 1) {
      const next = diagonalStep(near, theta, best, isFree);
      moved = Math.max(...next.map((value, g) => Math.abs(value - at(theta, g))), 0);
      theta = next;
      best = near.evaluate(theta) ?? best;
      if (moved < 0.02) break;
    }
    const shift = Math.max(...best.mode.map((value, j) => Math.abs(value - at(at0, j))), 0);
    at0 = best.mode;
    found = { theta, best, near };
    if (round >= 2 && moved < 0.05 && shift < 0.02) break;
  }
  return found;
}

function diagonalStep(
  model: ScaleModel,
  theta: Float64Array,
  here: Evaluation,
  isFree: readonly boolean[],
): Float64Array {
  const n = here.mode.length;
  const known = new Float64Array(theta.length);
  for (let j = 0; j < n; j += 1) {
    const g = at(model.prior.group, j);
    if (g < 0) continue;
    const variance = at(model.prior.variance, j) + Math.exp(2 * at(theta, g));
    known[g] = at(known, g) + 1 - at(here.covariance, j * n + j) / variance;
  }
  return theta.map((value, g) => {
    if (isFree[g] !== true) return value;
    const curvature = Math.max(0.5, 2 * at(known, g)) + 1 / at(model.lnSd, g) ** 2;
    return clip(value + clip(at(here.gradient, g) / curvature, -0.7, 0.7), model.low, model.high);
  });
}

/** Whether each scale is fitted: groups of two effects or more, and the noise. */
export function freeScales(model: ScaleModel): readonly boolean[] {
  const sizes = new Array<number>(model.ln.length).fill(0);
  for (const g of model.prior.group) if (g >= 0) sizes[g] = (sizes[g] ?? 0) + 1;
  return sizes.map((size, g) => g >= model.prior.groups.length || size > 1);
}

function freeGradient({ gradient }: Evaluation, isFree: readonly boolean[]): Float64Array {
  return gradient.map((value, g) => (isFree[g] === true ? value : 0));
}

function diagonal(size: number, value: number): Float64Array {
  const matrix = new Float64Array(size * size);
  for (let i = 0; i < size; i += 1) matrix[i * size + i] = value;
  return matrix;
}

function lineSearch(
  model: ScaleModel,
  theta: Float64Array,
  direction: Float64Array,
  here: Evaluation,
  slope: Float64Array,
): { readonly theta: Float64Array; readonly there: Evaluation } | undefined {
  const promised = dot(direction, slope);
  if (!(promised > 1e-8)) return undefined;
  for (let length = 1; length > 0.005; length *= 0.4) {
    const next = theta.map((value, g) => clip(value + length * at(direction, g), model.low, model.high));
    const there = model.evaluate(next, here.mode);
    if (there !== undefined && there.objective > here.objective + 1e-4 * length * promised) {
      return { theta: next, there };
    }
  }
  return undefined;
}

/** The BFGS update of the inverse Hessian of minus the objective. */
function updated(
  inverseHessian: Float64Array,
  theta: Float64Array,
  before: Float64Array,
  slopeBefore: Float64Array,
  slope: Float64Array,
): Float64Array {
  const size = theta.length;
  const s = theta.map((value, g) => value - at(before, g));
  const y = slope.map((value, g) => at(slopeBefore, g) - value);
  const sy = dot(s, y);
  if (!(sy > 1e-10)) return inverseHessian;
  const hy = times(inverseHessian, y);
  const factor = (sy + dot(y, hy)) / (sy * sy);
  return inverseHessian.map((value, index) => {
    const i = Math.floor(index / size);
    const j = index % size;
    return value + factor * at(s, i) * at(s, j) - (at(hy, i) * at(s, j) + at(s, i) * at(hy, j)) / sy;
  });
}
