import { expect, test } from "vitest";
import { type AcceptedCostCounts, acceptedCostStudy } from "../testing/accepted-cost-study.ts";
import { believedChance } from "../testing/belief-loss.ts";
import { addCostStudy, NO_COUNTS } from "../testing/cost-study.ts";
import { type DriftLoss, driftStudy } from "../testing/drift-study.ts";
import { sampledChance, sampleEffects } from "../testing/exact-sampler.ts";
import { knownSpreadRanges } from "../testing/known-spreads.ts";
import { inOrder, STUDY_PRIOR, simulateRuns } from "../testing/learner-lab.ts";
import { type PriorCounts, priorStudy } from "../testing/prior-study.ts";
import { binaryData } from "./fit/design.ts";
import { fitBinaryHead } from "./fit/fit-head.ts";
import { plainPrior } from "./fit/prior-table.ts";
import { keyedStream } from "./kernels/keyed-random.ts";
import { logistic } from "./kernels/normal.ts";
import { logisticNormalMean } from "./kernels/quadrature.ts";
import { HeadDraws } from "./predict/draws.ts";
import { beliefOf, partEffects } from "./ranges/effect.ts";
import { modelMonths, stepsUntil } from "./rows/drift.ts";
import { groupOf, type Term } from "./rows/terms.ts";

test("a model that changed is foretold better with steps in time, and little is lost where none changed", {
  timeout: 60_000,
}, () => {
  const options = { share: 0.5, runsPerMonth: 90, every: 45 };
  const loss = (jump: number, knows: "nothing" | "steps") => {
    const users = [1, 2].map((seed) => driftStudy(seed, { ...options, jump, knows }));
    const sum = (of: (user: DriftLoss) => number) => users.reduce((all, user) => all + of(user), 0);
    return sum(({ jumped }) => jumped) / sum(({ jumpedRuns }) => jumpedRuns);
  };
  expect(loss(-1.5, "steps")).toBeLessThan(0.8 * loss(-1.5, "nothing"));
  expect(loss(0, "steps")).toBeLessThan(loss(0, "nothing") + 0.01);
});

/** Runs of one model by month, each with so many of them accepted. */
function monthsOf(model: string, months: readonly (readonly [runs: number, accepted: number])[]) {
  return months.flatMap(([runs, accepted], month) =>
    Array.from({ length: runs }, (_, n) => ({ model, month, isYes: n < accepted })),
  );
}

function driftFit(runs: ReturnType<typeof monthsOf>, hasSteps: boolean) {
  const months = modelMonths(runs.map(({ model, month }) => [model, month]));
  const termsOf = (model: string, month: number): readonly Term[] => [
    ["fixed:intercept", 1],
    [`model:${model}`, 1],
    ...(hasSteps ? stepsUntil(months, model, month, 1) : []),
  ];
  const rows = runs.map(({ model, month, isYes }) => ({
    terms: termsOf(model, month),
    isYes,
    reliability: 1,
    weight: 1,
  }));
  const head = fitBinaryHead(binaryData(rows), { plain: plainPrior("success") });
  return { head, chance: (model: string, month: number) => believedChance(head, termsOf(model, month)) };
}

test("where nothing changes, no step in time is a tenth of a logit", () => {
  const steady = [80, 60] as const;
  const { head } = driftFit(
    ["a", "b"].flatMap((model) => monthsOf(model, [steady, steady, steady])),
    true,
  );
  const steps = head.nodes.ids.filter((id) => groupOf(id) === "drift");
  expect(steps).toHaveLength(4);
  for (const id of steps) expect(Math.abs(beliefOf(head, [[id, 1]]).mean)).toBeLessThan(0.1);
});

test("60 runs after a model jumped by a logit, steps in time halve the error of what is foretold", () => {
  const runs = [
    ...monthsOf("a", [
      [120, 60],
      [120, 60],
      [60, 44],
    ]),
    ...monthsOf("b", [
      [60, 30],
      [60, 30],
      [60, 30],
    ]),
  ];
  const error = (hasSteps: boolean) => Math.abs(driftFit(runs, hasSteps).chance("a", 2) - logistic(1));
  expect(error(true)).toBeLessThan(0.5 * error(false));
});

