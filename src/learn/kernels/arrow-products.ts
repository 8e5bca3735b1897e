import { type ArrowShape, coreSize } from "./arrow-shape.ts";
import { paddedSize } from "./cholesky.ts";
import { columnAt, matrixMachine, putTransposed, takeTransposed } from "./matrix-machine.ts";
import { at } from "./vector.ts";

/** From this share of entries on, whole blocks with zeros are faster than single entries. */
const CROWDED = 0.15;

/** Whether the leaves meet so much of the core that products are better done in blocks. */
export function isCrowded(shape: ArrowShape): boolean {
  return shape.columns.length > CROWDED * shape.leaves * coreSize(shape);
}

/** Takes `arms' arms / tip` of every leaf from the core's lower triangle. */
export function eliminateSparse(
  shape: ArrowShape,
  tips: Float64Array,
  arms: Float64Array,
  core: Float64Array,
): void {
  const p = coreSize(shape);
  for (let l = 0; l < shape.leaves; l += 1) {
    const tip = tips[l] ?? 1;
    const begin = shape.start[l] ?? 0;
    const end = shape.start[l + 1] ?? 0;
    for (let a = begin; a < end; a += 1) {
      const share = (arms[a] ?? 0) / tip;
      const row = (shape.columns[a] ?? 0) * p;
      for (let b = begin; b <= a; b += 1) {
        const target = row + (shape.columns[b] ?? 0);
        core[target] = (core[target] ?? 0) - share * (arms[b] ?? 0);
      }
    }
  }
}

export function eliminateCrowded(
  shape: ArrowShape,
  tips: Float64Array,
  arms: Float64Array,
  core: Float64Array,
): void {
  const p = coreSize(shape);
  const size = paddedSize(p);
  const height = shape.leaves;
  const machine = matrixMachine();
  const [m = 0, g = 0] = machine.places(size * size, size * height);
  const { numbers, kernels } = machine;
  numbers.fill(0, g, g + size * height);
  for (let l = 0; l < shape.leaves; l += 1) {
    const scale = 1 / Math.sqrt(at(tips, l));
    const end = shape.start[l + 1] ?? 0;
    for (let a = shape.start[l] ?? 0; a < end; a += 1) {
      numbers[columnAt(g, shape.columns[a] ?? 0, height) + 4 * l] = scale * (arms[a] ?? 0);
    }
  }
  putTransposed(numbers, m, core, p, size);
  kernels.takeGram(8 * m, size, 8 * g, height);
  takeTransposed(numbers, m, core, p, p, size);
}

/** The arms times a symmetric matrix of the core, where leaves and core meet. */
export function sparseProduct(shape: ArrowShape, arms: Float64Array, core: Float64Array): Float64Array {
  const p = coreSize(shape);
  const product = new Float64Array(arms.length);
  for (let l = 0; l < shape.leaves; l += 1) {
    const begin = shape.start[l] ?? 0;
    const end = shape.start[l + 1] ?? 0;
    for (let a = begin; a < end; a += 1) {
      const row = (shape.columns[a] ?? 0) * p;
      let sum = 0;
      for (let b = begin; b < end; b += 1) sum += (arms[b] ?? 0) * (core[row + (shape.columns[b] ?? 0)] ?? 0);
      product[a] = sum;
    }
  }
  return product;
}

/** Whole rows of the core at a time. */
export function crowdedProduct(shape: ArrowShape, arms: Float64Array, core: Float64Array): Float64Array {
  const p = coreSize(shape);
  const size = paddedSize(p);
  const product = new Float64Array(arms.length);
  const machine = matrixMachine();
  const [sum = 0, s = 0, values = 0, columns = 0] = machine.places(size, size * p, arms.length, arms.length);
  const { numbers, words, kernels } = machine;
  for (let i = 0; i < p; i += 1) numbers.set(core.subarray(i * p, (i + 1) * p), s + i * size);
  numbers.set(arms, values);
  words.set(shape.columns, 2 * columns);
  for (let l = 0; l < shape.leaves; l += 1) {
    const begin = shape.start[l] ?? 0;
    const end = shape.start[l + 1] ?? 0;
    numbers.fill(0, sum, sum + size);
    kernels.addRows(8 * sum, size, 8 * s, 8 * columns + 4 * begin, 8 * (values + begin), end - begin);
    for (let a = begin; a < end; a += 1) product[a] = numbers[sum + (shape.columns[a] ?? 0)] ?? 0;
  }
  return product;
}
