import fc from "fast-check";
import { expect, test } from "vitest";
import { costPerAccepted, type DecidedRun } from "./accepted-cost.ts";

const aRun = fc.record({ isAccepted: fc.boolean(), microUsd: fc.nat({ max: 5_000_000 }) });

test("the band of a cost per accepted run holds its own estimate", () => {
  fc.assert(
    fc.property(fc.array(aRun, { minLength: 5, maxLength: 40 }), (runs: readonly DecidedRun[]) => {
      const { mean, lo, hi } = costPerAccepted(runs);
      if (typeof mean !== "number") return;
      expect(lo).toBeLessThanOrEqual(mean);
      expect(typeof hi === "number" ? hi : Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(mean);
    }),
  );
});

test("what rejected runs cost is part of what an accepted one costs", () => {
  const runs = [
    { isAccepted: true, microUsd: 1_000_000 },
    { isAccepted: false, microUsd: 3_000_000 },
  ];
  expect(costPerAccepted(runs)).toMatchObject({ mean: 4, lo: null, hi: null, why: "a band needs 5 runs" });
});

test("without an accepted run there is no cost of one", () => {
  expect(costPerAccepted([{ isAccepted: false, microUsd: 1 }])).toMatchObject({ mean: null, accepted: 0 });
});
