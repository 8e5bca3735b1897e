import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { keyedStream } from "../../learn/kernels/keyed-random.ts";
import { anytimeBoundary, anytimeDecision, lifetimeAlpha } from "./anytime.ts";

describe("deciding at any time", () => {
  test.each([
    [6, 6],
    [7, 7],
    [8, 8],
    [10, 9],
    [12, 11],
    [16, 14],
    [20, 16],
    [24, 19],
    [32, 24],
    [48, 34],
    [64, 43],
    [128, 80],
  ])("after %d telling pairs takes %d wins at 5 %%", (pairs, wins) => {
    expect(anytimeBoundary(0.05)[pairs]).toBe(wins);
  });

  test("adopts a change that is no better at most as often as stated, though one looks at every pair", () => {
    let adopted = 0;
    const tests = 2000;
    const bounds = anytimeBoundary(0.05);
    for (let seed = 0; seed < tests; seed += 1) {
      const stream = keyedStream(seed, "anytime");
      let wins = 0;
      for (let m = 1; m <= 128; m += 1) {
        if (stream.uniform(m) < 0.5) wins += 1;
        if (wins >= (bounds[m] ?? Number.POSITIVE_INFINITY)) {
          adopted += 1;
          break;
        }
      }
    }
    expect(adopted / tests).toBeLessThan(0.06);
  });

  test("treats both arms alike", () => {
    fc.assert(
      fc.property(fc.nat(64), fc.nat(64), (wins, losses) => {
        const there = anytimeDecision(wins, losses, 0.05);
        const back = anytimeDecision(losses, wins, 0.05);
        const mirrored = { adopt: "reject", reject: "adopt" } as const;
        expect(back).toBe(there === undefined || wins === losses ? there : mirrored[there]);
      }),
      { numRuns: 30 },
    );
  });
});

test("the levels of a loop's candidates add up to less than its lifetime level", () => {
  const sum = Array.from({ length: 10_000 }, (_, i) => lifetimeAlpha(0.05, i + 1)).reduce((a, b) => a + b, 0);
  expect(sum).toBeLessThan(0.05);
  expect(lifetimeAlpha(0.05, 1)).toBeCloseTo(0.0304, 4);
});
