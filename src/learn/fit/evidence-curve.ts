import { ArrowPosterior, emptyArrow } from "../kernels/arrow.ts";
import { coreSize } from "../kernels/arrow-shape.ts";
import { naturalSpline } from "../kernels/spline.ts";
import { addAt, at, clip, dot } from "../kernels/vector.ts";
import type { Distance, Estimate } from "../ranges/any-size.ts";
import type { Term } from "../rows/terms.ts";
import type { BestScales } from "./best-scales.ts";
import type { BinaryModel } from "./binary-model.ts";
import { addPriorPrecision, priorVariance } from "./design.ts";
import { logPriorDensity } from "./model.ts";
import { addGram } from "./row-products.ts";
import type { NodeList } from "./row-store.ts";

/** How far the data are from every supposed value of a sum of effects, with the skew that few rows have. */
export type EvidenceCurves = (terms: readonly Term[], given: Estimate) => Distance | undefined;

/** Above so many rows the normal form is as good. */
export const MAX_CURVE_ROWS = 500;
/** Places on either side of the middle, and their distance in standard deviations. */
const SIDE = 5;
const SPACING = 0.75;
/** Holds the effect where it is supposed to be. */
const HELD_PRECISION = 1e6;
const MAX_STEPS = 6;
/** Keeps the places within reach of effects that occur. */
const EFFECT_VARIANCE = 1.5 ** 2;
const MIN_PRECISION = 0.02;

/** Under the best scales of a fit. `spread` of the estimate brings in how unsure the scales are. */
export function evidenceCurves(model: BinaryModel, nodes: NodeList, found: BestScales): EvidenceCurves {
  const { theta, best } = found;
  const n = nodes.ids.length;
  const variance = priorVariance(model.prior, theta);
  return (terms, given) => {
    const direction = new Float64Array(n);
    for (const [id, value] of terms) {
      const j = nodes.index.get(id);
      if (j === undefined || j < nodes.leaves) return undefined;
      addAt(direction, j, value);
    }
    const moved = best.posterior.solve(direction);
    const posterior = dot(direction, moved);
    const prior = direction.reduce((sum, value, j) => sum + value * value * at(variance, j), 0);
    const precision = Math.max(MIN_PRECISION, 1 / posterior - 1 / prior);
    const center = direction.reduce((sum, value, j) => sum + value * at(model.prior.mean, j), 0);
    const placeVariance = 1 / (precision + 1 / EFFECT_VARIANCE);
    const middle = placeVariance * precision * given.estimate;
    const step = SPACING * Math.sqrt(placeVariance);
    const estimate = dot(direction, best.mode);
    const values = Array.from({ length: 2 * SIDE + 1 }, (_, i) => {
      const place = middle + (i - SIDE) * step;
      const start = best.mode.map((value, j) => value + (at(moved, j) * (place - estimate)) / posterior);
      return heldEvidence(model, variance, start, { direction, place }) + (place - center) ** 2 / (2 * prior);
    });
    const widening = clip(given.error * Math.sqrt(precision), 0.89, 2);
    return signedRoot(middle - SIDE * step, step, values, precision, widening);
  };
}

interface Held {
  readonly direction: Float64Array;
  readonly place: number;
}

/** The log evidence with the sum of effects held at a place; constants dropped. */
function heldEvidence(model: BinaryModel, variance: Float64Array, start: Float64Array, held: Held): number {
  const { direction, place } = held;
  let mode: Float64Array = start;
  let slopes = model.slopes(mode);
  for (let round = 0; ; round += 1) {
    const precision = emptyArrow(model.data.shape);
    addGram(model.data.rows, slopes.weight, precision);
    addPriorPrecision(precision, variance);
    const { leaves } = precision.shape;
    const p = coreSize(precision.shape);
    const gradient = model.gradient(slopes, variance, mode);
    const away = dot(direction, mode) - place;
    for (let i = leaves; i < direction.length; i += 1) {
      const own = HELD_PRECISION * at(direction, i);
      if (own === 0) continue;
      addAt(gradient, i, -own * away);
      for (let j = leaves; j <= i; j += 1) {
        addAt(precision.core, (i - leaves) * p + j - leaves, own * at(direction, j));
      }
    }
    const posterior = ArrowPosterior.factor(precision);
    if (posterior === undefined) return Number.NEGATIVE_INFINITY;
    const move = posterior.solve(gradient);
    if (round === MAX_STEPS || dot(move, gradient) < 1e-6) {
      return slopes.value + logPriorDensity(model.prior, variance, mode) - 0.5 * posterior.logDeterminant();
    }
    mode = mode.map((value, j) => value + at(move, j));
    slopes = model.slopes(mode);
  }
}

/** `±√(2 (most - curve))`, plus left of the most likely effect. Beyond the places the curve goes on as a parabola. */
function signedRoot(
  start: number,
  step: number,
  values: readonly number[],
  precision: number,
  widening: number,
): Distance | undefined {
  if (!values.every(Number.isFinite)) return undefined;
  const spline = naturalSpline(start, step, values);
  const curve = (x: number): number => {
    const inside = clip(x, spline.start, spline.end);
    const beyond = x - inside;
    return spline.valueAt(inside) + spline.slopeAt(inside) * beyond - 0.5 * precision * beyond * beyond;
  };
  const peak = highest(curve, spline.start - 4 * step, spline.end + 4 * step);
  const most = curve(peak);
  return (effect) => (Math.sign(peak - effect) * Math.sqrt(2 * Math.max(0, most - curve(effect)))) / widening;
}

/** The place of the highest value: on a grid, then by golden section around it. */
function highest(f: (x: number) => number, from: number, to: number): number {
  const count = 160;
  const width = (to - from) / count;
  let best = from;
  for (let i = 1; i <= count; i += 1) if (f(from + i * width) > f(best)) best = from + i * width;
  let low = best - width;
  let high = best + width;
  const ratio = (Math.sqrt(5) - 1) / 2;
  for (let i = 0; i < 40; i += 1) {
    const a = high - ratio * (high - low);
    const b = low + ratio * (high - low);
    if (f(a) < f(b)) low = a;
    else high = b;
  }
  return (low + high) / 2;
}
