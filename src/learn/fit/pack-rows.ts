import { byCodePoint } from "../../core/canonical-json.ts";
import { at } from "../kernels/vector.ts";
import { groupOf } from "../rows/terms.ts";
import type { NodeList, SparseRows, StoredRows } from "./row-store.ts";

/** Levels with many effects of which a task has one. */
const LEAF_LEVELS = ["repo", "subtype", "task"];

/**
 * Some of the rows. Neighbors of one block are told apart together. Rows that are `given-up` are packed in place where
 * the order allows it.
 */
export function packRows(
  stored: StoredRows,
  chosen: Int32Array,
  blocks: Int32Array,
  after: "kept" | "given-up" = "kept",
): { readonly nodes: NodeList; readonly rows: SparseRows } {
  const { nodes, placeOf } = nodesOf(stored, chosen, blocks);
  const start = new Int32Array(chosen.length + 1);
  // In ascending order what is written never overtakes what is read.
  const isInPlace = after === "given-up" && chosen.every((row, i) => i === 0 || at(chosen, i - 1) < row);
  const most = isInPlace ? 0 : termsOf(stored, chosen);
  const columns = isInPlace ? stored.columns : new Int32Array(most);
  const values = isInPlace ? stored.values : new Float64Array(most);
  let used = 0;
  for (let i = 0; i < chosen.length; i += 1) {
    const row = at(chosen, i);
    const begin = used;
    const end = at(stored.start, row + 1);
    for (let k = at(stored.start, row); k < end; k += 1) {
      used = insert(columns, values, begin, used, at(placeOf, at(stored.columns, k)), at(stored.values, k));
    }
    start[i + 1] = used;
  }
  // Views: terms that meet in one column are few, and a copy would be of everything.
  const rows = {
    count: chosen.length,
    start,
    columns: columns.subarray(0, used),
    values: values.subarray(0, used),
  };
  return { nodes, rows };
}

function termsOf({ start }: StoredRows, chosen: Int32Array): number {
  let count = 0;
  for (const row of chosen) count += at(start, row + 1) - at(start, row);
  return count;
}

function nodesOf(
  { ids: names, start, columns }: StoredRows,
  chosen: Int32Array,
  blocks: Int32Array,
): { readonly nodes: NodeList; readonly placeOf: Int32Array } {
  const isUsed = new Uint8Array(names.length);
  const groups = names.map(groupOf);
  const levels = groups.map((group) => LEAF_LEVELS.indexOf(group));
  const isShared = LEAF_LEVELS.map(() => false);
  const last = LEAF_LEVELS.map(() => -1);
  for (let i = 0; i < chosen.length; i += 1) {
    const row = at(chosen, i);
    if (i === 0 || blocks[i] !== blocks[i - 1]) last.fill(-1);
    const end = at(start, row + 1);
    for (let k = at(start, row); k < end; k += 1) {
      const column = at(columns, k);
      isUsed[column] = 1;
      const level = levels[column] ?? -1;
      if (level < 0) continue;
      const before = last[level] ?? -1;
      if (before >= 0 && before !== column) isShared[level] = true;
      last[level] = column;
    }
  }
  const used = [...isUsed.keys()].filter((column) => isUsed[column] === 1);
  const sizeOf = (level: string) => used.filter((column) => groups[column] === level).length;
  const [leaf] = LEAF_LEVELS.map((level, i) => ({ level, size: isShared[i] === true ? 0 : sizeOf(level) }))
    .filter(({ size }) => size > 0)
    .sort((a, b) => b.size - a.size);
  const rank = (column: number) => (groups[column] === leaf?.level ? 0 : 1);
  used.sort(
    (a, b) =>
      rank(a) - rank(b) ||
      byCodePoint(groups[a] ?? "", groups[b] ?? "") ||
      byCodePoint(names[a] ?? "", names[b] ?? ""),
  );
  const placeOf = new Int32Array(names.length);
  for (const [place, column] of used.entries()) placeOf[column] = place;
  const ids = used.map((column) => names[column] ?? "");
  const index = new Map(ids.map((id, place) => [id, place] as const));
  return { nodes: { ids, index, leaves: leaf?.size ?? 0 }, placeOf };
}

/** Puts an entry in its place between `begin` and `used`; one whose column is there already is added to it. */
function insert(
  columns: Int32Array,
  values: Float64Array,
  begin: number,
  used: number,
  column: number,
  value: number,
): number {
  let k = used;
  while (k > begin && (columns[k - 1] ?? 0) >= column) k -= 1;
  if (k < used && columns[k] === column) {
    values[k] = (values[k] ?? 0) + value;
    return used;
  }
  for (let m = used; m > k; m -= 1) {
    columns[m] = columns[m - 1] ?? 0;
    values[m] = values[m - 1] ?? 0;
  }
  columns[k] = column;
  values[k] = value;
  return used + 1;
}
