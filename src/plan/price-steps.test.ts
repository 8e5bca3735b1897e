import { expect, test } from "vitest";
import type { PriceRow, PriceTable } from "../formats/prices/index.ts";
import {
  type Belief,
  fitBelief,
  lnPriceChange,
  type PriceSteps,
  priceSteps,
  type RunFacts,
  readRun,
} from "../learn/index.ts";
import { SHIPPED_PRIOR } from "../learn/prior/load.ts";
import { aRun } from "../testing/run-documents.ts";
import { Predictor } from "./predict.ts";

const MODEL = "claude-opus-5-5";
const NOW = Date.parse("2026-12-20T00:00:00Z");
const PRIOR_MS = Date.parse(SHIPPED_PRIOR.version);

/** A price, and another by so much from a day on. */
function table(factor: number, from: string): PriceTable {
  const row = (times: number): PriceRow => ({
    rates: { input: 4 * times, write5m: 5 * times, read: 0.2 * times, output: 20 * times },
    longContext: [],
    tiers: {},
    source: "test",
    isGuess: false,
  });
  const models = { [MODEL]: [row(1), { ...row(factor), from }], steady: [row(1)] };
  return { date: "2026-12-01", source: "test", webSearchUsd: 0.01, models };
}

function runs(steps: PriceSteps, factor = 1): readonly RunFacts[] {
  return Array.from({ length: 25 }, (_, n) => {
    const document = aRun(n, MODEL, n % 3 !== 0, factor * 1.1 ** (n % 5));
    return readRun({ document, z: 1, tier: "verified", prices: { steps, atMs: PRIOR_MS } }, NOW);
  });
}

function costOf(belief: Belief, run: RunFacts | undefined): Float64Array {
  if (run === undefined) throw new Error("no run");
  return new Predictor(belief, 2026 * 12 + 11).outline(run.task, run.workflow).costUsd;
}

test("a change of list price moves what a run is foretold to cost by exactly that, without a new run", () => {
  const [before, after] = [table(1, "2026-12-10"), table(2.5, "2026-12-10")].map((one) => priceSteps([one]));
  if (before === undefined || after === undefined) throw new Error("no steps");
  const [known, same] = [runs(before), runs(after)];
  const belief = fitBelief(known, SHIPPED_PRIOR);
  expect(fitBelief(same, SHIPPED_PRIOR).fingerprint).toBe(belief.fingerprint);
  const lnPriceNow = (model: string) => lnPriceChange(after, model, NOW, PRIOR_MS);
  const plain = costOf(belief, known[0]);
  costOf({ ...belief, lnPriceNow }, known[0]).forEach((usd, d) => {
    expect(usd / (plain[d] ?? 0)).toBeCloseTo(2.5, 9);
  });
});

test("runs at an older price teach what they would have at that of the prior's day", () => {
  const halved = priceSteps([table(0.5, "2026-11-29")]);
  const steady = priceSteps([table(1, "2026-11-29")]);
  const [older, plain] = [runs(halved, 2), runs(steady)].map((all) => fitBelief(all, undefined));
  if (older === undefined || plain === undefined) throw new Error("no belief");
  const cost = (belief: Belief) => [...costOf({ ...belief, seed: 1 }, belief.runs[0])];
  cost(older).forEach((usd, d) => {
    expect(usd).toBeCloseTo(cost(plain)[d] ?? 0, 6);
  });
});

test("a model whose price never changed, or that no table has, is as it was", () => {
  const steps = priceSteps([table(2, "2026-12-10")]);
  for (const model of ["steady", "unheard-of"]) expect(lnPriceChange(steps, model, NOW, PRIOR_MS)).toBe(0);
  expect(priceSteps([table(1, "2026-12-10"), table(3, "2026-12-10")])).toEqual(
    priceSteps([table(1, "2026-12-10")]),
  );
});