test("ranges of costs hold what they say, though attempts of a run share its noise and some blow up", {
  timeout: 60_000,
}, () => {
  for (const noise of ["normal", "blow-ups"] as const) {
    const counts = { ...NO_COUNTS };
    for (let seed = 0; seed < 8; seed += 1) addCostStudy(counts, seed, 60, noise);
    expect(counts.held / counts.parts).toBeGreaterThan(0.72);
    expect(counts.held / counts.parts).toBeLessThan(0.9);
    expect(counts.runsHeld / counts.runs).toBeGreaterThan(0.74);
    expect(counts.runsHeld / counts.runs).toBeLessThan(0.86);
    expect(counts.runsHeld95 / counts.runs).toBeGreaterThan(0.9);
  }
});

test("the cost of an accepted result falls into its range as often as the range says", () => {
  const users = [0, 1, 2, 3, 4, 5].map((seed) => acceptedCostStudy(seed, 100, "normal"));
  const sum = (of: (user: AcceptedCostCounts) => number) => users.reduce((all, user) => all + of(user), 0);
  const held = sum((user) => user.held) / sum(({ ranges }) => ranges);
  expect(held).toBeGreaterThan(0.72);
  expect(held).toBeLessThan(0.9);
  expect(sum(({ held95 }) => held95) / sum(({ ranges }) => ranges)).toBeGreaterThan(0.9);
});

test("a shipped prior helps where it is right, and where it is wrong the runs take its weight away", () => {
  const means = (off: number) => {
    const users = [0, 1, 2, 3, 4, 5].map((seed) => priorStudy(seed, 150, off));
    const mean = (of: (user: PriorCounts) => number) => users.reduce((all, user) => all + of(user), 0) / 6;
    return {
      more: mean((user) => (user.mixedLoss - user.plainLoss) / user.tests),
      weight: mean((user) => user.weight),
    };
  };
  const [right, wrong] = [means(0), means(2)];
  expect(right.more).toBeLessThan(-0.01);
  expect(right.weight).toBeGreaterThan(0.7);
  expect(wrong.weight).toBeLessThan(0.3);
});

test("ranges of parts are hardly wider than for somebody who knows the true spreads", () => {
  const sums = { printed: 0, known: 0 };
  for (const seed of [1, 2, 3, 4]) {
    const study = simulateRuns(seed, { runs: 200, parts: 10, effects: "sparseMed", design: "step" });
    const packed = binaryData(study.rows);
    const printed = [...partEffects(fitBinaryHead(packed, { plain: STUDY_PRIOR })).values()];
    const ranges = printed.map(({ range }) => range?.range80 ?? { lo: Number.NaN, hi: Number.NaN });
    sums.printed += ranges.reduce((sum, { lo, hi }) => sum + hi - lo, 0);
    sums.known += knownSpreadRanges(packed, "sparseMed").reduce((sum, { lo, hi }) => sum + hi - lo, 0);
  }
  expect(sums.printed / sums.known).toBeLessThan(1.25);
  expect(sums.printed / sums.known).toBeGreaterThan(0.9);
});

test("users drawn from the prior have chances that rank evenly among the draws of the belief", () => {
  const tenths = new Array<number>(10).fill(0);
  for (let seed = 0; seed < 10; seed += 1) {
    const study = simulateRuns(seed, { runs: 60, parts: 3, effects: "null", tests: 20, isFromPrior: true });
    const head = fitBinaryHead(binaryData(study.rows), { plain: STUDY_PRIOR });
    const draws = new HeadDraws(head, "success", seed, 400);
    for (const { terms, chance } of study.test) {
      const below = draws.sum(terms).filter((eta) => logistic(eta) < chance).length;
      const tenth = Math.min(9, Math.floor(below / 40));
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
    }
  }
  for (const count of tenths) {
    expect(count).toBeGreaterThan(5);
    expect(count).toBeLessThan(45);
  }
});

test("at known scales the belief is what an exact sampler draws", () => {
  const study = simulateRuns(3, { runs: 150, parts: 4, effects: "half", tests: 20 });
  const pinned = { ...STUDY_PRIOR, scale: () => ({ ln: Math.log(0.5), lnSd: 1e-4 }) };
  const head = fitBinaryHead(binaryData(study.rows), { plain: pinned });
  const prior = {
    mean: (id: string) => pinned.node(id).mean,
    sd: (id: string) => (pinned.node(id).isScaled ? 0.5 : 2),
  };
  const numbers = inOrder(keyedStream(11, "sampler"));
  const sampled = sampleEffects(study.rows, prior, { all: 900, dropped: 100 }, numbers);
  for (const { terms } of study.test) {
    const { mean, range } = beliefOf(head, terms);
    const sd = (range.hi - range.lo) / (2 * 1.2815515655);
    expect(Math.abs(logisticNormalMean(mean, sd * sd) - sampledChance(sampled, terms))).toBeLessThan(0.02);
  }
});
