import { addAt, at } from "../kernels/vector.ts";
import type { NumberRow } from "../rows/head-rows.ts";
import { type NodeList, numberGroups, type PackedRow } from "./design.ts";

/** What the rows of one weight class say: `A = Σ x x'` (lower triangle), `c = Σ x y`, `q = Σ y²`, and how many. */
export interface Moments {
  readonly a: Float64Array;
  readonly c: Float64Array;
  q: number;
  count: number;
}

/**
 * Everything a number head needs of its rows, whatever their count: what differs within runs, and the runs'
 * weighted means by the runs' total weight.
 */
export interface NumberStats {
  readonly nodes: NodeList;
  readonly within: Moments;
  readonly between: ReadonlyMap<number, Moments>;
}

function empty(n: number): Moments {
  return { a: new Float64Array(n * n), c: new Float64Array(n), q: 0, count: 0 };
}

/** Weights above 32 fall to the nearest power of 1.1, so that the classes stay few. */
function weightClass(weight: number): number {
  if (weight <= 32) return Math.round(weight * 1e6) / 1e6;
  return 1.1 ** Math.round(Math.log(weight) / Math.log(1.1));
}

export function numberStats(rows: readonly NumberRow[], nodes: NodeList): NumberStats {
  const n = nodes.ids.length;
  const within = empty(n);
  const between = new Map<number, Moments>();
  for (const members of numberGroups(rows, nodes)) {
    const total = members.reduce((sum, { weight }) => sum + weight, 0);
    const mean = meanRow(members, total);
    for (const { row, y, weight } of members) addRow(within, row, y, weight, n);
    addRow(within, mean.row, mean.y, -total, n);
    within.count += members.length - 1;
    const key = weightClass(total);
    const moments = between.get(key) ?? empty(n);
    between.set(key, moments);
    addRow(moments, mean.row, mean.y, 1, n);
    moments.count += 1;
  }
  within.q = Math.max(0, within.q);
  return { nodes, within, between: new Map([...between].sort(([a], [b]) => a - b)) };
}

function meanRow(
  members: readonly { readonly row: PackedRow; readonly y: number; readonly weight: number }[],
  total: number,
): { readonly row: Pick<PackedRow, "columns" | "values">; readonly y: number } {
  const sums = new Map<number, number>();
  let y = 0;
  for (const member of members) {
    const share = member.weight / total;
    y += share * member.y;
    member.row.columns.forEach((column, k) => {
      sums.set(column, (sums.get(column) ?? 0) + share * at(member.row.values, k));
    });
  }
  const sorted = [...sums].sort(([a], [b]) => a - b);
  return { row: { columns: sorted.map(([c]) => c), values: sorted.map(([, v]) => v) }, y };
}

function addRow(
  moments: Moments,
  { columns, values }: Pick<PackedRow, "columns" | "values">,
  y: number,
  weight: number,
  n: number,
): void {
  for (let k = 0; k < columns.length; k += 1) {
    const value = weight * at(values, k);
    const row = at(columns, k) * n;
    for (let m = 0; m <= k; m += 1) addAt(moments.a, row + at(columns, m), value * at(values, m));
    addAt(moments.c, at(columns, k), value * y);
  }
  moments.q += weight * y * y;
}
