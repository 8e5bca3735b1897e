import { type ArrowShape, coreSize } from "./arrow-shape.ts";
import { paddedSize, rowProducts } from "./cholesky.ts";
import { Room } from "./room.ts";
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

const byPlace = new Room();
const oneRow = new Room();

export function eliminateCrowded(
  shape: ArrowShape,
  tips: Float64Array,
  arms: Float64Array,
  core: Float64Array,
): void {
  const p = coreSize(shape);
  const stride = paddedSize(shape.leaves);
  const g = byPlace.zeros(paddedSize(p) * stride);
  for (let l = 0; l < shape.leaves; l += 1) {
    const scale = 1 / Math.sqrt(at(tips, l));
    const end = shape.start[l + 1] ?? 0;
    for (let a = shape.start[l] ?? 0; a < end; a += 1) {
      g[(shape.columns[a] ?? 0) * stride + l] = scale * (arms[a] ?? 0);
    }
  }
  const block = new Float64Array(16);
  for (let i = 0; i < p; i += 4) {
    for (let j = 0; j <= i; j += 4) {
      rowProducts(g, i * stride, g, j * stride, stride, 0, stride, block);
      for (let r = 0; r < 4 && i + r < p; r += 1) {
        for (let c = 0; c < 4 && j + c <= i + r; c += 1) {
          const target = (i + r) * p + j + c;
          core[target] = (core[target] ?? 0) - (block[4 * r + c] ?? 0);
        }
      }
    }
  }
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

/** Whole rows of the core at a time, four of them in one pass. */
export function crowdedProduct(shape: ArrowShape, arms: Float64Array, core: Float64Array): Float64Array {
  const p = coreSize(shape);
  const product = new Float64Array(arms.length);
  const sum = oneRow.zeros(p);
  const { columns } = shape;
  for (let l = 0; l < shape.leaves; l += 1) {
    const begin = shape.start[l] ?? 0;
    const end = shape.start[l + 1] ?? 0;
    sum.fill(0);
    for (let a = begin; a < end; a += 4) {
      const last = end - 1;
      const r0 = (columns[a] ?? 0) * p;
      const r1 = (columns[Math.min(a + 1, last)] ?? 0) * p;
      const r2 = (columns[Math.min(a + 2, last)] ?? 0) * p;
      const r3 = (columns[Math.min(a + 3, last)] ?? 0) * p;
      const v0 = arms[a] ?? 0;
      const v1 = a + 1 < end ? (arms[a + 1] ?? 0) : 0;
      const v2 = a + 2 < end ? (arms[a + 2] ?? 0) : 0;
      const v3 = a + 3 < end ? (arms[a + 3] ?? 0) : 0;
      for (let j = 0; j < p; j += 1) {
        sum[j] =
          (sum[j] ?? 0) +
          v0 * (core[r0 + j] ?? 0) +
          v1 * (core[r1 + j] ?? 0) +
          v2 * (core[r2 + j] ?? 0) +
          v3 * (core[r3 + j] ?? 0);
      }
    }
    for (let a = begin; a < end; a += 1) product[a] = sum[columns[a] ?? 0] ?? 0;
  }
  return product;
}
