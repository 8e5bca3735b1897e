import { type ArrowMatrix, emptyArrow } from "../kernels/arrow.ts";
import type { ArrowShape } from "../kernels/arrow-shape.ts";
import { at } from "../kernels/vector.ts";
import { shapeOf } from "./design.ts";
import type { NumberData } from "./number-data.ts";
import { addGram } from "./row-products.ts";
import type { SparseRows } from "./row-store.ts";

/** What the rows of one weight class say: `A = Σ x x'`, `c = Σ x y`, `q = Σ y²`, and how many. */
export interface Moments {
  readonly a: ArrowMatrix;
  readonly c: Float64Array;
  readonly q: number;
  readonly count: number;
}

/**
 * Everything a number head needs of its rows, whatever their count: what differs within runs, and the runs'
 * weighted means by the runs' total weight.
 */
export interface NumberStats {
  readonly within: Moments;
  readonly between: ReadonlyMap<number, Moments>;
  /** Where it is all from. */
  readonly of: Sources;
}

interface Sources {
  readonly rows: SparseRows;
  readonly weight: Float64Array;
  /** Each run's weighted mean row, and its total weight. */
  readonly means: { readonly rows: SparseRows; readonly weight: Float64Array };
}

/** Weights above 32 fall to the nearest power of 1.1, so that the classes stay few. */
function weightClass(weight: number): number {
  if (weight <= 32) return Math.round(weight * 1e6) / 1e6;
  return 1.1 ** Math.round(Math.log(weight) / Math.log(1.1));
}

/** What other numbers of the same rows, weighted alike, have said of the rows is taken over. */
export function numberStats(data: NumberData, other?: NumberStats): NumberStats {
  const isAlike = other?.of.rows === data.rows && other.of.weight === data.weight;
  const alike = isAlike ? other : undefined;
  const means = alike?.of.means ?? meanRows(data);
  const meanY = meanNumbers(data, means.weight);
  const shape = alike?.within.a.shape ?? shapeOf(data.nodes, [means.rows]);
  // What differs within a run: its rows less its mean.
  const within = moments(shape, alike?.within, [
    { rows: data.rows, y: data.y, weight: data.weight },
    { rows: means.rows, y: meanY, weight: means.weight.map((total) => -total) },
  ]);
  const between = new Map<number, Moments>();
  const classOf = means.weight.map(weightClass);
  for (const key of [...new Set(classOf)].sort((a, b) => a - b)) {
    const isOwn = classOf.map((one) => (one === key ? 1 : 0));
    const part = { rows: means.rows, y: meanY, weight: isOwn };
    const count = isOwn.reduce((sum, one) => sum + one, 0);
    between.set(key, { ...moments(shape, alike?.between.get(key), [part]), count });
  }
  return {
    within: { ...within, q: Math.max(0, within.q), count: data.count - means.rows.count },
    between,
    of: { rows: data.rows, weight: data.weight, means },
  };
}

interface Part {
  readonly rows: SparseRows;
  readonly y: Float64Array;
  readonly weight: Float64Array;
}

function moments(
  shape: ArrowShape,
  alike: Moments | undefined,
  parts: readonly Part[],
): Pick<Moments, "a" | "c" | "q"> {
  const a = alike?.a ?? emptyArrow(shape);
  if (alike === undefined) for (const { rows, weight } of parts) addGram(rows, weight, a);
  const c = new Float64Array(shape.size);
  let q = 0;
  for (const part of parts) q = addMoments(part, c, q);
  return { a, c, q };
}

/** Adds `Σ x y` to `c`, and gives `q` with `Σ y²`. */
function addMoments({ rows, y, weight }: Part, c: Float64Array, q: number): number {
  let squares = q;
  for (let i = 0; i < rows.count; i += 1) {
    const moved = at(weight, i) * at(y, i);
    if (moved === 0) continue;
    const end = rows.start[i + 1] ?? 0;
    for (let k = rows.start[i] ?? 0; k < end; k += 1) {
      const column = rows.columns[k] ?? 0;
      c[column] = (c[column] ?? 0) + moved * (rows.values[k] ?? 0);
    }
    squares += moved * at(y, i);
  }
  return squares;
}

/** How much room the means' rows have at first, of what as many rows of the data take. */
const FIRST_SHARE = 1.4;

function meanRows({ rows, weight, runs, nodes }: NumberData): Sources["means"] {
  const count = runs.length - 1;
  const start = new Int32Array(count + 1);
  const entries = new EntryList(
    Math.ceil((FIRST_SHARE * rows.columns.length * count) / Math.max(1, rows.count)),
  );
  const totals = new Float64Array(count);
  const sum = new Float64Array(nodes.ids.length);
  const seen = new Int32Array(nodes.ids.length);
  for (let run = 0; run < count; run += 1) {
    const [begin, end] = [at(runs, run), at(runs, run + 1)];
    let total = 0;
    for (let i = begin; i < end; i += 1) total += at(weight, i);
    const from = entries.used;
    entries.makeRoom(at(rows.start, end) - at(rows.start, begin));
    for (let i = begin; i < end; i += 1) {
      const share = at(weight, i) / total;
      const last = rows.start[i + 1] ?? 0;
      for (let k = rows.start[i] ?? 0; k < last; k += 1) {
        const column = rows.columns[k] ?? 0;
        if (seen[column] !== run + 1) {
          seen[column] = run + 1;
          entries.add(column, from);
        }
        sum[column] = (sum[column] ?? 0) + share * (rows.values[k] ?? 0);
      }
    }
    entries.take(sum, from);
    totals[run] = total;
    start[run + 1] = entries.used;
  }
  return { rows: { count, start, ...entries.all() }, weight: totals };
}

/** Each run's weighted mean number. */
function meanNumbers({ y, weight, runs }: NumberData, totals: Float64Array): Float64Array {
  return totals.map((total, run) => {
    let mean = 0;
    for (let i = at(runs, run); i < at(runs, run + 1); i += 1) mean += (at(weight, i) / total) * at(y, i);
    return mean;
  });
}

/** Entries of sparse rows, as many as there turn out to be: room for what might be makes the collector work. */
class EntryList {
  used = 0;
  #columns: Int32Array;
  #values: Float64Array;

  constructor(room: number) {
    this.#columns = new Int32Array(room);
    this.#values = new Float64Array(room);
  }

  makeRoom(count: number): void {
    if (this.used + count <= this.#columns.length) return;
    const room = Math.ceil(1.5 * this.#columns.length) + count;
    const { columns, values } = this.all();
    this.#columns = new Int32Array(room);
    this.#columns.set(columns);
    this.#values = new Float64Array(room);
    this.#values.set(values);
  }

  /** Puts a column in its place among those of its row, which begins at `from`. */
  add(column: number, from: number): void {
    const columns = this.#columns;
    let k = this.used;
    for (; k > from && (columns[k - 1] ?? 0) > column; k -= 1) columns[k] = columns[k - 1] ?? 0;
    columns[k] = column;
    this.used += 1;
  }

  /** Takes the values of the columns from `from` on out of a vector, and leaves 0 there. */
  take(vector: Float64Array, from: number): void {
    for (let k = from; k < this.used; k += 1) {
      const column = this.#columns[k] ?? 0;
      this.#values[k] = vector[column] ?? 0;
      vector[column] = 0;
    }
  }

  all(): Pick<SparseRows, "columns" | "values"> {
    return {
      columns: this.#columns.subarray(0, this.used),
      values: this.#values.subarray(0, this.used),
    };
  }
}
