import { describe, expect, test } from "vitest";
import type { OcpDocument } from "../../formats/ocp/index.ts";
import { aRun } from "../../testing/run-documents.ts";
import { fitBelief } from "../belief.ts";
import { SHIPPED_PRIOR } from "../prior/load.ts";
import { modelMonths, stepsTo, stepsUntil } from "./drift.ts";
import { formatMonth, monthOf, type RunFacts } from "./facts.ts";
import { headRows } from "./head-rows.ts";
import { modelPath } from "./model-path.ts";
import { planParts } from "./parts.ts";
import { readRun } from "./read-run.ts";

const NOW = Date.parse("2026-11-30T12:00:00Z");
const read = (document: OcpDocument, z: 0 | 1 | null = 1): RunFacts =>
  readRun({ document, z, tier: "verified" }, NOW);

describe("reading a run", () => {
  test("takes the agent's attempts, and the gate as an observation", () => {
    const facts = read(aRun(1, "claude-opus-5-5", false, 2), 0);
    expect(facts.attempts).toHaveLength(1);
    expect(facts.attempts[0]).toMatchObject({ costUsd: 2, costWeight: 1, isFailed: true, tokens: 105_000 });
    expect(facts.gates).toEqual([{ gate: "check", round: 1, isPassed: false }]);
    expect(facts).toMatchObject({ isExhausted: true, verdict: { isAccepted: false, reliability: 0.98 } });
  });

  test("leaves an unknown cost unknown, and refuses one that is no amount", () => {
    const run = aRun(1, "claude-opus-5-5", true, 2);
    for (const usd of [undefined, Number.NaN, -1]) {
      const attempts = (run.attempts ?? []).map(({ cost, ...attempt }) =>
        usd === undefined ? attempt : { ...attempt, cost: { ...cost, usd } },
      );
      const facts = read({ ...run, attempts });
      expect([...headRows([facts]).attempts].filter(({ lnUsd }) => lnUsd !== undefined)).toEqual([]);
      expect(fitBelief([facts], undefined).unknownCostAttempts).toBe(1);
    }
  });

  test("a clock that ran ahead makes no future month", () => {
    const run = aRun(1, "claude-opus-5-5", true, 2);
    const ahead = { ...run, run: { ...run.run, ended_at: "2031-01-01T00:00:00Z" } };
    expect(read(ahead).month).toBe(monthOf(NOW));
  });

  test("without a workflow the pieces are what ran", () => {
    const run = aRun(1, "claude-opus-5-5", true, 2);
    const { configuration: _, ...bare } = run.run;
    const facts = read({ ...run, run: bare });
    expect(facts.workflow.pieces.map(({ id }) => id)).toEqual(["implement", "check"]);
    expect([...headRows([facts]).success]).toHaveLength(1);
  });
});

test("a run that came in twice teaches once", () => {
  const run = read(aRun(1, "claude-opus-5-5", true, 2));
  expect(fitBelief([run, run], undefined).fingerprint).toBe(fitBelief([run], undefined).fingerprint);
});

test("every model of the shipped prior finds its family and maker there", () => {
  const ids = new Set(SHIPPED_PRIOR.heads.success?.nodes.map(({ id }) => id));
  const models = [...ids].filter((id) => id.startsWith("model:")).map((id) => id.slice("model:".length));
  const lost = models.filter((model) => {
    const { provider, family } = modelPath(model);
    return !ids.has(`provider:${provider}`) || !ids.has(`family:${family}`);
  });
  expect(models.length).toBeGreaterThan(60);
  expect(lost).toEqual([]);
});

test("the shipped prior keeps differences only, with model widths of 0.4 at least", () => {
  for (const head of [SHIPPED_PRIOR.heads.success, SHIPPED_PRIOR.heads.cost, SHIPPED_PRIOR.heads.tokens]) {
    for (const { id, sd } of head?.nodes ?? []) {
      expect(id).not.toMatch(/^(c|u|source|repo|task|org):/);
      if (id.startsWith("model:")) expect(sd).toBeGreaterThanOrEqual(0.4);
    }
  }
  const mean = (id: string) => SHIPPED_PRIOR.heads.success?.nodes.find((node) => node.id === id)?.mean ?? 0;
  const efforts = ["low", "medium", "high", "xhigh", "max"].map((effort) => mean(`effort:${effort}`));
  expect(efforts).toEqual([...efforts].sort((a, b) => a - b));
});

describe("a model's steps in time", () => {
  const [may, july, august] = [2026 * 12 + 4, 2026 * 12 + 6, 2026 * 12 + 7];
  const months = modelMonths([
    ["m", july],
    ["m", may],
    ["m", july],
    ["once", may],
  ]);

  test("begin after its first month and persist", () => {
    expect(stepsUntil(months, "m", may, 1)).toEqual([]);
    expect(stepsUntil(months, "m", august, 0.5)).toEqual([["drift:m@2026-07", 0.5]]);
    expect(stepsUntil(months, "once", august, 1)).toEqual([]);
    expect(formatMonth(july)).toBe("2026-07");
  });

  test("widen a prediction by a step nobody has seen for each month without a run, at most three", () => {
    expect(stepsTo(months, "m", august, 1).map(([node]) => node)).toEqual([
      "drift:m@2026-07",
      "drift:m@2026-08",
    ]);
    expect(stepsTo(months, "m", august + 9, 1)).toHaveLength(4);
    expect(stepsTo(months, "unheard", august, 1)).toEqual([]);
  });
});

test("a part on every run is not estimated, and parts that come together are one", () => {
  const runs = Array.from({ length: 6 }, (_, n): RunFacts => {
    const parts = ["always", ...(n < 3 ? ["a", "b"] : []), ...(n === 0 ? ["rare"] : [])];
    const own = parts.map((part) => ({ harness: "claude-code", part: `skill:${part}`, share: 1 }));
    return { ...read(aRun(n, "claude-opus-5-5", true, 1)), parts: own };
  });
  const plan = planParts(runs);
  expect(new Set(plan.nodeOf.values())).toEqual(new Set(["part:claude-code|skill:a+skill:b"]));
  expect(plan.notEstimated).toEqual([
    { part: "claude-code|skill:always", why: "on every run" },
    { part: "claude-code|skill:rare", why: "on fewer than 2 runs" },
  ]);
});
