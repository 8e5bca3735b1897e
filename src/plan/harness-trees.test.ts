import { describe, expect, test } from "vitest";
import { fitBelief, monthOf, type PartFacts, type RunFacts, readRun } from "../learn/index.ts";
import { aRun } from "../testing/run-documents.ts";
import { priceTree, treesOf } from "./harness-trees.ts";

const NOW = Date.parse("2026-11-30T12:00:00Z");
const PDF = { harness: "claude-code", part: "skill:pdf", share: 1 };
const HOOK = { harness: "claude-code", part: "hook:Stop", share: 1 };

function run(n: number, parts: readonly PartFacts[]): RunFacts {
  const isAccepted = parts.includes(PDF) || n % 3 === 0;
  const document = aRun(n, "claude-opus-5-5", isAccepted, parts.includes(PDF) ? 2 : 1);
  return { ...readRun({ document, z: isAccepted ? 1 : 0, tier: "verified" }, NOW), parts };
}

/** The skill is on every other run, and those are accepted and cost twice as much; the hook is on every run. */
const RUNS = Array.from({ length: 20 }, (_, n) => run(n, n % 2 === 0 ? [PDF, HOOK] : [HOOK]));
const TASK = { type: "bug_fix", repo: "acme/api", features: new Map<string, string>() };

function priced(parts: readonly PartFacts[], workflow = RUNS[0]?.workflow) {
  if (workflow === undefined) throw new Error("no workflow");
  return priceTree(fitBelief(RUNS, undefined), monthOf(NOW), TASK, { parts, runs: 0 }, workflow);
}

describe("what shapes the agents in a tree", () => {
  test("is priced against the bare harness on the same draws", () => {
    const price = priced([PDF]);
    expect(price).toMatchObject({ unknown: [] });
    if (price.notPriced !== undefined) throw new Error(price.notPriced);
    expect(price.chanceGain.mean).toBeGreaterThan(0);
    expect(price.costRatio.mean).toBeGreaterThan(1.1);
    expect(price.costRatio.lo).toBeLessThan(price.costRatio.hi);
  });

  test("is not priced where no run tells a part from its harness, as with one on every run", () => {
    expect(priced([HOOK])).toMatchObject({ notPriced: "no run tells a part of it from its harness" });
    expect(priced([{ ...PDF, harness: "codex" }]).notPriced).toBeDefined();
    expect(priced([]).notPriced).toBe("nothing in it shapes an agent");
  });

  test("names the parts that the price leaves out", () => {
    expect(priced([PDF, HOOK])).toMatchObject({ unknown: ["claude-code|hook:Stop"] });
  });
});

test("the trees of the runs come most used first, and runs without a record have none", () => {
  const trees = treesOf([...RUNS, run(30, [PDF, HOOK]), run(31, [])]);
  expect(trees.map(({ runs, parts }) => [runs, parts.length])).toEqual([
    [11, 2],
    [10, 1],
  ]);
});
