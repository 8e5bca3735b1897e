import { describe, expect, test } from "vitest";
import { logistic, normalQuantile } from "../learn/kernels/normal.ts";
import { at } from "../learn/kernels/vector.ts";
import { explorationGains, outlook } from "./explore.ts";
import { type LoopReach, walkLoop } from "./flow.ts";
import { retryRescue } from "./rescue.ts";
import { expectedRounds } from "./through-gates.ts";

const gate = (piece: string) => ({ id: `g_${piece}`, rule: "tests_pass", piece, sendsBackTo: "implement" });

describe("a loop of pieces and gates has the expectation that enumeration gives", () => {
  const chances = (...byRound: readonly number[]) => byRound.map((chance) => Float64Array.of(chance));
  const expected = ({ reach, gatesBefore }: LoopReach, piece: string) =>
    reach.reduce((sum, passed) => sum + at(passed[gatesBefore.get(piece) ?? -1] ?? [], 0), 0);

  test("one gate whose chance grows by round", () => {
    const loop = { pieces: ["implement", "review"], gates: [gate("review")] };
    const reach = walkLoop(loop, 3, [chances(0.6, 0.7, 0.8)], 1);
    expect(2 * expected(reach, "implement") + 0.5 * expected(reach, "review")).toBeCloseTo(3.8, 12);
    expect(at(expectedRounds([reach], 1), 0)).toBeCloseTo(1.52, 12);
    expect(at(reach.exhausted, 0)).toBeCloseTo(0.024, 12);
  });

  test("two gates in one loop", () => {
    const loop = { pieces: ["implement", "tests", "review"], gates: [gate("tests"), gate("review")] };
    const reach = walkLoop(loop, 3, [chances(0.7), chances(0.6)], 1);
    const cost =
      2 * expected(reach, "implement") + 0.1 * expected(reach, "tests") + 0.5 * expected(reach, "review");
    expect(cost).toBeCloseTo(4.69518, 10);
    expect(at(expectedRounds([reach], 1), 0)).toBeCloseTo(1.9164, 10);
    expect(at(reach.exhausted, 0)).toBeCloseTo(0.195112, 10);
  });
});

test("retrying after a miss has the published price", () => {
  const decay = { first: 0.5, later: 0.5 };
  const rescue = retryRescue(Float64Array.of(0.8, 0.6, 0.4), Float64Array.of(1, 2, 3), 3, decay);
  expect(rescue.usd).toBeCloseTo(8.630705, 6);
  expect(rescue.acceptedProb).toBeCloseTo(0.401667, 6);
});

describe("the worth of exploring is that of exact enumeration", () => {
  const even = Float64Array.from({ length: 4000 }, (_, i) => normalQuantile((i + 0.5) / 4000));
  test.each([
    [0.3, 0.5, 0.7, [0, 0, 0, 0.0038, 0.0076]],
    [0.5, 1, 0.7, [0, 0.0065, 0.0164, 0.0231, 0.0306]],
    [0.2, 0.25, 0.6, [0, 0, 0.0037, 0.0079, 0.0127]],
    [1.2, 0.3, 0.8, [0, 0, 0, 0.0038, 0.0076]],
  ])("belief %d with variance %d against a known chance of %d", (mean, variance, reference, gains) => {
    const free = even.map(() => 0);
    const candidates = [
      outlook(
        even.map(() => reference),
        free,
      ),
      outlook(
        even.map((z) => logistic(mean + Math.sqrt(variance) * z)),
        free,
      ),
    ];
    const found = explorationGains(candidates, 1, 1, 0.25, 1).map(({ gainUsd }) => gainUsd);
    gains.forEach((gain, i) => {
      expect(Math.abs(at(found, i) - gain)).toBeLessThan(4e-4);
    });
    found.forEach((gain, i) => {
      expect(gain).toBeGreaterThanOrEqual(i === 0 ? 0 : at(found, i - 1) - 1e-9);
    });
  });

  test("a candidate like the best one is worth nothing", () => {
    const same = outlook(
      even.map(() => logistic(1)),
      even.map(() => 1),
    );
    const gains = explorationGains([same, same], 1, 10, 0.25);
    for (const { gainUsd } of gains) expect(gainUsd).toBeLessThan(1e-6);
  });
});
