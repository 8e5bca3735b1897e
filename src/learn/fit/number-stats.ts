import { type ArrowMatrix, emptyArrow } from "../kernels/arrow.ts";
import { addAt, at } from "../kernels/vector.ts";
import { type NumberData, shapeOf } from "./design.ts";
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
}

/** Weights above 32 fall to the nearest power of 1.1, so that the classes stay few. */
function weightClass(weight: number): number {
  if (weight <= 32) return Math.round(weight * 1e6) / 1e6;
  return 1.1 ** Math.round(Math.log(weight) / Math.log(1.1));
}

export function numberStats(data: NumberData): NumberStats {
  const means = runMeans(data);
  const shape = shapeOf(data.nodes, [means.rows]);
  const empty = (): MutableMoments => ({
    a: emptyArrow(shape),
    c: new Float64Array(shape.size),
    q: 0,
    count: 0,
  });
  const within = empty();
  const between = new Map<number, MutableMoments>();
  // What differs within a run: its rows less its mean.
  addRows(within, data.rows, data.y, data.weight);
  addRows(
    within,
    means.rows,
    means.y,
    means.weight.map((total) => -total),
  );
  within.count = data.count - means.rows.count;
  const classes = [...new Set(Array.from(means.weight, weightClass))].sort((a, b) => a - b);
  for (const key of classes) {
    const own = empty();
    const isOwn = means.weight.map((total) => (weightClass(total) === key ? 1 : 0));
    addRows(own, means.rows, means.y, isOwn);
    own.count = isOwn.reduce((sum, one) => sum + one, 0);
    between.set(key, own);
  }
  within.q = Math.max(0, within.q);
  return { within, between };
}

type MutableMoments = { -readonly [K in keyof Moments]: Moments[K] };

function addRows(to: MutableMoments, rows: SparseRows, y: Float64Array, weight: Float64Array): void {
  addGram(rows, weight, to.a);
  for (let i = 0; i < rows.count; i += 1) {
    const moved = at(weight, i) * at(y, i);
    const end = rows.start[i + 1] ?? 0;
    for (let k = rows.start[i] ?? 0; k < end; k += 1) {
      addAt(to.c, rows.columns[k] ?? 0, moved * (rows.values[k] ?? 0));
    }
    to.q += moved * at(y, i);
  }
}

/** Each run's weighted mean row, and its total weight. */
function runMeans({ rows, y, weight, runs, nodes }: NumberData): {
  readonly rows: SparseRows;
  readonly y: Float64Array;
  readonly weight: Float64Array;
} {
  const count = runs.length - 1;
  const start = new Int32Array(count + 1);
  const columns = new Int32Array(rows.columns.length);
  const values = new Float64Array(rows.columns.length);
  const means = new Float64Array(count);
  const totals = new Float64Array(count);
  const sum = new Float64Array(nodes.ids.length);
  const seen = new Int32Array(nodes.ids.length);
  let used = 0;
  for (let run = 0; run < count; run += 1) {
    const [begin, end] = [at(runs, run), at(runs, run + 1)];
    let total = 0;
    for (let i = begin; i < end; i += 1) total += at(weight, i);
    const from = used;
    for (let i = begin; i < end; i += 1) {
      const share = at(weight, i) / total;
      means[run] = at(means, run) + share * at(y, i);
      const last = rows.start[i + 1] ?? 0;
      for (let k = rows.start[i] ?? 0; k < last; k += 1) {
        const column = rows.columns[k] ?? 0;
        if (seen[column] !== run + 1) {
          seen[column] = run + 1;
          columns[used] = column;
          used += 1;
        }
        sum[column] = (sum[column] ?? 0) + share * (rows.values[k] ?? 0);
      }
    }
    columns.subarray(from, used).sort();
    for (let k = from; k < used; k += 1) {
      values[k] = sum[columns[k] ?? 0] ?? 0;
      sum[columns[k] ?? 0] = 0;
    }
    totals[run] = total;
    start[run + 1] = used;
  }
  const kept = { count, start, columns: columns.subarray(0, used), values: values.subarray(0, used) };
  return { rows: kept, y: means, weight: totals };
}
