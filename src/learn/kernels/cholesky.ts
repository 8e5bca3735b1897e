import { columnAt, matrixMachine, putTransposed } from "./matrix-machine.ts";
import { addAt, at } from "./vector.ts";

/** A symmetric positive definite matrix as `L L'`. `l` is the lower triangle, row after row: row `i` has `i + 1`. */
export interface Factor {
  readonly n: number;
  readonly l: Float64Array;
  /** How much was added to the diagonal to get there; 0 as a rule. */
  readonly jitter: number;
}

const JITTER_TRIES = 6;

/**
 * Factors the lower triangle of the row-major `n x n` matrix. When a pivot is not positive, 1e-10 of the mean
 * diagonal is added, then ten times that, six times in all; undefined when even that does not help.
 */
export function factorize(matrix: Float64Array, n: number): Factor | undefined {
  let trace = 0;
  for (let i = 0; i < n; i += 1) trace += at(matrix, i * n + i);
  if (!Number.isFinite(trace)) return undefined;
  let jitter = 0;
  for (let attempt = 0; attempt <= JITTER_TRIES; attempt += 1) {
    const l = factored(matrix, n, jitter);
    if (l !== undefined) return { n, l, jitter };
    jitter = jitter === 0 ? (1e-10 * Math.abs(trace)) / Math.max(1, n) : jitter * 10;
  }
  return undefined;
}

/** Whole 4x4 blocks: beyond the matrix the kernels meet the identity. */
function factored(matrix: Float64Array, n: number, jitter: number): Float64Array | undefined {
  const size = paddedSize(n);
  const machine = matrixMachine();
  const [m = 0] = machine.places(size * size);
  const { numbers } = machine;
  putTransposed(numbers, m, matrix, n, size);
  for (let i = 0; i < n; i += 1) addAt(numbers, columnAt(m, i, size) + 4 * i, jitter);
  if (machine.kernels.factor(8 * m, size) === 0) return undefined;
  const l = new Float64Array(rowStart(n));
  for (let i = 0; i < n; i += 1) {
    const [row, column] = [rowStart(i), columnAt(m, i, size)];
    for (let j = 0; j <= i; j += 1) l[row + j] = numbers[column + 4 * j] ?? 0;
  }
  return l;
}

/** Where a row begins in a lower triangle. */
export function rowStart(i: number): number {
  return (i * (i + 1)) / 2;
}

export function logDeterminant({ l, n }: Factor): number {
  let sum = 0;
  for (let i = 0; i < n; i += 1) sum += Math.log(at(l, rowStart(i) + i));
  return 2 * sum;
}

/** `L⁻¹ b`. */
export function solveLower(factor: Factor, b: ArrayLike<number>): Float64Array {
  const x = new Float64Array(b);
  solveLowerInPlace(factor, x);
  return x;
}

/** Four rows at a time where there are as many: each is a sum that waits for itself, four of them do not. */
function solveLowerInPlace({ l, n }: Factor, x: Float64Array): void {
  for (let i = 0; i < n; i += 4) {
    if (i + 4 <= n) takeFour(l, i, x);
    for (let r = i; r < Math.min(n, i + 4); r += 1) {
      const row = rowStart(r);
      let value = x[r] ?? 0;
      for (let k = i + 4 <= n ? i : 0; k < r; k += 1) value -= (l[row + k] ?? 0) * (x[k] ?? 0);
      x[r] = value / (l[row + r] ?? 1);
    }
  }
}

/** Takes what the known `x` before row `i` add up to from the next four. */
function takeFour(l: Float64Array, i: number, x: Float64Array): void {
  const r0 = rowStart(i);
  const r1 = rowStart(i + 1);
  const r2 = rowStart(i + 2);
  const r3 = rowStart(i + 3);
  let v0 = x[i] ?? 0;
  let v1 = x[i + 1] ?? 0;
  let v2 = x[i + 2] ?? 0;
  let v3 = x[i + 3] ?? 0;
  for (let k = 0; k < i; k += 1) {
    const known = x[k] ?? 0;
    v0 -= (l[r0 + k] ?? 0) * known;
    v1 -= (l[r1 + k] ?? 0) * known;
    v2 -= (l[r2 + k] ?? 0) * known;
    v3 -= (l[r3 + k] ?? 0) * known;
  }
  x[i] = v0;
  x[i + 1] = v1;
  x[i + 2] = v2;
  x[i + 3] = v3;
}

/** `L⁻ᵀ b`. */
export function solveUpper(factor: Factor, b: ArrayLike<number>): Float64Array {
  const x = new Float64Array(b);
  solveUpperInPlace(factor, x);
  return x;
}

/** From the last row up, four at a time. */
export function solveUpperInPlace({ l, n }: Factor, x: Float64Array): void {
  for (let end = n; end > 0; ) {
    const begin = end >= 4 ? end - 4 : 0;
    for (let i = end - 1; i >= begin; i -= 1) {
      const row = rowStart(i);
      const value = (x[i] ?? 0) / (l[row + i] ?? 1);
      x[i] = value;
      for (let k = begin; k < i; k += 1) x[k] = (x[k] ?? 0) - (l[row + k] ?? 0) * value;
    }
    if (begin > 0) spreadFour(l, begin, x);
    end = begin;
  }
}

