import { Room } from "./room.ts";
import { at } from "./vector.ts";

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
    const l = padded(matrix, n, stride, jitter);
    if (factorPadded(l, stride)) return { n, stride, l, jitter };
    jitter = jitter === 0 ? (1e-10 * Math.abs(trace)) / Math.max(1, n) : jitter * 10;
  }
  return undefined;
}

function padded(matrix: Float64Array, n: number, stride: number, jitter: number): Float64Array {
  const l = new Float64Array(stride * stride);
  for (let i = 0; i < n; i += 1) {
    for (let j = 0; j <= i; j += 1) l[i * stride + j] = matrix[i * n + j] ?? 0;
    l[i * stride + i] = at(l, i * stride + i) + jitter;
  }
  for (let i = n; i < stride; i += 1) l[i * stride + i] = 1;
  return l;
}

function factorPadded(l: Float64Array, stride: number): boolean {
  const block = new Float64Array(16);
  for (let j = 0; j < stride; j += 4) {
    for (let i = j; i < stride; i += 4) {
      rowProducts(l, i * stride, l, j * stride, stride, 0, j, block);
      for (let r = 0; r < 4; r += 1) {
        const row = (i + r) * stride;
        const last = i === j ? r : 3;
        for (let c = 0; c <= last; c += 1) {
          const column = (j + c) * stride;
          let value = (l[row + j + c] ?? 0) - (block[4 * r + c] ?? 0);
          for (let k = j; k < j + c; k += 1) value -= (l[row + k] ?? 0) * (l[column + k] ?? 0);
          if (i === j && r === c) {
            if (!(value > 0)) return false;
            l[row + j + c] = Math.sqrt(value);
          } else {
            l[row + j + c] = value / (l[column + j + c] ?? 1);
          }
        }
      }
    }
  }
  return true;
}

/** `out[4r+c] = Σ_k p[row r, k] q[row c, k]` for four rows of each, k in `[from, to)`. */
export function rowProducts(
  p: Float64Array,
  p0: number,
  q: Float64Array,
  q0: number,
  stride: number,
  from: number,
  to: number,
  out: Float64Array,
): void {
  const p1 = p0 + stride;
  const p2 = p1 + stride;
  const p3 = p2 + stride;
  const q1 = q0 + stride;
  const q2 = q1 + stride;
  const q3 = q2 + stride;
  let s00 = 0;
  let s01 = 0;
  let s02 = 0;
  let s03 = 0;
  let s10 = 0;
  let s11 = 0;
  let s12 = 0;
  let s13 = 0;
  let s20 = 0;
  let s21 = 0;
  let s22 = 0;
  let s23 = 0;
  let s30 = 0;
  let s31 = 0;
  let s32 = 0;
  let s33 = 0;
  for (let k = from; k < to; k += 1) {
    const a0 = p[p0 + k] ?? 0;
    const a1 = p[p1 + k] ?? 0;
    const a2 = p[p2 + k] ?? 0;
    const a3 = p[p3 + k] ?? 0;
    const b0 = q[q0 + k] ?? 0;
    const b1 = q[q1 + k] ?? 0;
    const b2 = q[q2 + k] ?? 0;
    const b3 = q[q3 + k] ?? 0;
    s00 += a0 * b0;
    s01 += a0 * b1;
    s02 += a0 * b2;
    s03 += a0 * b3;
    s10 += a1 * b0;
    s11 += a1 * b1;
    s12 += a1 * b2;
    s13 += a1 * b3;
    s20 += a2 * b0;
    s21 += a2 * b1;
    s22 += a2 * b2;
    s23 += a2 * b3;
    s30 += a3 * b0;
    s31 += a3 * b1;
    s32 += a3 * b2;
    s33 += a3 * b3;
  }
  out[0] = s00;
  out[1] = s01;
  out[2] = s02;
  out[3] = s03;
  out[4] = s10;
  out[5] = s11;
  out[6] = s12;
  out[7] = s13;
  out[8] = s20;
  out[9] = s21;
  out[10] = s22;
  out[11] = s23;
  out[12] = s30;
  out[13] = s31;
  out[14] = s32;
  out[15] = s33;
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

const inverseRoom = new Room();

/** Row j of the answer is column j of `L⁻¹`, with the factor's stride. It holds until the next call. */
function inverseTransposed({ l, stride }: Factor): Float64Array {
  const u = inverseRoom.zeros(stride * stride);
  const block = new Float64Array(16);
  for (let j = 0; j < stride; j += 4) {
    for (let i = j; i < stride; i += 4) {
      rowProducts(l, i * stride, u, j * stride, stride, j, i, block);
      for (let r = 0; r < 4; r += 1) {
        const row = (i + r) * stride;
        const pivot = l[row + i + r] ?? 1;
        for (let c = 0; c < 4; c += 1) {
          const target = (j + c) * stride;
          let value = (i === j && r === c ? 1 : 0) - (block[4 * r + c] ?? 0);
          for (let k = i; k < i + r; k += 1) value -= (l[row + k] ?? 0) * (u[target + k] ?? 0);
          u[target + i + r] = value / pivot;
        }
      }
    }
  }
  return u;
}

/** The inverse of the factored matrix, row-major `n x n`, both triangles. */
export function inverse(factor: Factor): Float64Array {
  const { n, stride } = factor;
  const u = inverseTransposed(factor);
  const s = new Float64Array(n * n);
  const block = new Float64Array(16);
  for (let j = 0; j < stride; j += 4) {
    for (let i = j; i < stride; i += 4) {
      rowProducts(u, i * stride, u, j * stride, stride, i, stride, block);
      for (let r = 0; r < 4 && i + r < n; r += 1) {
        for (let c = 0; c < 4 && j + c < n; c += 1) {
          const value = block[4 * r + c] ?? 0;
          s[(i + r) * n + j + c] = value;
          s[(j + c) * n + i + r] = value;
        }
      }
    }
  }
  return s;
}
