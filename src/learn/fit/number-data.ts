import { byCodePoint } from "../../core/canonical-json.ts";
import { InvariantError } from "../../core/result.ts";
import { GrowingNumbers } from "../kernels/growing.ts";
import { at } from "../kernels/vector.ts";
import type { AttemptRow, NumberRow } from "../rows/head-rows.ts";
import { packRows } from "./pack-rows.ts";
import { compareRows, type NodeList, RowMover, RowStore, type SparseRows } from "./row-store.ts";

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
  const isAlike = cost.rows.length === tokens.rows.length && isEqual(cost.rows.all(), tokens.rows.all());
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
  readonly rows = new GrowingNumbers();
  readonly y = new GrowingNumbers();
  readonly weight = new GrowingNumbers();
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
  const { nodes, rows } = packRows(
    store.all(),
    places.map((place) => numbers.rows.at(place)),
    runs,
    after,
  );
  const columns = [numbers, ...(alike === undefined ? [] : [alike])].map((list) => ({
    y: list.y.some(places),
    weight: list.weight.some(places),
  }));
  const sorter = new RunSorter(rows, columns);
  const starts: number[] = [];
  for (let begin = 0; begin < places.length; ) {
    let end = begin + 1;
    while (end < places.length && runs[end] === runs[begin]) end += 1;
    sorter.sort(begin, end);
    starts.push(begin);
    begin = end;
  }
  starts.push(places.length);
  const ends = Int32Array.from(starts);
  return columns.map(({ y, weight }) => ({
    count: places.length,
    nodes,
    rows,
    y,
    // One array for equal weights: who sees it need not look at the rows again.
    weight: columns.find((other) => isEqual(other.weight, weight))?.weight ?? weight,
    runs: ends,
  }));
}

function isEqual(a: Float64Array, b: Float64Array): boolean {
  return a.every((value, i) => value === b[i]);
}

interface Columns {
  readonly y: Float64Array;
  readonly weight: Float64Array;
}

/** Rows of a run by what they hold, equal ones by their numbers: an order that does not depend on how they came. */
class RunSorter {
  readonly #rows: SparseRows;
  readonly #all: readonly Columns[];
  readonly #mover = new RowMover();
  readonly #compare = (a: number, b: number): number => compareRows(this.#rows, a, b);

  constructor(rows: SparseRows, all: readonly Columns[]) {
    this.#rows = rows;
    this.#all = all;
  }

  sort(begin: number, end: number): void {
    if (end - begin < 2) return;
    if (!this.#isSorted(begin, end)) {
      const order = placesFrom(begin, end).sort(this.#compare);
      this.#mover.move(this.#rows, begin, order);
      for (const columns of this.#all) reorder(columns, begin, order);
    }
    for (let from = begin; from < end; ) {
      let to = from + 1;
      while (to < end && compareRows(this.#rows, from, to) === 0) to += 1;
      for (const columns of to - from > 1 ? this.#all : []) {
        const order = placesFrom(from, to).sort((a, b) => at(columns.y, a) - at(columns.y, b));
        reorder(columns, from, order);
      }
      from = to;
    }
  }

  #isSorted(begin: number, end: number): boolean {
    for (let row = begin + 1; row < end; row += 1)
      if (compareRows(this.#rows, row - 1, row) > 0) return false;
    return true;
  }
}

function placesFrom(begin: number, end: number): number[] {
  const places: number[] = [];
  for (let place = begin; place < end; place += 1) places.push(place);
  return places;
}

function reorder({ y, weight }: Columns, begin: number, order: readonly number[]): void {
  const [numbers, weights] = [order.map((i) => at(y, i)), order.map((i) => at(weight, i))];
  y.set(numbers, begin);
  weight.set(weights, begin);
}
