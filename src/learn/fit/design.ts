import { byCodePoint } from "../../core/canonical-json.ts";
import { InvariantError } from "../../core/result.ts";
import type { ArrowMatrix } from "../kernels/arrow.ts";
import { type ArrowShape, coreSize } from "../kernels/arrow-shape.ts";
import { addAt, at } from "../kernels/vector.ts";
import type { AttemptRow, BinaryRow, NumberRow } from "../rows/head-rows.ts";
import { groupOf } from "../rows/terms.ts";
import type { HeadPrior } from "./prior-table.ts";
import { compareRows, type NodeList, pickRows, RowStore, reorderRows, type SparseRows } from "./row-store.ts";

/** Rows with yes or no answers, equal ones counted together. */
export interface BinaryData {
  /** Answers, before equal rows were counted together. */
  readonly count: number;
  readonly nodes: NodeList;
  readonly rows: SparseRows;
  readonly shape: ArrowShape;
  readonly trials: Float64Array;
  readonly yes: Float64Array;
  readonly reliability: Float64Array;
}

/** Rows with numbers. */
export interface NumberData {
  readonly count: number;
  readonly nodes: NodeList;
  readonly rows: SparseRows;
  readonly y: Float64Array;
  readonly weight: Float64Array;
  /** Where each run's rows begin, and at last where all end. */
  readonly runs: Int32Array;
}

/** The prior of a head's effects as arrays. `group` is -1 for an effect without a scale. */
export interface PriorArrays {
  readonly groups: readonly string[];
  readonly group: Int32Array;
  readonly mean: Float64Array;
  readonly variance: Float64Array;
  readonly ln: Float64Array;
  readonly lnSd: Float64Array;
}

/** Packs answers and adds up equal rows. Neither the order of rows nor that of terms changes the result. */
export function binaryData(given: Iterable<BinaryRow>, store = new RowStore()): BinaryData {
  const isYes: boolean[] = [];
  const reliability: number[] = [];
  const weight: number[] = [];
  for (const row of given) {
    store.add(row.terms);
    isYes.push(row.isYes);
    reliability.push(row.reliability);
    weight.push(row.weight);
  }
  const all = Int32Array.from(weight, (_, row) => row);
  const { nodes, rows } = store.pack(all, all, "given-up");
  const compare = (a: number, b: number) =>
    (reliability[a] ?? 0) - (reliability[b] ?? 0) || compareRows(rows, a, b);
  const order = [...all].sort(compare);
  const firsts = order.filter((row, i) => i === 0 || compare(order[i - 1] ?? row, row) !== 0);
  const trials = new Float64Array(firsts.length);
  const yes = new Float64Array(firsts.length);
  let place = -1;
  for (const row of order) {
    if (firsts[place + 1] === row) place += 1;
    addAt(trials, place, weight[row] ?? 0);
    if (isYes[row] === true) addAt(yes, place, weight[row] ?? 0);
  }
  const packed = pickRows(rows, firsts);
  return {
    count: weight.length,
    nodes,
    rows: packed,
    shape: shapeOf(nodes, [packed]),
    trials,
    yes,
    reliability: Float64Array.from(firsts, (row) => reliability[row] ?? 1),
  };
}

/** Packs numbers, the rows of a run together, in an order that does not depend on how they came. */
export function numberData(given: Iterable<NumberRow>): NumberData {
  const store = new RowStore();
  const numbers = new NumberList();
  for (const { terms, y, weight, group } of given) numbers.add(store.add(terms), y, weight, group);
  return nth(packNumbers(store, "given-up", numbers), 0);
}

/** Packs attempts, whose dollars and tokens have the same terms. The data are good until the store is emptied. */
export function attemptData(
  given: Iterable<AttemptRow>,
  store = new RowStore(),
): { readonly cost: NumberData; readonly tokens: NumberData } {
  const cost = new NumberList();
  const tokens = new NumberList();
  for (const { terms, lnUsd, usdWeight, lnTokens, group } of given) {
    const row = store.add(terms);
    if (lnUsd !== undefined) cost.add(row, lnUsd, usdWeight, group);
    if (lnTokens !== undefined) tokens.add(row, lnTokens, 1, group);
  }
  const isAlike =
    cost.rows.length === tokens.rows.length && cost.rows.every((row, i) => row === tokens.rows[i]);
  const packed = isAlike
    ? packNumbers(store, "given-up", cost, tokens)
    : [cost, tokens].flatMap((list) => packNumbers(store, "kept", list));
  return { cost: nth(packed, 0), tokens: nth(packed, 1) };
}

