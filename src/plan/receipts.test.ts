import { describe, expect, test } from "vitest";
import { type RunFacts, readRun } from "../learn/index.ts";
import { SHIPPED_PRIOR } from "../learn/prior/load.ts";
import { aRun } from "../testing/run-documents.ts";
import { calibrationOf, type Receipt, receiptsOf } from "./receipts.ts";

const NOW = Date.parse("2026-11-30T12:00:00Z");

function facts(n: number, isAccepted: boolean, usd: number): RunFacts {
  const document = aRun(n, "claude-opus-5-5", isAccepted, usd);
  return readRun({ document, z: isAccepted ? 1 : 0, tier: "verified" }, NOW);
}

describe("receipts", { timeout: 60_000 }, () => {
  const runs = Array.from({ length: 24 }, (_, n) => facts(n, n % 4 !== 0, 1 + 0.1 * (n % 5)));

  test("predict a run from the runs before it only", () => {
    const before = receiptsOf(runs, SHIPPED_PRIOR);
    const changed = runs.map((run, i) => (i === 23 ? facts(23, false, 500) : run));
    const after = receiptsOf(changed, SHIPPED_PRIOR);
    expect(after[23]?.costUsd).toEqual(before[23]?.costUsd);
    expect(after[23]?.realizedUsd).toBe(500);
    expect(after.slice(0, 20)).toEqual(before.slice(0, 20));
  });

  test("get sharper as runs come in", () => {
    const receipts = receiptsOf(runs, SHIPPED_PRIOR);
    const width = (receipt: Receipt | undefined) =>
      Math.log((receipt?.costUsd.hi ?? 1) / (receipt?.costUsd.lo ?? 1));
    expect(width(receipts.at(-1))).toBeLessThan(width(receipts[0]) / 2);
  });
});

const receipt = (more: Partial<Receipt>): Receipt => ({
  run: "run_1",
  successProb: 0.8,
  isAccepted: true,
  costUsd: { mean: 1, lo: 0.5, hi: 2 },
  realizedUsd: 1,
  ...more,
});

test("ranges that miss too often, or never, are said to have failed", () => {
  const outside = Array.from({ length: 60 }, (_, i) => receipt({ realizedUsd: i % 2 === 0 ? 9 : 1 }));
  expect(calibrationOf(outside).cost.held).toBe("failed");
  const wide = Array.from({ length: 60 }, () => receipt({}));
  expect(calibrationOf(wide).cost.held).toBe("failed");
  const right = Array.from({ length: 60 }, (_, i) => receipt({ realizedUsd: i % 5 === 0 ? 9 : 1 }));
  expect(calibrationOf(right).cost).toMatchObject({ held: "held", inside: 48 });
});

test("a cost that is not known is not scored, and few receipts are no verdict", () => {
  const { cost, success } = calibrationOf([
    {
      run: "run_2",
      successProb: 0.8,
      isAccepted: undefined,
      costUsd: { mean: 1, lo: 1, hi: 1 },
      realizedUsd: undefined,
    },
    receipt({}),
  ]);
  expect(cost).toMatchObject({ scored: 1, held: "too-few" });
  expect(success).toMatchObject({ scored: 1, held: "too-few" });
});

test("chances that promise too much are said to have failed", () => {
  const boastful = Array.from({ length: 40 }, (_, i) =>
    receipt({ successProb: 0.9, isAccepted: i % 2 === 0 }),
  );
  expect(calibrationOf(boastful).success.held).toBe("failed");
  const fair = Array.from({ length: 40 }, (_, i) => receipt({ successProb: 0.75, isAccepted: i % 4 !== 0 }));
  expect(calibrationOf(fair).success.held).toBe("held");
});
