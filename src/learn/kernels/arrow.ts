import {
  crowdedProduct,
  eliminateCrowded,
  eliminateSparse,
  isCrowded,
  sparseProduct,
} from "./arrow-products.ts";
import { type ArrowShape, coreSize } from "./arrow-shape.ts";
import {
  addRankOne,
  type Factor,
  factorize,
  inverse,
  logDeterminant,
  solve,
  solveUpperInPlace,
  widened,
} from "./cholesky.ts";
import { addAt, at } from "./vector.ts";

/** A symmetric matrix of that shape: the leaves' diagonal, their meetings, and the core's lower triangle by rows. */
export interface ArrowMatrix {
  readonly shape: ArrowShape;
  readonly tips: Float64Array;
  readonly arms: Float64Array;
  readonly core: Float64Array;
}

export function emptyArrow(shape: ArrowShape): ArrowMatrix {
  const p = coreSize(shape);
  return {
    shape,
    tips: new Float64Array(shape.leaves),
    arms: new Float64Array(shape.columns.length),
    core: new Float64Array(p * p),
  };
}

export function copyArrow({ shape, tips, arms, core }: ArrowMatrix): ArrowMatrix {
  return { shape, tips: tips.slice(), arms: arms.slice(), core: core.slice() };
}

/** Adds `factor` times `from` to `to`, both of one shape. */
export function addArrow(to: ArrowMatrix, from: ArrowMatrix, factor: number): void {
  addScaled(to.tips, from.tips, factor);
  addScaled(to.arms, from.arms, factor);
  addScaled(to.core, from.core, factor);
}

function addScaled(to: Float64Array, from: Float64Array, factor: number): void {
  for (let i = 0; i < to.length; i += 1) to[i] = (to[i] ?? 0) + factor * (from[i] ?? 0);
}

/**
 * A normal distribution by its precision, factored: `L L'` of the core once the leaves are eliminated. What takes
 * long to work out is worked out when it is asked for.
 */
export class ArrowPosterior {
  readonly shape: ArrowShape;
  readonly tips: Float64Array;
  readonly arms: Float64Array;
  readonly core: Factor;
  #covariance: ArrowMatrix | undefined;
  #coreCovariance: Float64Array | undefined;

  constructor(shape: ArrowShape, tips: Float64Array, arms: Float64Array, core: Factor) {
    this.shape = shape;
    this.tips = tips;
    this.arms = arms;
    this.core = core;
  }

  /** Undefined when the matrix is not positive definite. Takes the matrix's arrays as its own. */
  static factor({ shape, tips, arms, core }: ArrowMatrix): ArrowPosterior | undefined {
    for (const tip of tips) if (!(tip > 0)) return undefined;
    if (isCrowded(shape)) eliminateCrowded(shape, tips, arms, core);
    else eliminateSparse(shape, tips, arms, core);
    const factor = factorize(core, coreSize(shape));
    return factor === undefined ? undefined : new ArrowPosterior(shape, tips, arms, factor);
  }

  logDeterminant(): number {
    let sum = logDeterminant(this.core);
    for (const tip of this.tips) sum += Math.log(tip);
    return sum;
  }