/** Takes what the four known `x` from row `i` on add to those before it. */
function spreadFour(l: Float64Array, i: number, x: Float64Array): void {
  const r0 = rowStart(i);
  const r1 = rowStart(i + 1);
  const r2 = rowStart(i + 2);
  const r3 = rowStart(i + 3);
  const x0 = x[i] ?? 0;
  const x1 = x[i + 1] ?? 0;
  const x2 = x[i + 2] ?? 0;
  const x3 = x[i + 3] ?? 0;
  for (let k = 0; k < i; k += 1) {
    x[k] =
      (x[k] ?? 0) -
      (l[r3 + k] ?? 0) * x3 -
      (l[r2 + k] ?? 0) * x2 -
      (l[r1 + k] ?? 0) * x1 -
      (l[r0 + k] ?? 0) * x0;
  }
}

/**
 * Makes it the factor of `L L' + y y'`, in place. Row by row, four at a time: each column's rotation waits for the rows
 * below.
 */
export function addRankOne({ l, n }: Factor, y: ArrayLike<number>): void {
  const c = new Float64Array(n);
  const s = new Float64Array(n);
  const left = new Float64Array(y);
  for (let i = 0; i < n; i += 4) {
    const isWhole = i + 4 <= n;
    if (isWhole) rotateFour(l, i, c, s, left);
    for (let r = i; r < Math.min(n, i + 4); r += 1) {
      const row = rowStart(r);
      let value = left[r] ?? 0;
      for (let k = isWhole ? i : 0; k < r; k += 1) {
        const moved = ((l[row + k] ?? 0) + (s[k] ?? 0) * value) / (c[k] ?? 1);
        value = (c[k] ?? 1) * value - (s[k] ?? 0) * moved;
        l[row + k] = moved;
      }
      const pivot = l[row + r] ?? 1;
      const root = Math.hypot(pivot, value);
      c[r] = root / pivot;
      s[r] = value / pivot;
      l[row + r] = root;
    }
  }
}

/** Applies the rotations of the columns before row `i` to the next four rows. */
function rotateFour(l: Float64Array, i: number, c: Float64Array, s: Float64Array, left: Float64Array): void {
  const r0 = rowStart(i);
  const r1 = rowStart(i + 1);
  const r2 = rowStart(i + 2);
  const r3 = rowStart(i + 3);
  let v0 = left[i] ?? 0;
  let v1 = left[i + 1] ?? 0;
  let v2 = left[i + 2] ?? 0;
  let v3 = left[i + 3] ?? 0;
  for (let k = 0; k < i; k += 1) {
    const cos = c[k] ?? 1;
    const sin = s[k] ?? 0;
    const m0 = ((l[r0 + k] ?? 0) + sin * v0) / cos;
    const m1 = ((l[r1 + k] ?? 0) + sin * v1) / cos;
    const m2 = ((l[r2 + k] ?? 0) + sin * v2) / cos;
    const m3 = ((l[r3 + k] ?? 0) + sin * v3) / cos;
    v0 = cos * v0 - sin * m0;
    v1 = cos * v1 - sin * m1;
    v2 = cos * v2 - sin * m2;
    v3 = cos * v3 - sin * m3;
    l[r0 + k] = m0;
    l[r1 + k] = m1;
    l[r2 + k] = m2;
    l[r3 + k] = m3;
  }
  left[i] = v0;
  left[i + 1] = v1;
  left[i + 2] = v2;
  left[i + 3] = v3;
}

/** A factor with further columns that meet none of the others, of these precisions. */
export function widened({ l, n }: Factor, precisions: ArrayLike<number>): Factor {
  const size = n + precisions.length;
  const rows = new Float64Array(rowStart(size));
  rows.set(l);
  for (let i = n; i < size; i += 1) rows[rowStart(i) + i] = Math.sqrt(at(precisions, i - n));
  return { n: size, l: rows, jitter: 0 };
}

/** The solution of `L L' x = b`. */
export function solve(factor: Factor, b: ArrayLike<number>): Float64Array {
  return solveUpper(factor, solveLower(factor, b));
}

/** Rows and columns of a matrix on which the kernels work in blocks of 4. */
export function paddedSize(n: number): number {
  return (n + 3) & ~3;
}

/** The inverse of the factored matrix, row-major `n x n`, both triangles. */
export function inverse({ l, n }: Factor): Float64Array {
  const machine = matrixMachine();
  const size = paddedSize(n);
  const [m = 0, x = 0, s = 0] = machine.places(size * size, size * size, size * size);
  const { numbers } = machine;
  for (let i = 0; i < size; i += 1) {
    const [row, column] = [rowStart(i), columnAt(m, i, size)];
    for (let j = 0; j <= i; j += 1) numbers[column + 4 * j] = i < n ? (l[row + j] ?? 0) : Number(i === j);
  }
  machine.kernels.invert(8 * m, size, 8 * x, 8 * s);
  const covariance = new Float64Array(n * n);
  for (let i = 0; i < n; i += 1) {
    covariance.set(numbers.subarray(s + i * size, s + i * size + n), i * n);
  }
  return covariance;
}
