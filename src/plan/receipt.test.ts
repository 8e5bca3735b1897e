import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { receiptIn } from "../formats/recommendation/read-receipt.ts";
import type { StoredPrediction } from "../formats/recommendation/read-stored.ts";
import { aRun } from "../testing/run-documents.ts";
import { optionNamed } from "./options.ts";
import { logScore, type Outcome, scoreOf } from "./receipt.ts";
import { afterDocument, beforeDocument, withReceipt } from "./receipt-document.ts";

const QUANTILES = { "0.05": 0.4, "0.1": 0.5, "0.25": 0.7, "0.5": 1, "0.75": 1.4, "0.9": 2, "0.95": 2.5 };
const PREDICTED: StoredPrediction = {
  p_success: { mean: 0.8, lo: 0.6, hi: 0.95 },
  cost_usd: { mean: 1.1, lo: 0.5, hi: 2, quantiles: QUANTILES },
  tokens: { mean: 1e5, lo: 5e4, hi: 2e5, quantiles: QUANTILES },
  rounds: { mean: 1.2 },
};
const OUTCOME: Outcome = { costUsd: 1, tokens: 1e5, isAccepted: true, reliability: 0.98, rounds: 1 };

describe("the score of a forecast", () => {
  test("gives the chance of the verdict that came, which may itself be wrong", () => {
    expect(logScore(0.8, true, 0.98)).toBeCloseTo(-0.238257, 6);
    expect(logScore(0.8, false, 0.98)).toBeCloseTo(-1.551169, 6);
    expect(logScore(1, false, 1)).toBe(Math.log(1e-6));
  });

  test("says whether the cost fell into its range, how far from its middle, and before which share", () => {
    expect(scoreOf(PREDICTED, OUTCOME)).toMatchObject({ isCostInside: true, surprise: 0, costShare: 0.5 });
    const dear = scoreOf(PREDICTED, { ...OUTCOME, costUsd: 2 });
    expect(dear.isCostInside).toBe(true);
    expect(dear.surprise).toBeCloseTo(1.2816, 3);
    expect(dear.costShare).toBeCloseTo(0.9, 9);
    expect(scoreOf(PREDICTED, { ...OUTCOME, costUsd: 9 })).toMatchObject({
      isCostInside: false,
      costShare: 1,
    });
  });

  test("scores nothing that is not known: an unknown cost is no zero", () => {
    const unknown: Outcome = { ...OUTCOME, costUsd: undefined, tokens: undefined, isAccepted: undefined };
    expect(Object.values(scoreOf(PREDICTED, unknown)).every((value) => value === undefined)).toBe(true);
  });

  test("grows with the cost, wherever that falls", () => {
    const usd = fc.double({ min: 1e-6, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(usd, usd, (a, b) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)].map((costUsd) =>
          scoreOf(PREDICTED, { ...OUTCOME, costUsd }),
        );
        expect(low?.costShare ?? 0).toBeLessThanOrEqual(high?.costShare ?? 1);
        expect(low?.surprise ?? 0).toBeLessThanOrEqual((high?.surprise ?? 0) + 1e-12);
      }),
    );
  });
});

test("a receipt comes back from the document that carries it", () => {
  const before = beforeDocument(PREDICTED, { rec: "rec_1", fit: "fit_1", madeAt: "2026-11-30T10:00:00Z" });
  const after = afterDocument(PREDICTED, {
    outcome: OUTCOME,
    finishedAt: "2026-11-30T11:00:00Z",
    reasons: [],
    tier: "verified",
    signals: ["s1"],
    fit: "fit_2",
    moved: { chance: { from: 0.8, to: 0.82 }, costUsd: { from: 1.1, to: 1.08 } },
  });
  const document = withReceipt(aRun(1, "claude-opus-5-5", true, 1), { before, ...after });
  expect(receiptIn(document)).toMatchObject({
    before: { rec: "rec_1", predicted: PREDICTED },
    after: { cost_usd: 1, z: 1, q: 0.98 },
  });
  expect(receiptIn(withReceipt(document, { before: { rec: 3 } }))).toBeUndefined();
});

describe("an option is named by its number, its key, or a name that only it has", () => {
  const options = [
    { option: 1, key: "goal", members: [{ config: "cfg_a", name: "solo · a" }] },
    {
      option: 2,
      key: "pair",
      members: [
        { config: "cfg_a", name: "solo · a" },
        { config: "cfg_b", name: "solo · b" },
      ],
    },
    { option: 3, key: "reference", members: [{ config: "cfg_b", name: "solo · b" }] },
  ];
  test.each([
    ["1", 1],
    ["2)", 2],
    [" 3. ", 3],
    ["pair", 2],
    ["solo · b", 3],
    ["cfg_a", 1],
    ["4", undefined],
    ["solo · c", undefined],
    ["", undefined],
  ])("%j", (words, number) => {
    expect(optionNamed(options, words)?.option).toBe(number);
  });
});
