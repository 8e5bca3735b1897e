import { expect, test } from "vitest";
import { receiptTexts } from "./receipt.ts";

const RECEIPT = {
  predicted: { chance: 0.19, cost_usd: { mean: 0.5, lo: 0.1, hi: 1 } },
  moved: { chance: { from: 0.19, to: 0.32 }, cost_usd: { from: 0.5, to: 0.4 } },
  so_far: { costs: 4, costs_inside: 3 },
  cost_in_interval: true,
};
const textsOf = (actual: { readonly cost_usd: number | null; readonly accepted: boolean | null }) =>
  receiptTexts({ ...RECEIPT, actual }).map(([label, text]) => `${label}: ${text}`);

test("a receipt holds chance and cost against what came", () => {
  expect(textsOf({ cost_usd: 0.3, accepted: true })).toEqual([
    "foretold: 19 % accepted, $0.50 (80 % from $0.10 to $1.00); came: accepted, $0.30, inside",
    "learned: chance 19 % → 32 % · cost $0.50 → $0.40 a run · 3 of 4 costs in their 80 % ranges",
  ]);
});

test("a run whose cost is unknown is held against its chance alone, and without an outcome against nothing", () => {
  expect(textsOf({ cost_usd: null, accepted: true })).toEqual([
    "foretold: 19 % accepted; came: accepted, cost unknown",
    "learned: chance 19 % → 32 % · 3 of 4 costs in their 80 % ranges",
  ]);
  expect(textsOf({ cost_usd: null, accepted: null })).toEqual([]);
});
