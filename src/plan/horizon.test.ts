import { describe, expect, test } from "vitest";
import { HORIZON_EXT } from "../formats/ocp/horizon-ext.ts";
import { fitBelief, keepFit } from "../learn/belief.ts";
import { SHIPPED_PRIOR } from "../learn/prior/load.ts";
import type { RunFacts } from "../learn/rows/facts.ts";
import { headRows, planRows } from "../learn/rows/head-rows.ts";
import { readRun } from "../learn/rows/read-run.ts";
import { aRun } from "../testing/run-documents.ts";
import { Predictor } from "./predict.ts";

const NOW = Date.parse("2026-11-30T12:00:00Z");
const MONTH = 2026 * 12 + 10;

function runs(count: number, boxOf: (n: number) => number | string | undefined): readonly RunFacts[] {
  return Array.from({ length: count }, (_, n) => {
    const document = aRun(n, "claude-opus-5-5", n % 3 !== 0, (boxOf(n) === 7200 ? 4 : 1) * 1.1 ** (n % 5));
    const box = boxOf(n);
    const task = {
      id: `tsk_${n}`,
      type: "bug_fix",
      repo: "acme/api",
      ...(box !== undefined && { ext: { [HORIZON_EXT]: box } }),
    };
    return readRun(
      { document: { ...document, run: { ...document.run, task } }, z: 1, tier: "verified" },
      NOW,
    );
  });
}

function meanCost(all: readonly RunFacts[], horizonS: number | undefined): number {
  const belief = fitBelief(all, SHIPPED_PRIOR);
  const [run] = all;
  if (run === undefined) throw new Error("no run");
  const { horizonS: _, ...task } = run.task;
  const asked = horizonS === undefined ? task : { ...task, horizonS };
  const { costUsd } = new Predictor(belief, MONTH).outline(asked, run.workflow);
  return costUsd.reduce((sum, usd) => sum + usd, 0) / costUsd.length;
}

describe("a time box", () => {
  test("counts by doublings of the middle one, and apart from open work once both are there twice", () => {
    const of = (all: readonly RunFacts[]) =>
      [...headRows(all, planRows(all)).success].map(({ terms }) =>
        terms.filter(([id]) => id.startsWith("horizon:")),
      );
    expect(of(runs(3, (n) => [1800, 3600, 7200][n]))).toEqual(
      [-1, 0, 1].map((doublings) => [["horizon:log2h", doublings]]),
    );
    const mixed = of(runs(4, (n) => (n < 2 ? 3600 : "none")));
    expect(mixed[0]).toEqual([
      ["horizon:timebox", 1],
      ["horizon:log2h", 0],
    ]);
    expect(mixed[3]).toEqual([]);
  });

  test("moves what a run is foretold to cost to what boxed runs cost", () => {
    const all = runs(40, (n) => (n % 2 === 0 ? 7200 : undefined));
    expect(meanCost(all, 7200) / meanCost(all, undefined)).toBeGreaterThan(2.5);
    expect(meanCost(all, 14_400)).toBeGreaterThan(1.2 * meanCost(all, 7200));
  });

  test("changes nothing while no run had one", () => {
    const all = runs(12, () => undefined);
    expect(meanCost(all, 7200)).toBe(meanCost(all, undefined));
  });

  test("means the same in a fit that goes on from a kept one", () => {
    const all = runs(23, (n) => (n === 22 ? 60 : n % 2 === 0 ? 7200 : undefined));
    const kept = keepFit(fitBelief(all.slice(0, 21), SHIPPED_PRIOR));
    const [going, anew] = [fitBelief(all, SHIPPED_PRIOR, kept), fitBelief(all, SHIPPED_PRIOR)];
    expect([...(going.cost.points[0]?.mean ?? [])]).toEqual([...(anew.cost.points[0]?.mean ?? [])]);
  });
});
