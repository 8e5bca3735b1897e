import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type ArrowMatrix,
  ArrowPosterior,
  arrowQuadratic,
  copyArrow,
  emptyArrow,
  traceOfProduct,
} from "./arrow.ts";
import { isCrowded } from "./arrow-products.ts";
import { type ArrowShape, coreSize } from "./arrow-shape.ts";
import { factorize, inverse, logDeterminant, solve } from "./cholesky.ts";
import { keyedStream } from "./keyed-random.ts";
import { at } from "./vector.ts";

/** A random shape: each leaf meets each core column with the given chance. */
function randomShape(seed: number, leaves: number, core: number, chance: number): ArrowShape {
  const stream = keyedStream(seed, "shape");
  const met = Array.from({ length: leaves }, (_, l) =>
    Array.from({ length: core }, (_unused, j) => j).filter((j) => stream.uniform(l * core + j) < chance),
  );
  const start = new Int32Array(leaves + 1);
  for (const [l, own] of met.entries()) start[l + 1] = at(start, l) + own.length;
  return { size: leaves + core, leaves, start, columns: Int32Array.from(met.flat()) };
}

/** Random numbers in that shape, with a diagonal that makes it positive definite. */
function randomArrow(seed: number, shape: ArrowShape): ArrowMatrix {
  const stream = keyedStream(seed, "arrow");
  const matrix = emptyArrow(shape);
  const p = coreSize(shape);
  matrix.arms.forEach((_, i) => {
    matrix.arms[i] = stream.normal(i);
  });
  matrix.tips.fill(3 + p);
  for (let i = 0; i < p; i += 1) {
    for (let j = 0; j < i; j += 1) matrix.core[i * p + j] = stream.normal(10_000 + i * p + j);
    matrix.core[i * p + i] = 3 + 2 * shape.size;
  }
  return matrix;
}

function dense({ shape, tips, arms, core }: ArrowMatrix): Float64Array {
  const n = shape.size;
  const p = coreSize(shape);
  const full = new Float64Array(n * n);
  const set = (i: number, j: number, value: number) => {
    full[i * n + j] = value;
    full[j * n + i] = value;
  };
  for (let l = 0; l < shape.leaves; l += 1) {
    set(l, l, at(tips, l));
    for (let a = at(shape.start, l); a < at(shape.start, l + 1); a += 1) {
      set(l, shape.leaves + at(shape.columns, a), at(arms, a));
    }
  }
  for (let i = 0; i < p; i += 1) {
    for (let j = 0; j <= i; j += 1) set(shape.leaves + i, shape.leaves + j, at(core, i * p + j));
  }
  return full;
}

function expectClose(found: ArrayLike<number>, wanted: ArrayLike<number>): void {
  let worst = 0;
  for (let i = 0; i < wanted.length; i += 1) worst = Math.max(worst, Math.abs(at(found, i) - at(wanted, i)));
  expect(found.length).toBe(wanted.length);
  expect(worst).toBeLessThan(1e-10);
}

describe("a posterior whose leaves are eliminated equals the dense one", () => {
  test.each([
    ["few meetings", 0.05],
    ["many meetings", 0.6],
  ])("%s", (_, chance) => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1000 }),
        fc.nat(12),
        fc.integer({ min: 1, max: 14 }),
        (seed, leaves, p) => {
          const matrix = randomArrow(seed, randomShape(seed, leaves, p, chance));
          const full = dense(matrix);
          const n = matrix.shape.size;
          const reference = factorize(full, n);
          const posterior = ArrowPosterior.factor(copyArrow(matrix));
          if (reference === undefined || posterior === undefined) throw new Error("not positive definite");
          const covariance = inverse(reference);
          const b = Float64Array.from({ length: n }, (_unused, j) => Math.sin(j + seed));
          expectClose(posterior.solve(b), solve(reference, b));
          expect(posterior.logDeterminant()).toBeCloseTo(logDeterminant(reference), 9);
          expectClose(
            posterior.variances(),
            b.map((_unused, j) => at(covariance, j * n + j)),
          );
          const product = covariance.reduce((sum, value, i) => sum + value * at(full, i), 0);
          expect(traceOfProduct(matrix, posterior.covariance())).toBeCloseTo(product, 8);
          let square = 0;
          for (let i = 0; i < n; i += 1)
            for (let j = 0; j < n; j += 1) square += at(b, i) * at(b, j) * at(full, i * n + j);
          expect(arrowQuadratic(matrix, b)).toBeCloseTo(square, 7);
          expect(posterior.quadratic([...b.keys()], b)).toBeCloseTo(
            solve(reference, b).reduce((sum, value, j) => sum + value * at(b, j), 0),
            9,
          );
        },
      ),
      { numRuns: 40 },
    );
  });

  test("both ways to multiply are tried above", () => {
    expect(isCrowded(randomShape(1, 10, 12, 0.05))).toBe(false);
    expect(isCrowded(randomShape(1, 10, 12, 0.6))).toBe(true);
  });
});

test("draws have the posterior's covariance", () => {
  const posterior = ArrowPosterior.factor(randomArrow(4, randomShape(4, 2, 3, 0.6)));
  if (posterior === undefined) throw new Error("not positive definite");
  // A draw is linear in the numbers it is made of, so its covariance is the sum over unit vectors.
  const n = posterior.shape.size;
  const columns = Array.from({ length: n }, (_, k) => {
    const z = new Float64Array(n);
    z[k] = 1;
    posterior.draw(z);
    return z;
  });
  const sums = Float64Array.from({ length: n }, (_, j) => columns.reduce((sum, z) => sum + at(z, j) ** 2, 0));
  expectClose(sums, posterior.variances());
});

test("a leaf without precision has no posterior", () => {
  const matrix = randomArrow(1, randomShape(1, 3, 3, 0.5));
  matrix.tips[1] = 0;
  expect(ArrowPosterior.factor(matrix)).toBeUndefined();
});
