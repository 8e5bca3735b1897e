import type { ArrowPosterior } from "./arrow.ts";
import { coreSize } from "./arrow-shape.ts";
import { paddedSize } from "./cholesky.ts";
import { columnAt, matrixMachine } from "./matrix-machine.ts";
import { at } from "./vector.ts";

/**
 * Gives each leaf's covariance with the core and, for the leaves up to it, what its meetings add to theirs:
 * `Σ_k arms[m][k] covariance[k]`, to be divided by the tip; only for itself when the leaves are not `paired`. The
 * arrays hold until the next leaf.
 */
export function eachLeaf(
  posterior: ArrowPosterior,
  isPaired: boolean,
  visit: (leaf: number, withCore: Float64Array, added: Float64Array) => void,
): void {
  const { shape, tips, arms } = posterior;
  const { leaves, start, columns } = shape;
  const p = coreSize(shape);
  const size = paddedSize(p);
  const covariance = posterior.coreCovariance();
  const machine = matrixMachine();
  const wide = isPaired ? paddedSize(leaves) : 0;
  const [sum = 0, s = 0, columnsAt = 0, values = 0, panel = 0, all = 0, out = 0] = machine.places(
    size,
    size * p,
    p,
    p,
    4 * p,
    wide * p,
    4 * wide,
  );
  const { numbers, words, kernels } = machine;
  for (let i = 0; i < p; i += 1) numbers.set(covariance.subarray(i * p, (i + 1) * p), s + i * size);
  if (isPaired) {
    numbers.fill(0, all, all + wide * p);
    for (let l = 0; l < leaves; l += 1) {
      const column = columnAt(all, l, p);
      const end = at(start, l + 1);
      for (let a = at(start, l); a < end; a += 1) numbers[column + 4 * at(columns, a)] = at(arms, a);
    }
  }
  const withCore = [0, 1, 2, 3].map(() => new Float64Array(p));
  const added = new Float64Array(leaves);
  for (let first = 0; first < leaves; first += 4) {
    const count = Math.min(4, leaves - first);
    for (let r = 0; r < count; r += 1) {
      const l = first + r;
      const begin = at(start, l);
      const own = at(start, l + 1) - begin;
      words.set(columns.subarray(begin, begin + own), 2 * columnsAt);
      for (let a = 0; a < own; a += 1) numbers[values + a] = -at(arms, begin + a) / at(tips, l);
      numbers.fill(0, sum, sum + size);
      kernels.addRows(8 * sum, size, 8 * s, 8 * columnsAt, 8 * values, own);
      withCore[r]?.set(numbers.subarray(sum, sum + p));
      for (let j = 0; j < p; j += 1) numbers[panel + 4 * j + r] = numbers[sum + j] ?? 0;
    }
    const known = Math.min(wide, first + 4);
    if (isPaired) kernels.panelProducts(8 * out, 8 * panel, 8 * all, p, known);
    for (const [r, own] of withCore.slice(0, count).entries()) {
      const l = first + r;
      if (isPaired) added.set(numbers.subarray(out + r * known, out + r * known + l + 1));
      else added[l] = meetings(posterior, l, own);
      visit(l, own, added);
    }
  }
}

function meetings({ shape, arms }: ArrowPosterior, l: number, withCore: Float64Array): number {
  let sum = 0;
  const end = at(shape.start, l + 1);
  for (let a = at(shape.start, l); a < end; a += 1) sum += at(arms, a) * at(withCore, at(shape.columns, a));
  return sum;
}
