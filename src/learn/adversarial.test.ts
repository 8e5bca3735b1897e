import { describe, expect, test } from "vitest";
import { type Catalogue, simulateUser } from "../testing/learner-catalogue.ts";
import { type Belief, fitBelief } from "./belief.ts";
import { SHIPPED_PRIOR } from "./prior/load.ts";
import { beliefOf, cavity, effectView } from "./ranges/effect.ts";
import type { RunFacts } from "./rows/facts.ts";

const TINY: Catalogue = { types: 2, repositories: 2, models: 2, shapes: 1, parts: 2, months: 1 };
const usual = simulateUser(3, 20, TINY);

function priced(runs: readonly RunFacts[], usdOf: (n: number) => number | undefined): readonly RunFacts[] {
  return runs.map((run, n) => ({
    ...run,
    attempts: run.attempts.map(({ costUsd: _, ...attempt }) => {
      const costUsd = usdOf(n);
      return costUsd === undefined ? attempt : { ...attempt, costUsd };
    }),
  }));
}

function judged(runs: readonly RunFacts[], isAccepted: (run: RunFacts) => boolean): readonly RunFacts[] {
  return runs.map((run) => ({ ...run, verdict: { isAccepted: isAccepted(run), reliability: 0.98 } }));
}

const worksOn = (run: RunFacts, model: string) =>
  run.workflow.pieces.some(({ setting }) => setting.model === model);

const CASES: Readonly<Record<string, readonly RunFacts[]>> = {
  "one run": usual.slice(0, 1),
  "all failures": judged(usual, () => false),
  "all successes": judged(usual, () => true),
  "a model that always works and one that never does": judged(usual, (run) => worksOn(run, "claude-opus-0")),
  "a constant cost": priced(usual, () => 1),
  "costs a million times apart": priced(usual, (n) => (n % 2 === 0 ? 1e-3 : 1e3)),
  "one cost a million times the others": priced(usual, (n) => (n === 7 ? 1e6 : 1)),
  "no cost at all": priced(usual, () => undefined),
  "only costs of nothing": priced(usual, () => 0),
  "the same run under other names": Array.from({ length: 20 }, (_, n) => ({
    ...(usual[0] ?? fail()),
    id: `copy ${n}`,
  })),
  "five hundred repositories": Array.from({ length: 500 }, (_, n) => {
    const run = usual[n % 20] ?? fail();
    return { ...run, id: `run ${n}`, task: { ...run.task, repo: `acme/r${n}` } };
  }),
  "months a hundred years ahead": usual.map((run, n) => ({ ...run, month: 1200 * (n % 3) + 24_000 })),
  "a model nobody knows": usual.map((run) => ({
    ...run,
    workflow: {
      ...run.workflow,
      pieces: run.workflow.pieces.map((piece) => ({
        ...piece,
        setting: { ...piece.setting, model: "🦑/\n=:|" },
      })),
    },
  })),
};

function fail(): never {
  throw new Error("no run");
}

describe("odd runs give finite, sane and wide answers", () => {
  test.each(Object.keys(CASES))("%s", (name) => {
    const belief: Belief = fitBelief(CASES[name] ?? [], SHIPPED_PRIOR);
    for (const head of [belief.success, belief.gate, belief.cost, belief.tokens]) {
      const isNumber = head.kind === "number";
      const total = head.points.reduce((sum, { weight }) => sum + weight, 0);
      expect(total).toBeCloseTo(1, 9);
      const level = beliefOf(head, [["fixed:intercept", 1]]);
      expect(Math.abs(level.mean)).toBeLessThan(isNumber ? 25 : 8);
      for (const terms of [[["fixed:intercept", 1]], [["model:never-heard-of", 1]]] as const) {
        const { range } = beliefOf(head, terms);
        expect(Number.isFinite(range.hi - range.lo)).toBe(true);
        expect(range.hi - range.lo).toBeGreaterThan(0.01);
      }
      for (const id of head.nodes.ids.slice(0, 4)) {
        const view = effectView(head, [[id, 1]]);
        expect(Number.isFinite(view.mean)).toBe(true);
        if (view.range !== undefined) expect(view.range.range80.hi).toBeGreaterThan(view.range.range80.lo);
      }
    }
  });

  test("a model that is always there is not told from the level", () => {
    const only = usual.map((run) => ({
      ...run,
      workflow: {
        ...run.workflow,
        pieces: run.workflow.pieces.map((piece) => ({
          ...piece,
          setting: { ...piece.setting, model: "only-one" },
        })),
      },
    }));
    const { success } = fitBelief(only, undefined);
    expect(cavity(success, [["model:only-one", 1]]).error).toBeGreaterThan(1);
  });
});
