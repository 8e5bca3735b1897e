import type { ArrowMatrix } from "../kernels/arrow.ts";
import { type ArrowShape, coreSize } from "../kernels/arrow-shape.ts";
import { GrowingNumbers } from "../kernels/growing.ts";
import { addAt, at } from "../kernels/vector.ts";
import type { BinaryRow } from "../rows/head-rows.ts";
import { groupOf } from "../rows/terms.ts";
import { packRows } from "./pack-rows.ts";
import type { HeadPrior } from "./prior-table.ts";
import {
  compareRows,
  type NodeList,
  pickRows,
  RowStore,
  type SparseRows,
  type StoredRows,
} from "./row-store.ts";

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

/** The prior of a head's effects as arrays. `group` is -1 for an effect without a scale. */
export interface PriorArrays {
  readonly groups: readonly string[];
  readonly group: Int32Array;
  readonly mean: Float64Array;
  readonly variance: Float64Array;
  readonly ln: Float64Array;
  readonly lnSd: Float64Array;
}

/** Answers as they come, before equal rows are found. As plain arrays they can go to another thread. */
export interface AnswerRows {
  readonly rows: StoredRows;
  readonly isYes: Float64Array;
  readonly reliability: Float64Array;
  readonly weight: Float64Array;
}

export function answerRows(given: Iterable<BinaryRow>, store: RowStore): AnswerRows {
  const isYes = new GrowingNumbers();
  const reliability = new GrowingNumbers();
  const weight = new GrowingNumbers();
  for (const row of given) {
    store.add(row.terms);
    isYes.push(row.isYes ? 1 : 0);
    reliability.push(row.reliability);
    weight.push(row.weight);
  }
  return { rows: store.all(), isYes: isYes.all(), reliability: reliability.all(), weight: weight.all() };
}

/** Packs answers and adds up equal rows. Neither the order of rows nor that of terms changes the result. */
export function binaryData(given: Iterable<BinaryRow>, store = new RowStore()): BinaryData {
  return packedAnswers(answerRows(given, store));
}

/** The rows are gone afterwards. */
export function packedAnswers({ rows: stored, isYes, reliability, weight }: AnswerRows): BinaryData {
  const all = new Int32Array(weight.length).map((_, row) => row);
  const { nodes, rows } = packRows(stored, all, all, "given-up");
  const compare = (a: number, b: number) =>
    at(reliability, a) - at(reliability, b) || compareRows(rows, a, b);
  const order = [...all].sort(compare);
  const firsts = order.filter((row, i) => i === 0 || compare(order[i - 1] ?? row, row) !== 0);
  const trials = new Float64Array(firsts.length);
  const yes = new Float64Array(firsts.length);
  let place = -1;
  for (const row of order) {
    if (firsts[place + 1] === row) place += 1;
    addAt(trials, place, at(weight, row));
    if (at(isYes, row) === 1) addAt(yes, place, at(weight, row));
  }
  const packed = pickRows(rows, firsts);
  return {
    count: weight.length,
    nodes,
    rows: packed,
    shape: shapeOf(nodes, [packed]),
    trials,
    yes,
    reliability: Float64Array.from(firsts, (row) => at(reliability, row)),
  };
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
