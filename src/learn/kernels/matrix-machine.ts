import { MATRIX_WASM } from "./wasm.ts";

/** What `scripts/matrix/matrix.ts` exports. Places are in bytes. */
interface MatrixExports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  takeGram(m: number, size: number, g: number, height: number): void;
  factor(m: number, size: number): number;
  invert(m: number, size: number, x: number, s: number): void;
  panelProducts(out: number, a: number, b: number, height: number, count: number): void;
  addGram(count: number, ...rows: RowPlaces): void;
  quadratics(count: number, ...rows: RowPlaces): void;
  addRows(sum: number, size: number, s: number, columns: number, arms: number, count: number): void;
}

export type RowPlaces = readonly [
  start: number,
  columns: number,
  values: number,
  row: number,
  leaves: number,
  size: number,
  tips: number,
  arms: number,
  armStart: number,
  armColumns: number,
  core: number,
];

declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: MatrixExports };
};

const PAGE_BYTES = 65536;
/** Behind what the kernels keep for themselves. */
const FIRST = 16;

/** The kernels with their memory. What a call put there is gone at the next. */
export class MatrixMachine {
  readonly kernels: MatrixExports;
  numbers: Float64Array;
  words: Int32Array;

  constructor() {
    this.kernels = new WebAssembly.Instance(
      new WebAssembly.Module(Buffer.from(MATRIX_WASM, "base64")),
    ).exports;
    this.numbers = new Float64Array(this.kernels.memory.buffer);
    this.words = new Int32Array(this.kernels.memory.buffer);
  }

  /** Places, in numbers, for so many numbers each. */
  places(...counts: readonly number[]): readonly number[] {
    const starts = counts.map((_, i) =>
      counts.slice(0, i).reduce((sum, count) => sum + evenly(count), FIRST),
    );
    const total = counts.reduce((sum, count) => sum + evenly(count), FIRST);
    const missing = total * 8 - this.kernels.memory.buffer.byteLength;
    if (missing > 0) {
      this.kernels.memory.grow(Math.ceil(missing / PAGE_BYTES));
      this.numbers = new Float64Array(this.kernels.memory.buffer);
      this.words = new Int32Array(this.kernels.memory.buffer);
    }
    return starts;
  }
}

function evenly(count: number): number {
  return (count + 3) & ~3;
}

let machine: MatrixMachine | undefined;

/** One for all: a fit has thousands of matrices, one at a time. */
export function matrixMachine(): MatrixMachine {
  machine ??= new MatrixMachine();
  return machine;
}

/** Puts the lower triangle of a row by row matrix into panels, as its upper one; beyond its rows the identity. */
export function putTransposed(
  numbers: Float64Array,
  place: number,
  matrix: Float64Array,
  n: number,
  size: number,
): void {
  for (let i = 0; i < size; i += 1) {
    const column = columnAt(place, i, size);
    if (i < n) for (let j = 0; j <= i; j += 1) numbers[column + 4 * j] = matrix[i * n + j] ?? 0;
    else for (let j = 0; j <= i; j += 1) numbers[column + 4 * j] = i === j ? 1 : 0;
  }
}

/** The reverse, for the first `n` rows of a matrix of this stride. */
export function takeTransposed(
  numbers: Float64Array,
  place: number,
  matrix: Float64Array,
  n: number,
  stride: number,
  size: number,
): void {
  for (let i = 0; i < n; i += 1) {
    const column = columnAt(place, i, size);
    for (let j = 0; j <= i; j += 1) matrix[i * stride + j] = numbers[column + 4 * j] ?? 0;
  }
}

/** Where column `j` begins in panels of so many rows; its next row is 4 numbers on. */
export function columnAt(place: number, j: number, height: number): number {
  return place + (j >> 2) * height * 4 + (j & 3);
}
