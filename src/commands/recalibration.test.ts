import { expect, test } from "vitest";
import type { OcpDocument } from "../formats/ocp/index.ts";
import { RECEIPT_EXT } from "../formats/recommendation/receipt-ext.ts";
import { aRun } from "../testing/run-documents.ts";
import { costRecalibrationBy, recalibrationBy } from "./recalibration.ts";

/** Foretold at 0.9, of which two in five came. */
function withReceipt(
  n: number,
  p_success: Readonly<Record<string, number>>,
  hasEnded = true,
  costs: Readonly<Record<string, Readonly<Record<string, number>>>> = { quantiles: {} },
): OcpDocument {
  const document = aRun(n, "gpt-6-luna", true, 1);
  const amount = { mean: 1, lo: 0.5, hi: 2, quantiles: {} };
  const predicted = {
    p_success,
    cost_usd: { ...amount, ...costs },
    tokens: amount,
    rounds: { mean: 1 },
  };
  const after = { cost_usd: n % 7 === 0 ? null : 1, z: n % 5 < 2 ? 1 : 0, q: 0.98 };
  const receipt = {
    before: { rec: null, fit: "fit_1", made_at: "2026-11-01T00:00:00Z", predicted },
    ...(hasEnded && { after }),
  };
  const ended_at = new Date(Date.parse("2026-01-01T00:00:00Z") + n * 3_600_000).toISOString();
  return { ...document, run: { ...document.run, ended_at, ext: { [RECEIPT_EXT]: receipt } } };
}

const chance = { mean: 0.9, lo: 0.8, hi: 0.95 };

test("chances are corrected by receipts with an outcome, by the chance from before a correction, in any order", () => {
  const plain = Array.from({ length: 120 }, (_, n) => withReceipt(n, chance));
  const found = recalibrationBy(plain);
  expect(found?.runs).toBe(120);
  expect(found?.alpha).toBeLessThan(0);
  const corrected = Array.from({ length: 120 }, (_, n) =>
    withReceipt(n, { ...chance, mean: 0.4, uncorrected: 0.9 }),
  );
  expect(recalibrationBy([...corrected].reverse())).toEqual(found);
  expect(recalibrationBy(plain.map((_, n) => withReceipt(n, chance, false)))).toBeUndefined();
});

test("ranges of costs are corrected by known costs, by the range from before a correction", () => {
  const low = { "0.1": 0.1, "0.5": 0.25, "0.9": 0.5 };
  const wide = { "0.1": 0.5, "0.5": 1, "0.9": 2 };
  const of = (costs: Parameters<typeof withReceipt>[3]) =>
    costRecalibrationBy(Array.from({ length: 140 }, (_, n) => withReceipt(n, chance, true, costs)));
  const found = of({ quantiles: low });
  expect(found?.shares).toHaveLength(120);
  expect(found?.shares[0]).toBeGreaterThan(0.95);
  expect(of({ quantiles: wide, uncorrected: low })).toEqual(found);
});
