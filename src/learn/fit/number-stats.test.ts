import { expect, test } from "vitest";
import { keyedStream } from "../kernels/keyed-random.ts";
import type { AttemptRow } from "../rows/head-rows.ts";
import { attemptData } from "./number-data.ts";
import { numberStats } from "./number-stats.ts";

const stream = keyedStream(5, "number stats");

/** Runs of up to three attempts, every fourth attempt of two that hold the same. */
function attempts(usdWeight: (i: number) => number): readonly AttemptRow[] {
  return Array.from({ length: 120 }, (_, i): AttemptRow => {
    const run = Math.floor(i / 3);
    return {
      terms: [
        ["fixed:intercept", 1],
        [`repo:${run % 7}`, 1],
        [`model:${i % 4 === 3 ? 2 : i % 3}`, 1],
      ],
      lnUsd: stream.normal(i),
      usdWeight: usdWeight(i),
      lnTokens: stream.normal(1000 + i),
      group: `run ${run}`,
    };
  });
}

test.each([
  ["weighted alike", () => 1, true],
  ["weighted otherwise", (i: number) => (i % 5 === 0 ? 0.7 : 1), false],
] as const)("tokens beside dollars %s say what they say alone", (_, usdWeight, isShared) => {
  const { cost, tokens } = attemptData(attempts(usdWeight));
  const first = numberStats(cost);
  const alone = numberStats(tokens);
  const beside = numberStats(tokens, first);
  expect(beside.within.a === first.within.a).toBe(isShared);
  expect([beside.within, [...beside.between]]).toEqual([alone.within, [...alone.between]]);
});
