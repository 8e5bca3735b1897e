import { GrowingNumbers } from "../kernels/growing.ts";
import { at } from "../kernels/vector.ts";
import type { Term } from "../rows/terms.ts";

/** The effects of a head in a fixed order: leaves first, then the others by group and name. */
export interface NodeList {
  readonly ids: readonly string[];
  readonly index: ReadonlyMap<string, number>;
  /** How many effects at the front never share a row (or, for numbers, a run). */
  readonly leaves: number;
}

/** Sparse rows, columns ascending within each. */
export interface SparseRows {
  readonly count: number;
  readonly start: Int32Array;
  readonly columns: Int32Array;
  readonly values: Float64Array;
}

/** Rows as they came: their effects by name, and where each row begins. */
export interface StoredRows {
  readonly ids: readonly string[];
  readonly start: Float64Array;
  readonly columns: Int32Array;
  readonly values: Float64Array;
}

const FIRST_ROOM = 4096;

/**
 * Rows as numbers from the moment they come: a hundred thousand runs have millions of terms. Each large array makes the
 * collector look at all of the runs again, so the rows of one head after the other go into the same ones.
 */
export class RowStore {
  #ids: string[] = [];
  #known = new Map<string, number>();
  readonly #start = new GrowingNumbers();
  #columns = new Int32Array(FIRST_ROOM);
  #values = new Float64Array(FIRST_ROOM);
  #used = 0;
  #expected = 0;

  constructor() {
    this.empty();
  }

  /** Forgets all rows. What was packed in place is gone. `expected` rows are to come, roughly. */
  empty(expected = 0): void {
    this.#ids = [];
    this.#known = new Map();
    this.#start.empty();
    this.#start.push(0);
    this.#used = 0;
    this.#expected = expected;
  }

  /** Gives the place of the row. */
  add(terms: readonly Term[]): number {
    if (this.#used + terms.length > this.#columns.length) this.#grow(this.#used + terms.length);
    for (const term of terms) {
      const node = term[0];
      let column = this.#known.get(node);
      if (column === undefined) {
        column = this.#ids.length;
        this.#ids.push(node);
        this.#known.set(node, column);
      }
      this.#columns[this.#used] = column;
      this.#values[this.#used] = term[1];
      this.#used += 1;
    }
    this.#start.push(this.#used);
    return this.#start.length - 2;
  }

  /** All rows so far, not copied: good until the store is emptied. */
  all(): StoredRows {
    return {
      ids: this.#ids,
      start: this.#start.all(),
      columns: this.#columns.subarray(0, this.#used),
      values: this.#values.subarray(0, this.#used),
    };
  }

  #grow(least: number): void {
    const perRow = this.#used / Math.max(1, this.#start.length - 1);
    const size = Math.max(least, 2 * this.#columns.length, Math.ceil(1.05 * perRow * this.#expected));
    const columns = new Int32Array(size);
    columns.set(this.#columns);
    const values = new Float64Array(size);
    values.set(this.#values);
    this.#columns = columns;
    this.#values = values;
  }
}

/** Rows in another order, or some of them. */
export function pickRows(rows: SparseRows, order: ArrayLike<number>): SparseRows {
  const start = new Int32Array(order.length + 1);
  for (let i = 0; i < order.length; i += 1) {
    const row = at(order, i);
    start[i + 1] = at(start, i) + at(rows.start, row + 1) - at(rows.start, row);
  }
  const columns = new Int32Array(at(start, order.length));
  const values = new Float64Array(columns.length);
  let used = 0;
  for (let i = 0; i < order.length; i += 1) {
    const end = at(rows.start, at(order, i) + 1);
    for (let k = at(rows.start, at(order, i)); k < end; k += 1) {
      columns[used] = rows.columns[k] ?? 0;
      values[used] = rows.values[k] ?? 0;
      used += 1;
    }
  }
  return { count: order.length, start, columns, values };
}

/** Puts neighboring rows into another order, in place. What it needs for that it keeps: runs have few rows, and are many. */
export class RowMover {
  #start = new Int32Array(FIRST_ROOM);
  #columns = new Int32Array(FIRST_ROOM);
  #values = new Float64Array(FIRST_ROOM);

  /** `order` is of the rows from `begin` on. */
  move({ start, columns, values }: SparseRows, begin: number, order: readonly number[]): void {
    const first = at(start, begin);
    const count = at(start, begin + order.length) - first;
    if (count > this.#columns.length || order.length >= this.#start.length) this.#grow(count, order.length);
    for (let k = 0; k < count; k += 1) {
      this.#columns[k] = columns[first + k] ?? 0;
      this.#values[k] = values[first + k] ?? 0;
    }
    for (let i = 0; i <= order.length; i += 1) this.#start[i] = at(start, begin + i) - first;
    let used = first;
    for (let i = 0; i < order.length; i += 1) {
      const row = at(order, i) - begin;
      const end = at(this.#start, row + 1);
      for (let k = at(this.#start, row); k < end; k += 1) {
        columns[used] = this.#columns[k] ?? 0;
        values[used] = this.#values[k] ?? 0;
        used += 1;
      }
      start[begin + i + 1] = used;
    }
  }

  #grow(entries: number, rows: number): void {
    this.#start = new Int32Array(2 * rows + FIRST_ROOM);
    this.#columns = new Int32Array(2 * entries);
    this.#values = new Float64Array(2 * entries);
  }
}

/** An order of rows by what they hold. */
export function compareRows(rows: SparseRows, a: number, b: number): number {
  const fromA = rows.start[a] ?? 0;
  const fromB = rows.start[b] ?? 0;
  const lengthA = (rows.start[a + 1] ?? 0) - fromA;
  const lengthB = (rows.start[b + 1] ?? 0) - fromB;
  const count = Math.min(lengthA, lengthB);
  for (let k = 0; k < count; k += 1) {
    const gap = (rows.columns[fromA + k] ?? 0) - (rows.columns[fromB + k] ?? 0);
    if (gap !== 0) return gap;
    const more = (rows.values[fromA + k] ?? 0) - (rows.values[fromB + k] ?? 0);
    if (more !== 0) return more;
  }
  return lengthA - lengthB;
}
