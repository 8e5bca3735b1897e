import { expect, test } from "vitest";
import { addCostStudy, NO_COUNTS } from "../testing/cost-study.ts";
import { addDriftStudy } from "../testing/drift-study.ts";
import { sampledChance, sampleEffects } from "../testing/exact-sampler.ts";
import { inOrder, STUDY_PRIOR, simulateRuns } from "../testing/learner-lab.ts";
import { binaryData } from "./fit/design.ts";
import { fitBinaryHead } from "./fit/fit-head.ts";
import { keyedStream } from "./kernels/keyed-random.ts";
import { logisticNormalMean } from "./kernels/quadrature.ts";
import { beliefOf } from "./ranges/effect.ts";

test("a model that changed is foretold better with steps in time, and little is lost where none changed", {
  timeout: 60_000,
}, () => {
  const options = { runsPerMonth: 90, every: 45 };
  const loss = (jump: number, hasSteps: boolean) => {
    const sums = { all: 0, runs: 0, jumped: 0, jumpedRuns: 0 };
    for (const seed of [1, 2]) addDriftStudy(sums, seed, { ...options, jump, hasSteps });
    return sums.jumped / sums.jumpedRuns;
  };
  expect(loss(-1.5, true)).toBeLessThan(0.8 * loss(-1.5, false));
  expect(loss(0, true)).toBeLessThan(loss(0, false) + 0.01);
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
