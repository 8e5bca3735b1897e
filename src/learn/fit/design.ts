import { byCodePoint } from "../../core/canonical-json.ts";
import { addAt, at } from "../kernels/vector.ts";
import type { BinaryRow, NumberRow } from "../rows/head-rows.ts";
import { groupOf, type Term } from "../rows/terms.ts";
import type { HeadPrior } from "./prior-table.ts";

/** The effects of a head in a fixed order: by group, then by name. */
export interface NodeList {
  readonly ids: readonly string[];
  readonly index: ReadonlyMap<string, number>;
}

/** Sparse rows, columns ascending within each. */
export interface SparseRows {
  readonly count: number;
  readonly start: Int32Array;
  readonly columns: Int32Array;
  readonly values: Float64Array;
}

/** Rows with yes or no answers, equal ones counted together. */
export interface BinaryData {
  readonly nodes: NodeList;
  readonly rows: SparseRows;
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

export function nodeList(rows: readonly { readonly terms: readonly Term[] }[]): NodeList {
  const seen = new Set<string>();
  for (const { terms } of rows) for (const [node] of terms) seen.add(node);
  const ids = [...seen]
    .map((id) => [groupOf(id), id] as const)
    .sort((a, b) => byCodePoint(a[0], b[0]) || byCodePoint(a[1], b[1]))
    .map(([, id]) => id);
  return { ids, index: new Map(ids.map((id, index) => [id, index] as const)) };
}

export interface PackedRow {
  readonly columns: readonly number[];
  readonly values: readonly number[];
  readonly key: string;
}

/** The terms of a row with repeated effects added up, in column order, and a text that equal rows share. */
export function packRow(terms: readonly Term[], nodes: NodeList): PackedRow {
  const sums = new Map<number, number>();
  for (const [node, value] of terms) {
    const column = nodes.index.get(node);
    if (column !== undefined) sums.set(column, (sums.get(column) ?? 0) + value);
  }
  const sorted = [...sums].sort(([a], [b]) => a - b);
  return {
    columns: sorted.map(([column]) => column),
    values: sorted.map(([, value]) => value),
    key: sorted.map(([column, value]) => (value === 1 ? column : `${column}*${value}`)).join(","),
  };
}

export function sparseRows(rows: readonly PackedRow[]): SparseRows {
  const start = new Int32Array(rows.length + 1);
  rows.forEach(({ columns }, i) => {
    start[i + 1] = (start[i] ?? 0) + columns.length;
  });
  const columns = new Int32Array(start[rows.length] ?? 0);
  const values = new Float64Array(columns.length);
  rows.forEach((row, i) => {
    columns.set(row.columns, start[i] ?? 0);
    values.set(row.values, start[i] ?? 0);
  });
  return { count: rows.length, start, columns, values };
}

/** Packs answers and adds up equal rows. Neither the order of rows nor that of terms changes the result. */
export function binaryData(rows: readonly BinaryRow[]): BinaryData {
  const nodes = nodeList(rows);
  const merged = new Map<string, { row: PackedRow; trials: number; yes: number; reliability: number }>();
  for (const { terms, isYes, reliability, weight } of rows) {
    const row = packRow(terms, nodes);
    const key = `${reliability}|${row.key}`;
    const known = merged.get(key) ?? { row, trials: 0, yes: 0, reliability };
    known.trials += weight;
    if (isYes) known.yes += weight;
    merged.set(key, known);
  }
  const sorted = [...merged].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
  return {
    nodes,
    rows: sparseRows(sorted.map(({ row }) => row)),
    trials: Float64Array.from(sorted, ({ trials }) => trials),
    yes: Float64Array.from(sorted, ({ yes }) => yes),
    reliability: Float64Array.from(sorted, ({ reliability }) => reliability),
  };
}

/** Numbers by run, both in an order that does not depend on how they came. */
export function numberGroups(
  rows: readonly NumberRow[],
  nodes: NodeList,
): readonly (readonly { readonly row: PackedRow; readonly y: number; readonly weight: number }[])[] {
  const groups = new Map<string, { row: PackedRow; y: number; weight: number }[]>();
  for (const { terms, y, weight, group } of rows) {
    const entry = { row: packRow(terms, nodes), y, weight };
    const members = groups.get(group);
    if (members === undefined) groups.set(group, [entry]);
    else members.push(entry);
  }
  const sorted = [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([, members]) =>
    members.sort((a, b) => (a.row.key < b.row.key ? -1 : a.row.key > b.row.key ? 1 : a.y - b.y)),
  );
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

/** Adds the prior of every effect to a precision matrix (row by row) and to its product with the mean. */
export function addPrior(
  precision: Float64Array,
  shift: Float64Array,
  prior: PriorArrays,
  variance: Float64Array,
): void {
  const n = shift.length;
  for (let j = 0; j < n; j += 1) {
    addAt(precision, j * n + j, 1 / at(variance, j));
    addAt(shift, j, at(prior.mean, j) / at(variance, j));
  }
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

/** Adds `X' diag(w) X` to the lower triangle of a row-major `n x n` matrix. */
export function addGram(rows: SparseRows, w: Float64Array, matrix: Float64Array, n: number): void {
  for (let i = 0; i < rows.count; i += 1) {
    const weight = w[i] ?? 0;
    const begin = rows.start[i] ?? 0;
    const end = rows.start[i + 1] ?? 0;
    for (let k = begin; k < end; k += 1) {
      const row = (rows.columns[k] ?? 0) * n;
      const value = weight * (rows.values[k] ?? 0);
      for (let m = begin; m <= k; m += 1) {
        const target = row + (rows.columns[m] ?? 0);
        matrix[target] = (matrix[target] ?? 0) + value * (rows.values[m] ?? 0);
      }
    }
  }
}

/** `x' S x` of every row. */
export function quadratics(rows: SparseRows, s: Float64Array, n: number): Float64Array {
  const result = new Float64Array(rows.count);
  for (let i = 0; i < rows.count; i += 1) {
    const begin = rows.start[i] ?? 0;
    const end = rows.start[i + 1] ?? 0;
    let sum = 0;
    for (let k = begin; k < end; k += 1) {
      const row = (rows.columns[k] ?? 0) * n;
      const value = rows.values[k] ?? 0;
      let inner = 0.5 * (s[row + (rows.columns[k] ?? 0)] ?? 0) * value;
      for (let m = begin; m < k; m += 1)
        inner += (s[row + (rows.columns[m] ?? 0)] ?? 0) * (rows.values[m] ?? 0);
      sum += 2 * value * inner;
    }
    result[i] = sum;
  }
  return result;
}