function nth(packed: readonly NumberData[], place: number): NumberData {
  const data = packed[place];
  if (data === undefined) throw new InvariantError("numbers were lost on the way");
  return data;
}

/** Numbers side by side rather than an object each: there are hundreds of thousands. */
class NumberList {
  readonly rows: number[] = [];
  readonly y: number[] = [];
  readonly weight: number[] = [];
  /** Rows of a run come together: where each lot begins, and whose it is. */
  readonly #starts: number[] = [];
  readonly #groups: string[] = [];

  add(row: number, y: number, weight: number, group: string): void {
    if (this.#groups.at(-1) !== group) {
      this.#groups.push(group);
      this.#starts.push(this.rows.length);
    }
    this.rows.push(row);
    this.y.push(y);
    this.weight.push(weight);
  }

  /** Places in the order of their runs' names, and for each the number of its run. */
  byRun(): { readonly places: Int32Array; readonly runs: Int32Array } {
    const groups = this.#groups;
    const lots = [...groups.keys()].sort((a, b) => byCodePoint(groups[a] ?? "", groups[b] ?? ""));
    const places = new Int32Array(this.rows.length);
    const runs = new Int32Array(this.rows.length);
    let used = 0;
    let run = -1;
    for (const [i, lot] of lots.entries()) {
      if (i === 0 || groups[lot] !== groups[lots[i - 1] ?? -1]) run += 1;
      const end = this.#starts[lot + 1] ?? this.rows.length;
      for (let place = this.#starts[lot] ?? end; place < end; place += 1) {
        places[used] = place;
        runs[used] = run;
        used += 1;
      }
    }
    return { places, runs };
  }
}

/** Numbers of the same rows, which share them. */
function packNumbers(
  store: RowStore,
  after: "kept" | "given-up",
  numbers: NumberList,
  alike?: NumberList,
): readonly NumberData[] {
  const { places, runs } = numbers.byRun();
  const { nodes, rows } = store.pack(
    places.map((place) => numbers.rows[place] ?? 0),
    runs,
    after,
  );
  const columns = [numbers, ...(alike === undefined ? [] : [alike])].map((list) => ({
    y: Float64Array.from(places, (place) => list.y[place] ?? 0),
    weight: Float64Array.from(places, (place) => list.weight[place] ?? 0),
  }));
  const starts: number[] = [];
  for (let begin = 0; begin < places.length; ) {
    let end = begin + 1;
    while (end < places.length && runs[end] === runs[begin]) end += 1;
    sortRun(rows, columns, begin, end);
    starts.push(begin);
    begin = end;
  }
  starts.push(places.length);
  const ends = Int32Array.from(starts);
  return columns.map(({ y, weight }) => ({ count: places.length, nodes, rows, y, weight, runs: ends }));
}

interface Columns {
  readonly y: Float64Array;
  readonly weight: Float64Array;
}

/** Rows of a run by what they hold, equal ones by their numbers: an order that does not depend on how they came. */
function sortRun(rows: SparseRows, all: readonly Columns[], begin: number, end: number): void {
  if (end - begin < 2) return;
  const order = Array.from({ length: end - begin }, (_, i) => begin + i);
  order.sort((a, b) => compareRows(rows, a, b));
  if (order.some((row, i) => row !== begin + i)) {
    reorderRows(rows, begin, order);
    for (const columns of all) reorder(columns, begin, order);
  }
  for (let from = begin; from < end; ) {
    let to = from + 1;
    while (to < end && compareRows(rows, from, to) === 0) to += 1;
    for (const columns of to - from > 1 ? all : []) {
      const equal = Array.from({ length: to - from }, (_, i) => from + i);
      reorder(
        columns,
        from,
        equal.sort((a, b) => at(columns.y, a) - at(columns.y, b)),
      );
    }
    from = to;
  }
}

function reorder({ y, weight }: Columns, begin: number, order: readonly number[]): void {
  const [numbers, weights] = [order.map((i) => at(y, i)), order.map((i) => at(weight, i))];
  y.set(numbers, begin);
  weight.set(weights, begin);
}

