import type { ArrowMatrix } from "../kernels/arrow.ts";
import { coreSize } from "../kernels/arrow-shape.ts";
import { type MatrixMachine, matrixMachine, type RowPlaces } from "../kernels/matrix-machine.ts";
import { at } from "../kernels/vector.ts";
import type { SparseRows } from "./row-store.ts";

/** Rows that the kernels get at once: the memory that they need stays small. */
const BLOCK = 4096;

/** Adds `X' diag(w) X`. */
export function addGram(rows: SparseRows, w: Float64Array, matrix: ArrowMatrix): void {
  const table = new RowTable(rows, matrix);
  const { machine, places } = table;
  table.eachBlock((first, count) => {
    machine.numbers.set(w.subarray(first, first + count), places.row);
    machine.kernels.addGram(count, ...table.arguments());
  });
  const { tips, arms, core } = matrix;
  tips.set(machine.numbers.subarray(places.tips, places.tips + tips.length));
  arms.set(machine.numbers.subarray(places.arms, places.arms + arms.length));
  core.set(machine.numbers.subarray(places.core, places.core + core.length));
}

/** `x' S x` of every row. */
export function quadratics(rows: SparseRows, s: ArrowMatrix): Float64Array {
  const result = new Float64Array(rows.count);
  const table = new RowTable(rows, s);
  const { machine, places } = table;
  table.eachBlock((first, count) => {
    machine.kernels.quadratics(count, ...table.arguments());
    result.set(machine.numbers.subarray(places.row, places.row + count), first);
  });
  return result;
}

/** Sparse rows and a matrix of their columns where the kernels find them. */
class RowTable {
  readonly machine: MatrixMachine = matrixMachine();
  readonly places: Readonly<
    Record<
      "start" | "columns" | "values" | "row" | "tips" | "arms" | "armStart" | "armColumns" | "core",
      number
    >
  >;
  readonly #rows: SparseRows;
  readonly #matrix: ArrowMatrix;

  constructor(rows: SparseRows, matrix: ArrowMatrix) {
    this.#rows = rows;
    this.#matrix = matrix;
    const { shape, tips, arms, core } = matrix;
    const most = Math.min(BLOCK, rows.count);
    const entries = mostEntries(rows, most);
    const sizes = [most + 1, entries, entries, most, tips.length, arms.length];
    const [
      start = 0,
      columns = 0,
      values = 0,
      row = 0,
      tip = 0,
      arm = 0,
      armStart = 0,
      armColumns = 0,
      c = 0,
    ] = this.machine.places(...sizes, shape.start.length, shape.columns.length, core.length);
    this.places = { start, columns, values, row, tips: tip, arms: arm, armStart, armColumns, core: c };
    const { numbers, words } = this.machine;
    numbers.set(tips, tip);
    numbers.set(arms, arm);
    numbers.set(core, c);
    words.set(shape.start, 2 * armStart);
    words.set(shape.columns, 2 * armColumns);
  }

  /** What every kernel on rows takes after their count. */
  arguments(): RowPlaces {
    const { start, columns, values, row, tips, arms, armStart, armColumns, core } = this.places;
    const { shape } = this.#matrix;
    return [
      8 * start,
      8 * columns,
      8 * values,
      8 * row,
      shape.leaves,
      coreSize(shape),
      8 * tips,
      8 * arms,
      8 * armStart,
      8 * armColumns,
      8 * core,
    ];
  }

  eachBlock(act: (first: number, count: number) => void): void {
    const { start, columns, values, count } = this.#rows;
    const { numbers, words } = this.machine;
    for (let first = 0; first < count; first += BLOCK) {
      const size = Math.min(BLOCK, count - first);
      const from = at(start, first);
      const end = at(start, first + size);
      words.set(columns.subarray(from, end), 2 * this.places.columns);
      numbers.set(values.subarray(from, end), this.places.values);
      for (let i = 0; i <= size; i += 1) words[2 * this.places.start + i] = at(start, first + i) - from;
      act(first, size);
    }
  }
}

function mostEntries({ start, count }: SparseRows, size: number): number {
  let most = 0;
  for (let first = 0; first < count; first += BLOCK) {
    most = Math.max(most, at(start, Math.min(count, first + size)) - at(start, first));
  }
  return most;
}