  /** `S b`. */
  solve(b: Float64Array): Float64Array {
    const { leaves } = this.shape;
    const x = new Float64Array(b.length);
    x.set(solve(this.core, this.#toCore(b)), leaves);
    for (let l = 0; l < leaves; l += 1) x[l] = (at(b, l) - this.#armsTimes(l, x)) / at(this.tips, l);
    return x;
  }

  /** A vector whose quadratic form in the core's covariance, plus `Σ b_l²/tip_l`, is that of `b`. */
  #toCore(b: Float64Array): Float64Array {
    const { shape } = this;
    const y = b.slice(shape.leaves);
    for (let l = 0; l < shape.leaves; l += 1) {
      const share = at(b, l) / at(this.tips, l);
      if (share === 0) continue;
      const end = shape.start[l + 1] ?? 0;
      for (let a = shape.start[l] ?? 0; a < end; a += 1) {
        addAt(y, shape.columns[a] ?? 0, -share * (this.arms[a] ?? 0));
      }
    }
    return y;
  }

  #armsTimes(l: number, x: Float64Array): number {
    const { arms, shape } = this;
    const { columns, leaves, start } = shape;
    const end = start[l + 1] ?? 0;
    let sum = 0;
    for (let a = start[l] ?? 0; a < end; a += 1) sum += (arms[a] ?? 0) * (x[leaves + (columns[a] ?? 0)] ?? 0);
    return sum;
  }

  /** Turns independent standard normal numbers into a draw around 0, in place. */
  draw(z: Float64Array): void {
    const { leaves } = this.shape;
    solveUpperInPlace(this.core, z.subarray(leaves));
    for (let l = 0; l < leaves; l += 1) {
      const tip = at(this.tips, l);
      z[l] = at(z, l) / Math.sqrt(tip) - this.#armsTimes(l, z) / tip;
    }
  }

  /** `x' S x` of a sparse vector. */
  quadratic(columns: ArrayLike<number>, values: ArrayLike<number>): number {
    const x = new Float64Array(this.shape.size);
    let sum = 0;
    for (let k = 0; k < columns.length; k += 1) addAt(x, at(columns, k), at(values, k));
    for (let l = 0; l < this.shape.leaves; l += 1) sum += at(x, l) ** 2 / at(this.tips, l);
    const y = this.#toCore(x);
    const used: number[] = [];
    for (let j = 0; j < y.length; j += 1) if (at(y, j) !== 0) used.push(j);
    const s = this.coreCovariance();
    for (const i of used) {
      for (const j of used) sum += at(y, i) * at(y, j) * (s[i * y.length + j] ?? 0);
    }
    return sum;
  }

  /**
   * A copy of another shape that has room for more, with further core columns of these precisions. When this one is
   * given up, the copy takes what is large enough already.
   */
  widened(shape: ArrowShape, precisions: ArrayLike<number>, isGivenUp = false): ArrowPosterior {
    const core = isGivenUp && precisions.length === 0 ? this.core : widened(this.core, precisions);
    const tips = isGivenUp ? this.tips : this.tips.slice();
    if (shape.columns === this.shape.columns) {
      return new ArrowPosterior(shape, tips, isGivenUp ? this.arms : this.arms.slice(), core);
    }
    const arms = new Float64Array(shape.columns.length);
    const known = this.shape;
    let copied = 0;
    for (let l = 0; l < shape.leaves; l += 1) {
      const [begin, end] = [at(known.start, l), at(known.start, l + 1)];
      const place = at(shape.start, l);
      // A leaf with no more meetings than before has the same ones, and moves with its neighbors.
      if (at(shape.start, l + 1) - place === end - begin) continue;
      arms.set(this.arms.subarray(copied, begin), place - (begin - copied));
      let to = place;
      for (let a = begin; a < end; a += 1) {
        while (shape.columns[to] !== known.columns[a]) to += 1;
        arms[to] = this.arms[a] ?? 0;
      }
      copied = end;
    }
    arms.set(this.arms.subarray(copied), arms.length - (this.arms.length - copied));
    return new ArrowPosterior(shape, tips, arms, core);
  }

  /** Adds `weight x x'` to the precision, in place. The shape must have room for it. */
  addRow(x: Float64Array, weight: number): void {
    const { shape } = this;
    this.#covariance = undefined;
    this.#coreCovariance = undefined;
    const y = x.slice(shape.leaves);
    let scale = weight;
    for (let l = 0; l < shape.leaves; l += 1) {
      const value = x[l] ?? 0;
      if (value === 0) continue;
      const tip = at(this.tips, l);
      const grown = tip + weight * value * value;
      scale = (weight * tip) / grown;
      const end = shape.start[l + 1] ?? 0;
      for (let a = shape.start[l] ?? 0; a < end; a += 1) {
        const place = shape.columns[a] ?? 0;
        const met = x[shape.leaves + place] ?? 0;
        y[place] = met - (value / tip) * (this.arms[a] ?? 0);
        this.arms[a] = (this.arms[a] ?? 0) + weight * value * met;
      }
      this.tips[l] = grown;
    }
    const root = Math.sqrt(scale);
    addRankOne(
      this.core,
      y.map((one) => root * one),
    );
  }

  /** The covariance of the core, both triangles. */
  coreCovariance(): Float64Array {
    this.#coreCovariance ??= inverse(this.core);
    return this.#coreCovariance;
  }

  variances(): Float64Array {
    const { tips, core } = this.covariance();
    const p = coreSize(this.shape);
    const all = new Float64Array(this.shape.size);
    all.set(tips);
    for (let j = 0; j < p; j += 1) all[this.shape.leaves + j] = at(core, j * p + j);
    return all;
  }

  /** The covariance where the precision has entries. */
  covariance(): ArrowMatrix {
    this.#covariance ??= this.#computeCovariance();
    return this.#covariance;
  }

  #computeCovariance(): ArrowMatrix {
    const { shape } = this;
    const core = this.coreCovariance();
    const tips = new Float64Array(shape.leaves);
    const arms = isCrowded(shape)
      ? crowdedProduct(shape, this.arms, core)
      : sparseProduct(shape, this.arms, core);
    for (let l = 0; l < shape.leaves; l += 1) {
      const tip = at(this.tips, l);
      const end = shape.start[l + 1] ?? 0;
      let square = 0;
      for (let a = shape.start[l] ?? 0; a < end; a += 1) {
        square += (arms[a] ?? 0) * (this.arms[a] ?? 0);
        arms[a] = -(arms[a] ?? 0) / tip;
      }
      tips[l] = 1 / tip + square / (tip * tip);
    }
    return { shape, tips, arms, core };
  }
}