export function priorArrays(nodes: NodeList, prior: HeadPrior): PriorArrays {
  const groups: string[] = [];
  const group = new Int32Array(nodes.ids.length);
  const mean = new Float64Array(nodes.ids.length);
  const variance = new Float64Array(nodes.ids.length);
  nodes.ids.forEach((id, j) => {
    const node = prior.node(id);
    mean[j] = node.mean;
    variance[j] = node.variance;
    const name = groupOf(id);
    if (node.isScaled && groups.at(-1) !== name && !groups.includes(name)) groups.push(name);
    group[j] = node.isScaled ? groups.indexOf(name) : -1;
  });
  const scales = groups.map((name) => prior.scale(name));
  return {
    groups,
    group,
    mean,
    variance,
    ln: Float64Array.from(scales, ({ ln }) => ln),
    lnSd: Float64Array.from(scales, ({ lnSd }) => lnSd),
  };
}

/** The prior variance of every effect when the groups have these ln scales. */
export function priorVariance(prior: PriorArrays, theta: Float64Array): Float64Array {
  return prior.variance.map((variance, j) => {
    const group = at(prior.group, j);
    return group < 0 ? variance : variance + Math.exp(2 * at(theta, group));
  });
}

/** Adds the prior of every effect to a precision matrix. */
export function addPriorPrecision(precision: ArrowMatrix, variance: Float64Array): void {
  const { leaves } = precision.shape;
  const p = coreSize(precision.shape);
  for (let l = 0; l < leaves; l += 1) addAt(precision.tips, l, 1 / at(variance, l));
  for (let j = 0; j < p; j += 1) addAt(precision.core, j * p + j, 1 / at(variance, leaves + j));
}

/** Adds the precision of every effect's prior times its mean. */
export function addPriorShift(shift: Float64Array, prior: PriorArrays, variance: Float64Array): void {
  for (let j = 0; j < shift.length; j += 1) addAt(shift, j, at(prior.mean, j) / at(variance, j));
}

/** The pattern of `X' X`. */
export function shapeOf({ ids, leaves }: NodeList, all: readonly SparseRows[]): ArrowShape {
  const p = ids.length - leaves;
  const met = new Uint8Array(leaves * p);
  for (const rows of all) {
    for (let i = 0; i < rows.count; i += 1) {
      const begin = rows.start[i] ?? 0;
      const end = rows.start[i + 1] ?? 0;
      const first = rows.columns[begin] ?? leaves;
      if (first >= leaves || begin === end) continue;
      const own = first * p - leaves;
      for (let k = begin + 1; k < end; k += 1) met[own + (rows.columns[k] ?? 0)] = 1;
    }
  }
  const start = new Int32Array(leaves + 1);
  const columns = new Int32Array(met.reduce((sum, one) => sum + one, 0));
  let used = 0;
  for (let l = 0; l < leaves; l += 1) {
    for (let j = 0; j < p; j += 1) {
      if (met[l * p + j] !== 1) continue;
      columns[used] = j;
      used += 1;
    }
    start[l + 1] = used;
  }
  return { size: ids.length, leaves, start, columns };
}

/** `X b`, row by row. */
export function predictors(rows: SparseRows, b: Float64Array): Float64Array {
  const eta = new Float64Array(rows.count);
  for (let i = 0; i < rows.count; i += 1) {
    let sum = 0;
    const end = rows.start[i + 1] ?? 0;
    for (let k = rows.start[i] ?? 0; k < end; k += 1) {
      sum += (rows.values[k] ?? 0) * (b[rows.columns[k] ?? 0] ?? 0);
    }
    eta[i] = sum;
  }
  return eta;
}

/** `X' r`. */
export function transposed(rows: SparseRows, r: Float64Array, n: number): Float64Array {
  const sum = new Float64Array(n);
  for (let i = 0; i < rows.count; i += 1) {
    const value = r[i] ?? 0;
    const end = rows.start[i + 1] ?? 0;
    for (let k = rows.start[i] ?? 0; k < end; k += 1) {
      const column = rows.columns[k] ?? 0;
      sum[column] = (sum[column] ?? 0) + value * (rows.values[k] ?? 0);
    }
  }
  return sum;
}
