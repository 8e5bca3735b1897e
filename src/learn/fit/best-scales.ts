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
/** Nats of evidence below which a step is not worth another. */
const MIN_GAIN = 0.1;
const MAX_HELD = 7;
const HELD_ITERATIONS = 4;
/** Steps that follow the effects before the search learns the curvature. */
const ASKED_STEPS = 3;

/**
 * The most likely ln scales, from `start`. A group with a single effect cannot tell its scale from the
 * effect and keeps its default. Undefined when the posterior cannot be factored even there.
 */
export function bestScales(
  model: ScaleModel,
  start: Float64Array,
  mode: Float64Array | undefined,
): BestScales | undefined {
  const from = start.map((value) => clip(value, model.low, model.high));
  const here = model.evaluate(from, mode, "slope");
  return here === undefined ? undefined : climb(model, { theta: from, here }, MAX_ITERATIONS);
}

/**
 * The same for many rows: the likelihood is held at its quadratic around the mode, the scales climb on that, and
 * again around the new mode.
 */
export function bestScalesOfMany(
  model: BinaryModel,
  start: Float64Array,
  mode: Float64Array | undefined,
): BestScales | undefined {
  let theta: Float64Array = start.map((value) => clip(value, model.low, model.high));
  let around: Float64Array = mode ?? model.prior.mean;
  let found: BestScales | undefined;
  for (let round = 0; round < MAX_HELD; round += 1) {
    const near = new QuadraticModel(model, model.linearize(around, model.slopes(around)));
    // Far from the mode the quadratic says little about the scales: only the mode moves.
    const isFar = mode === undefined && round < 2;
    const here = near.evaluate(theta, undefined, isFar ? "value" : "slope");
    if (here === undefined) return found;
    const next = isFar ? { theta, best: here, near } : climb(near, { theta, here }, HELD_ITERATIONS);
    const moved = largestGap(next.theta, theta);
    const shift = largestGap(next.best.mode, around);
    theta = next.theta;
    around = next.best.mode;
    found = next;
    if (!isFar && (moved < 0.05 || next.best.objective - here.objective < MIN_GAIN) && shift < 0.02) break;
  }
  return found === undefined ? undefined : tilted(model, found);
}

/** Holds the likelihood at its mode once more, now with its skew. */
function tilted(model: BinaryModel, { theta, best }: BestScales): BestScales | undefined {
  const slopes = model.slopes(best.mode);
  const near = new QuadraticModel(
    model,
    model.linearize(best.mode, slopes),
    model.tilt(slopes, best.posterior),
  );
  const again = near.evaluate(theta, undefined, "value");
  return again === undefined ? undefined : { theta, best: again, near };
}

function largestGap(a: Float64Array, b: Float64Array): number {
  let most = 0;
  for (let j = 0; j < a.length; j += 1) most = Math.max(most, Math.abs(at(a, j) - at(b, j)));
  return most;
}

/** Steps up the evidence: first where the effects ask the scales to go, then quasi-Newton ones. */
function climb(
  model: ScaleModel,
  from: { readonly theta: Float64Array; readonly here: Evaluation },
  iterations: number,
): BestScales {
  const isFree = freeScales(model);
  let { theta, here } = from;
  let slope = onlyFree(here.gradient, isFree);
  let inverseHessian: Float64Array = new Float64Array();
  for (let iteration = 0; iteration < iterations; iteration += 1) {
    const isAsked = iteration < ASKED_STEPS;
    const asked = isAsked ? model.step(theta, here) : undefined;
    if (asked !== undefined) inverseHessian = diagonal(asked.sharpness.map((value) => 1 / value));
    const steps = asked === undefined ? times(inverseHessian, slope) : onlyFree(asked.step, isFree);
    const direction = steps.map((value) => clip(value, -1, 1));
    const next = lineSearch(model, theta, direction, here, slope);
    if (next === undefined) break;
    const gain = next.there.objective - here.objective;
    const nextSlope = onlyFree(next.there.gradient, isFree);
    inverseHessian = updated(inverseHessian, next.theta, theta, slope, nextSlope);
    theta = next.theta;
    here = next.there;
    slope = nextSlope;
    if (gain < MIN_GAIN) break;
  }
  return { theta, best: here, near: model };
}

/** Whether each scale is fitted: groups of two effects or more, and the noise. */
export function freeScales(model: ScaleModel): readonly boolean[] {
  const sizes = new Array<number>(model.ln.length).fill(0);
  for (const g of model.prior.group) if (g >= 0) sizes[g] = (sizes[g] ?? 0) + 1;
  return sizes.map((size, g) => g >= model.prior.groups.length || size > 1);
}

function onlyFree(values: Float64Array, isFree: readonly boolean[]): Float64Array {
  return values.map((value, g) => (isFree[g] === true ? value : 0));
}

function diagonal(values: Float64Array): Float64Array {
  const size = values.length;
  const matrix = new Float64Array(size * size);
  for (let i = 0; i < size; i += 1) matrix[i * size + i] = at(values, i);
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
    const there = model.evaluate(next, here.mode, "slope");
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
