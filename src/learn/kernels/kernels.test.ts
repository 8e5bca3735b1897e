import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { betaQuantile, incompleteBeta, logGamma, studentCdf } from "./beta.ts";
import { factorize, inverse, logDeterminant, rowStart, solve } from "./cholesky.ts";
import { keyedStream, philox } from "./keyed-random.ts";
import { normalCdf, normalQuantile } from "./normal.ts";
import { gaussHermite, logisticNormalMean } from "./quadrature.ts";
import { at } from "./vector.ts";

function positiveDefinite(n: number): Float64Array {
  const stream = keyedStream(7, `matrix ${n}`);
  const g = Float64Array.from({ length: n * n }, (_, i) => stream.normal(i));
  const a = new Float64Array(n * n);
  for (let i = 0; i < n; i += 1) {
    for (let j = 0; j < n; j += 1) {
      let sum = i === j ? n : 0;
      for (let k = 0; k < n; k += 1) sum += at(g, i * n + k) * at(g, j * n + k);
      a[i * n + j] = sum;
    }
  }
  return a;
}

function plainCholesky(a: Float64Array, n: number): Float64Array {
  const l = new Float64Array(n * n);
  for (let i = 0; i < n; i += 1) {
    for (let j = 0; j <= i; j += 1) {
      let sum = at(a, i * n + j);
      for (let k = 0; k < j; k += 1) sum -= at(l, i * n + k) * at(l, j * n + k);
      l[i * n + j] = i === j ? Math.sqrt(sum) : sum / at(l, j * n + j);
    }
  }
  return l;
}

const SIZES = [...Array.from({ length: 40 }, (_, i) => i + 1), 150];

test.each(SIZES)("the blocked factor and inverse of %d nodes agree with the plain loops", (n) => {
  const a = positiveDefinite(n);
  const factor = factorize(a, n);
  if (factor === undefined) throw new Error("not positive definite");
  const plain = plainCholesky(a, n);
  for (let i = 0; i < n; i += 1) {
    for (let j = 0; j <= i; j += 1) {
      const expected = at(plain, i * n + j);
      expect(Math.abs(at(factor.l, rowStart(i) + j) - expected)).toBeLessThan(1e-12 * (1 + n));
    }
  }
  const s = inverse(factor);
  let worst = 0;
  for (let i = 0; i < n; i += 1) {
    for (let j = 0; j < n; j += 1) {
      let sum = 0;
      for (let k = 0; k < n; k += 1) sum += at(a, i * n + k) * at(s, k * n + j);
      worst = Math.max(worst, Math.abs(sum - (i === j ? 1 : 0)));
    }
  }
  expect(worst).toBeLessThan(1e-10);
  const x = solve(factor, a.subarray(0, n));
  expect(x[0]).toBeCloseTo(1, 9);
  expect(logDeterminant(factor)).toBeCloseTo(
    2 * Array.from({ length: n }, (_, i) => Math.log(at(plain, i * n + i))).reduce((a2, b) => a2 + b, 0),
    8,
  );
});

test("a matrix that is not positive definite has no factor, and a singular one gets a jitter", () => {
  expect(factorize(Float64Array.of(1, 2, 2, 1), 2)).toBeUndefined();
  expect(factorize(Float64Array.of(Number.NaN), 1)).toBeUndefined();
  expect(factorize(Float64Array.of(1, 1, 1, 1), 2)?.jitter).toBeGreaterThan(0);
});

describe("special functions have their published values", () => {
  test.each([
    [0, 0.5],
    [1, 0.841344746068543],
    [-1.96, 0.0249978951482204],
    [3, 0.99865010196837],
    [-8, 6.22096057427178e-16],
  ])("Φ(%d) = %d", (x, p) => expect(Math.abs(normalCdf(x) / p - 1)).toBeLessThan(1e-7));

  test.each([
    [0.975, 1.95996398454005],
    [0.9, 1.2815515655446],
    [1e-10, -6.36134090240406],
  ])("Φ⁻¹(%d) = %d", (p, x) => expect(normalQuantile(p)).toBeCloseTo(x, 11));

  test("the quantile undoes the distribution function", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-12, max: 1 - 1e-12, noNaN: true }), (p) => {
        expect(Math.abs(normalCdf(normalQuantile(p)) - p)).toBeLessThan(1e-12);
      }),
    );
  });

  test("ln Γ, incomplete beta and Student's distribution", () => {
    expect(logGamma(0.5)).toBeCloseTo(Math.log(Math.sqrt(Math.PI)), 12);
    expect(logGamma(10)).toBeCloseTo(Math.log(362880), 10);
    expect(incompleteBeta(0.5, 6, 1)).toBeCloseTo(1 / 64, 12);
    expect(incompleteBeta(0.3, 2, 5)).toBeCloseTo(0.579825, 10);
    expect(studentCdf(1, 1)).toBeCloseTo(0.75, 12);
    expect(studentCdf(-2.228138852, 10)).toBeCloseTo(0.025, 8);
    expect(betaQuantile(0.579825, 2, 5)).toBeCloseTo(0.3, 8);
  });

  test("Gauss-Hermite integrates the moments of the standard normal exactly", () => {
    const { nodes, weights } = gaussHermite(21);
    const moment = (k: number) => nodes.reduce((sum, x, i) => sum + at(weights, i) * x ** k, 0);
    expect([0, 1, 2, 4, 6].map(moment).map((m) => Math.abs(Math.round(m * 1e9)) / 1e9)).toEqual([
      1, 0, 1, 3, 15,
    ]);
    expect(logisticNormalMean(0, 4)).toBeCloseTo(0.5, 12);
    expect(logisticNormalMean(1, 1)).toBeCloseTo(0.696735, 5);
  });
});

describe("keyed random numbers are frozen", () => {
  test("Philox 2x32-10 has the published vectors", () => {
    expect(philox(0, 0, 0)).toEqual([0xff1dae59, 0x6cd10df2]);
    expect(philox(0xffffffff, 0xffffffff, 0xffffffff)).toEqual([0x2c3f628b, 0xab4fd7ad]);
    expect(philox(0x243f6a88, 0x85a308d3, 0x13198a2e)).toEqual([0xdd7ce038, 0xf62a4c12]);
  });

  test("a stream belongs to its seed and key, and is standard normal", () => {
    const stream = keyedStream(1, "success/model:x");
    expect(stream.normal(3)).toBe(keyedStream(1, "success/model:x").normal(3));
    expect(stream.normal(3)).not.toBe(keyedStream(1, "success/model:y").normal(3));
    const draws = Array.from({ length: 4000 }, (_, i) => stream.normal(i));
    const mean = draws.reduce((a, b) => a + b, 0) / draws.length;
    const variance = draws.reduce((a, b) => a + (b - mean) ** 2, 0) / draws.length;
    expect(Math.abs(mean)).toBeLessThan(0.05);
    expect(Math.abs(variance - 1)).toBeLessThan(0.07);
  });
});
