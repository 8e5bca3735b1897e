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

export function solveLowerInPlace({ l, n, stride }: Factor, x: Float64Array): void {
  for (let i = 0; i < n; i += 1) {
    const row = i * stride;
    let value = x[i] ?? 0;
    for (let k = 0; k < i; k += 1) value -= (l[row + k] ?? 0) * (x[k] ?? 0);
    x[i] = value / (l[row + i] ?? 1);
  }
}

/** `L⁻ᵀ b`. */
export function solveUpper(factor: Factor, b: ArrayLike<number>): Float64Array {
  const x = new Float64Array(b);
  solveUpperInPlace(factor, x);
  return x;
}

export function solveUpperInPlace({ l, n, stride }: Factor, x: Float64Array): void {
  for (let i = n - 1; i >= 0; i -= 1) {
    const row = i * stride;
    const value = (x[i] ?? 0) / (l[row + i] ?? 1);
    x[i] = value;
    for (let k = 0; k < i; k += 1) x[k] = (x[k] ?? 0) - (l[row + k] ?? 0) * value;
  }
}

/** Makes it the factor of `L L' + y y'`, in place. Row by row: each column's rotation waits for the rows below. */
export function addRankOne({ l, n, stride }: Factor, y: ArrayLike<number>): void {
  const c = new Float64Array(n);
  const s = new Float64Array(n);
  for (let i = 0; i < n; i += 1) {
    const row = i * stride;
    let value = y[i] ?? 0;
    for (let k = 0; k < i; k += 1) {
      const moved = ((l[row + k] ?? 0) + (s[k] ?? 0) * value) / (c[k] ?? 1);
      value = (c[k] ?? 1) * value - (s[k] ?? 0) * moved;
      l[row + k] = moved;
    }
    const pivot = l[row + i] ?? 1;
    const root = Math.hypot(pivot, value);
    c[i] = root / pivot;
    s[i] = value / pivot;
    l[row + i] = root;
  }
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
