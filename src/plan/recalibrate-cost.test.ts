import { describe, expect, test } from "vitest";
import { keyedStream } from "../learn/kernels/keyed-random.ts";
import { normalQuantile } from "../learn/kernels/normal.ts";
import { at } from "../learn/kernels/vector.ts";
import { costRecalibrationOf, type ForeseenCost, recalibratedCosts } from "./recalibrate-cost.ts";
import { SHARES } from "./summary.ts";

/** Foretold as lognormal with this spread around 1 dollar. */
function foretold(sd: number): ForeseenCost["quantiles"] {
  return Object.fromEntries(SHARES.map((share) => [String(share), Math.exp(sd * normalQuantile(share))]));
}

/** Runs whose ln cost has spread 1 and this mean, foretold with another spread. */
function runs(count: number, sd: number, mean = 0, key = "x"): readonly ForeseenCost[] {
  const luck = keyedStream(5, `costs/${key}`);
  return Array.from({ length: count }, (_, i) => ({
    quantiles: foretold(sd),
    usd: Math.exp(mean + luck.normal(i)),
  }));
}

/** The share of new runs inside the corrected 80% range of a forecast of this spread. */
function coverage(seen: readonly ForeseenCost[], sd: number, mean = 0): number {
  const draws = Float64Array.from({ length: 999 }, (_, i) => Math.exp(sd * normalQuantile((i + 0.5) / 999)));
  const found = costRecalibrationOf(seen);
  const sorted = (found === undefined ? draws : recalibratedCosts(draws, found)).slice().sort();
  const [lo, hi] = [at(sorted, 100), at(sorted, 898)];
  const fresh = runs(4000, sd, mean, "fresh");
  return fresh.filter(({ usd }) => lo <= usd && usd <= hi).length / fresh.length;
}

describe("ranges of costs are corrected by where earlier costs fell", () => {
  test("so that forecasts that were too sure, or off to one side, hold more of what comes", () => {
    expect(coverage([], 0.5)).toBeLessThan(0.5);
    expect(coverage(runs(500, 0.5), 0.5)).toBeGreaterThan(0.65);
    expect(coverage(runs(500, 1, 1), 1, 1)).toBeGreaterThan(coverage([], 1, 1) + 0.1);
  });

  test("and those that held stay about as they were", () => {
    for (const key of ["a", "b", "c", "d", "e"]) {
      expect(Math.abs(coverage(runs(150, 1, 0, key), 1) - coverage([], 1))).toBeLessThan(0.03);
    }
  });

  test("by a hundred runs at least, of the latest five hundred, in any scale and order of the draws", () => {
    expect(costRecalibrationOf(runs(99, 1))).toBeUndefined();
    expect(costRecalibrationOf(runs(700, 1))?.shares).toHaveLength(500);
    const found = costRecalibrationOf(runs(300, 0.5, 0.3));
    if (found === undefined) throw new Error("no correction");
    const draws = Float64Array.of(3, 1, 2, 8, 5);
    const moved = recalibratedCosts(draws, found);
    expect([...moved].sort((a, b) => a - b)).toEqual([1, 2, 0, 4, 3].map((i) => at(moved, i)));
    const larger = recalibratedCosts(
      draws.map((value) => 10 * value),
      found,
    );
    larger.forEach((value, d) => {
      expect(value).toBeCloseTo(10 * at(moved, d), 9);
    });
  });

  test("and a cost of nothing, or a forecast of nothing, is not counted", () => {
    const free = runs(200, 1).map((run) => ({ ...run, usd: 0 }));
    expect(costRecalibrationOf(free)).toBeUndefined();
    const nothing = runs(200, 1).map((run) => ({ ...run, quantiles: { "0.1": 0, "0.9": 0 } }));
    expect(costRecalibrationOf(nothing)).toBeUndefined();
  });
});
