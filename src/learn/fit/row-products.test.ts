import { describe, expect, test } from "vitest";
import { sourceHash } from "../../testing/source-hash.ts";
import { type ArrowMatrix, emptyArrow } from "../kernels/arrow.ts";
import type { ArrowShape } from "../kernels/arrow-shape.ts";
import { keyedStream } from "../kernels/keyed-random.ts";
import { at } from "../kernels/vector.ts";
import { MATRIX_SOURCE_SHA256 } from "../kernels/wasm.ts";
import { addGram, quadratics } from "./row-products.ts";
import type { SparseRows } from "./row-store.ts";

const LEAVES = 3;
const CORE = 5;
/** More than the kernels get at once. */
const ROWS = 9000;
const EVERY_MEETING: ArrowShape = {
  size: LEAVES + CORE,
  leaves: LEAVES,
  start: Int32Array.of(0, CORE, 2 * CORE, 3 * CORE),
  columns: Int32Array.from({ length: LEAVES * CORE }, (_, i) => i % CORE),
};
const stream = keyedStream(9, "row products");

/** Every fourth row has no leaf, every seventh is empty. */
function someRows(): SparseRows {
  const columns: number[] = [];
  const start = [0];
  for (let i = 0; i < ROWS; i += 1) {
    if (i % 7 !== 0) {
      if (i % 4 !== 0) columns.push(i % LEAVES);
      for (let j = 0; j < CORE; j += 1) if (stream.uniform(CORE * i + j) < 0.6) columns.push(LEAVES + j);
    }
    start.push(columns.length);
  }
  const values = columns.map((_, k) => stream.normal(k));
  return {
    count: ROWS,
    start: Int32Array.from(start),
    columns: Int32Array.from(columns),
    values: Float64Array.from(values),
  };
}

/** Entry (i, j) of the matrix, or where it lies. */
function placeOf({ tips, arms, core }: ArrowMatrix, i: number, j: number): readonly [Float64Array, number] {
  const [low, high] = i < j ? [i, j] : [j, i];
  if (high < LEAVES) return [tips, high];
  return low < LEAVES ? [arms, low * CORE + high - LEAVES] : [core, (high - LEAVES) * CORE + low - LEAVES];
}

function termsOf(rows: SparseRows, i: number): readonly (readonly [column: number, value: number])[] {
  const begin = at(rows.start, i);
  const columns = rows.columns.slice(begin, at(rows.start, i + 1));
  return [...columns].map((column, k) => [column, at(rows.values, begin + k)]);
}

describe("products of many sparse rows are those of plain loops", () => {
  const rows = someRows();

  test("to the bit where they add up", () => {
    const weights = Float64Array.from({ length: ROWS }, (_, i) => (i % 11 === 0 ? 0 : stream.uniform(i)));
    const found = emptyArrow(EVERY_MEETING);
    found.core[0] = 0.25;
    const plain = emptyArrow(EVERY_MEETING);
    plain.core[0] = 0.25;
    for (let i = 0; i < ROWS; i += 1) {
      const terms = termsOf(rows, i);
      for (const [k, [column, value]] of terms.entries()) {
        for (const [other, more] of terms.slice(0, k + 1)) {
          const [numbers, place] = placeOf(plain, column, other);
          // A leaf's own value is the one that is weighted.
          const product = other < LEAVES ? at(weights, i) * more * value : at(weights, i) * value * more;
          numbers[place] = at(numbers, place) + product;
        }
      }
    }
    addGram(rows, weights, found);
    expect(found).toEqual(plain);
  });

  test("row by row", () => {
    const s = emptyArrow(EVERY_MEETING);
    for (const numbers of [s.tips, s.arms, s.core]) {
      for (let i = 0; i < numbers.length; i += 1) numbers[i] = stream.normal(100 + i);
    }
    const found = quadratics(rows, s);
    for (let i = 0; i < ROWS; i += 1) {
      const terms = termsOf(rows, i);
      let sum = 0;
      for (const [a, x] of terms) {
        for (const [b, y] of terms) {
          const [numbers, place] = placeOf(s, a, b);
          sum += x * at(numbers, place) * y;
        }
      }
      expect(Math.abs(at(found, i) - sum)).toBeLessThan(1e-10);
    }
  });
});

test("the kernels are built from the source that is here", () => {
  expect(sourceHash("matrix")).toBe(MATRIX_SOURCE_SHA256);
});