/** `tr(A S)` where the two have one shape. */
export function traceOfProduct(a: ArrowMatrix, s: ArrowMatrix): number {
  const p = coreSize(a.shape);
  let sum = 0;
  for (let l = 0; l < a.tips.length; l += 1) sum += (a.tips[l] ?? 0) * (s.tips[l] ?? 0);
  let twice = 0;
  for (let i = 0; i < a.arms.length; i += 1) twice += (a.arms[i] ?? 0) * (s.arms[i] ?? 0);
  for (let i = 0; i < p; i += 1) {
    const row = i * p;
    for (let j = 0; j < i; j += 1) twice += (a.core[row + j] ?? 0) * (s.core[row + j] ?? 0);
    sum += (a.core[row + i] ?? 0) * (s.core[row + i] ?? 0);
  }
  return sum + 2 * twice;
}

/** `x' A x`. */
export function arrowQuadratic(a: ArrowMatrix, x: Float64Array): number {
  const { shape } = a;
  const p = coreSize(shape);
  let sum = 0;
  for (let l = 0; l < shape.leaves; l += 1) {
    const value = x[l] ?? 0;
    const end = shape.start[l + 1] ?? 0;
    let met = 0.5 * (a.tips[l] ?? 0) * value;
    for (let k = shape.start[l] ?? 0; k < end; k += 1) {
      met += (a.arms[k] ?? 0) * (x[shape.leaves + (shape.columns[k] ?? 0)] ?? 0);
    }
    sum += 2 * value * met;
  }
  for (let i = 0; i < p; i += 1) {
    const row = i * p;
    const value = x[shape.leaves + i] ?? 0;
    let inner = 0.5 * (a.core[row + i] ?? 0) * value;
    for (let j = 0; j < i; j += 1) inner += (a.core[row + j] ?? 0) * (x[shape.leaves + j] ?? 0);
    sum += 2 * value * inner;
  }
  return sum;
}
