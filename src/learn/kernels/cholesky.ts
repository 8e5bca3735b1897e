import { columnAt, matrixMachine, putTransposed, takeTransposed } from "./matrix-machine.ts";
import { addAt, at } from "./vector.ts";

/**
 * A symmetric positive definite matrix as `L L'`. Rows are padded to a multiple of 4 with the identity, so that
 * the kernels work on whole 4x4 blocks. `l` is row-major, its upper triangle zero.
 */
export interface Factor {
  readonly n: number;
  readonly stride: number;
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
  const stride = paddedSize(n);
  let trace = 0;
  for (let i = 0; i < n; i += 1) trace += at(matrix, i * n + i);
  if (!Number.isFinite(trace)) return undefined;
  let jitter = 0;
  for (let attempt = 0; attempt <= JITTER_TRIES; attempt += 1) {
    const l = factored(matrix, n, stride, jitter);
    if (l !== undefined) return { n, stride, l, jitter };
    jitter = jitter === 0 ? (1e-10 * Math.abs(trace)) / Math.max(1, n) : jitter * 10;
  }
  return undefined;
}

function factored(matrix: Float64Array, n: number, stride: number, jitter: number): Float64Array | undefined {
  const machine = matrixMachine();
  const [m = 0] = machine.places(stride * stride);
  const { numbers } = machine;
  putTransposed(numbers, m, matrix, n, stride);
  for (let i = 0; i < n; i += 1) addAt(numbers, columnAt(m, i, stride) + 4 * i, jitter);
  if (machine.kernels.factor(8 * m, stride) === 0) return undefined;
  const l = new Float64Array(stride * stride);
  takeTransposed(numbers, m, l, stride, stride, stride);
  return l;
}

export function logDeterminant({ l, n, stride }: Factor): number {
  let sum = 0;
  for (let i = 0; i < n; i += 1) sum += Math.log(at(l, i * stride + i));
  return 2 * sum;
}

/** `L⁻¹ b`. */
export function solveLower(factor: Factor, b: ArrayLike<number>): Float64Array {
  const x = new Float64Array(b);
  solveLowerInPlace(factor, x);
  return x;
}

/** Four rows at a time where there are as many: each is a sum that waits for itself, four of them do not. */
function solveLowerInPlace({ l, n, stride }: Factor, x: Float64Array): void {
  for (let i = 0; i < n; i += 4) {
    if (i + 4 <= n) takeFour(l, i, stride, x);
    for (let r = i; r < Math.min(n, i + 4); r += 1) {
      const row = r * stride;
      let value = x[r] ?? 0;
      for (let k = i + 4 <= n ? i : 0; k < r; k += 1) value -= (l[row + k] ?? 0) * (x[k] ?? 0);
      x[r] = value / (l[row + r] ?? 1);
    }
  }
}

/** Takes what the known `x` before row `i` add up to from the next four. */
function takeFour(l: Float64Array, i: number, stride: number, x: Float64Array): void {
  const r0 = i * stride;
  const r1 = r0 + stride;
  const r2 = r1 + stride;
  const r3 = r2 + stride;
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
export function solveUpperInPlace({ l, n, stride }: Factor, x: Float64Array): void {
  for (let end = n; end > 0; ) {
    const begin = end >= 4 ? end - 4 : 0;
    for (let i = end - 1; i >= begin; i -= 1) {
      const row = i * stride;
      const value = (x[i] ?? 0) / (l[row + i] ?? 1);
      x[i] = value;
      for (let k = begin; k < i; k += 1) x[k] = (x[k] ?? 0) - (l[row + k] ?? 0) * value;
    }
    if (begin > 0) spreadFour(l, begin, stride, x);
    end = begin;
  }
}

/** Takes what the four known `x` from row `i` on add to those before it. */
function spreadFour(l: Float64Array, i: number, stride: number, x: Float64Array): void {
  const r0 = i * stride;
  const r1 = r0 + stride;
  const r2 = r1 + stride;
  const r3 = r2 + stride;
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
export function addRankOne({ l, n, stride }: Factor, y: ArrayLike<number>): void {
  const c = new Float64Array(stride);
  const s = new Float64Array(stride);
  const left = new Float64Array(stride);
  for (let i = 0; i < n; i += 1) left[i] = y[i] ?? 0;
  for (let i = 0; i < stride; i += 4) {
    rotateFour(l, i, stride, c, s, left);
    for (let r = i; r < i + 4; r += 1) {
      const row = r * stride;
      let value = left[r] ?? 0;
      for (let k = i; k < r; k += 1) {
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
function rotateFour(
  l: Float64Array,
  i: number,
  stride: number,
  c: Float64Array,
  s: Float64Array,
  left: Float64Array,
): void {
  const r0 = i * stride;
  const r1 = r0 + stride;
  const r2 = r1 + stride;
  const r3 = r2 + stride;
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

/** The lower triangle, row after row. */
export function packLower({ l, n, stride }: Factor): Float64Array {
  const packed = new Float64Array((n * (n + 1)) / 2);
  for (let i = 0; i < n; i += 1) packed.set(l.subarray(i * stride, i * stride + i + 1), (i * (i + 1)) / 2);
  return packed;
}

export function unpackLower(packed: Float64Array, n: number): Factor {
  const stride = paddedSize(n);
  const l = new Float64Array(stride * stride);
  for (let i = 0; i < n; i += 1)
    l.set(packed.subarray((i * (i + 1)) / 2, ((i + 1) * (i + 2)) / 2), i * stride);
  for (let i = n; i < stride; i += 1) l[i * stride + i] = 1;
  return { n, stride, l, jitter: 0 };
}

/** A factor with further columns that meet none of the others, of these precisions. */
export function widened({ l, n, stride }: Factor, precisions: ArrayLike<number>): Factor {
  const size = n + precisions.length;
  const wide = paddedSize(size);
  const rows = new Float64Array(wide * wide);
  for (let i = 0; i < n; i += 1) rows.set(l.subarray(i * stride, i * stride + i + 1), i * wide);
  for (let i = n; i < wide; i += 1) rows[i * wide + i] = i < size ? Math.sqrt(at(precisions, i - n)) : 1;
  return { n: size, stride: wide, l: rows, jitter: 0 };
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
export function inverse({ l, n, stride }: Factor): Float64Array {
  const machine = matrixMachine();
  const size = stride * stride;
  const [m = 0, x = 0, s = 0] = machine.places(size, size, size);
  putTransposed(machine.numbers, m, l, stride, stride);
  machine.kernels.invert(8 * m, stride, 8 * x, 8 * s);
  const covariance = new Float64Array(n * n);
  for (let i = 0; i < n; i += 1) {
    covariance.set(machine.numbers.subarray(s + i * stride, s + i * stride + n), i * n);
  }
  return covariance;
}
