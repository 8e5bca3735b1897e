import { describe, expect, test } from "vitest";
import { STUDY_PRIOR, simulateRuns } from "../../testing/learner-lab.ts";
import { binaryData } from "../fit/design.ts";
import { fitBinaryHead, fitNumberHead } from "../fit/fit-head.ts";
import { numberData } from "../fit/number-data.ts";
import type { HeadPrior } from "../fit/prior-table.ts";
import { plainPrior } from "../fit/prior-table.ts";
import { keyedStream } from "../kernels/keyed-random.ts";
import { logistic, normalCdf, normalDensity } from "../kernels/normal.ts";
import { anySizeRange, nestedRanges } from "./any-size.ts";
import { beliefOf, cavity, partEffects } from "./effect.ts";
import { sparseSpread } from "./sparse.ts";

describe("the range that holds effects of any size", () => {
  test.each([
    [0, 0.4, 0.3, [-0.3661, 0.3661], [-0.6782, 0.6782]],
    [0.5, 0.4, 0.3, [-0.0046, 0.8661], [-0.1782, 1.1782]],
    [1.5, 0.4, 0.3, [0.6785, 1.8661], [0.4697, 2.1782]],
    [-0.2, 0.1, 0.3, [-0.3018, -0.0644], [-0.3703, -0.0036]],
    [0.5, 0.4, 5, [-0.0125, 1.0062], [-0.2822, 1.276]],
  ])("estimate %d with error %d where the prior expects %d", (estimate, error, spread, narrow, wide) => {
    const { range80, range95 } = nestedRanges({ estimate, error, spread, center: 0 });
    expect(range80.lo).toBeCloseTo(narrow[0] ?? 0, 3);
    expect(range80.hi).toBeCloseTo(narrow[1] ?? 0, 3);
    expect(range95.lo).toBeCloseTo(wide[0] ?? 0, 3);
    expect(range95.hi).toBeCloseTo(wide[1] ?? 0, 3);
  });

  test.each([0.1, 0.3, 1])(
    "four of five estimates lie in their range at every true effect, prior spread %d",
    (spread) => {
      const error = 0.4;
      for (const truth of [0, 0.2, 0.5, 1, 2]) {
        let covered = 0;
        const step = 0.08;
        for (let z = -5; z <= 5; z += step) {
          const { lo, hi } = anySizeRange({ estimate: truth + z * error, error, spread, center: 0 }, 0.8);
          expect(hi - lo).toBeLessThan(2.98 * error);
          if (lo <= truth && truth <= hi) covered += step * normalDensity(z);
        }
        expect(Math.abs(covered - 0.8)).toBeLessThan(0.03);
      }
    },
  );

  test("moves with the estimate and its center, and is the plain range under a flat prior", () => {
    const here = anySizeRange({ estimate: 0.5, error: 0.4, spread: 0.3, center: 0 }, 0.8);
    const there = anySizeRange({ estimate: 2.5, error: 0.4, spread: 0.3, center: 2 }, 0.8);
    expect(there.lo - here.lo).toBeCloseTo(2, 9);
    const flat = anySizeRange({ estimate: 0, error: 1, spread: 1e6, center: 0 }, 0.8);
    expect(normalCdf(flat.hi)).toBeCloseTo(0.9, 6);
  });
});

test("taking the prior of an effect away equals fitting with a flat one", () => {
  const stream = keyedStream(5, "cavity");
  const rows = Array.from({ length: 60 }, (_, i) => ({
    terms: [["fixed:intercept", 1] as const, [`model:${i % 4}`, 1] as const],
    y: 0.4 * (i % 4) + 0.5 * stream.normal(i),
    weight: 1,
    group: `r${i}`,
  }));
  const pinned = (flat: string | undefined): HeadPrior => {
    const plain = plainPrior("cost");
    return {
      ...plain,
      node: (id) => ({ mean: 0, variance: id === flat ? 1e6 : 0.25, isScaled: false }),
      sigma: { ln: Math.log(0.5), lnSd: 1e-4 },
      omega: { ln: Math.log(0.3), lnSd: 1e-4 },
    };
  };
  const taken = cavity(fitNumberHead(numberData(rows), { plain: pinned(undefined) }), [["model:2", 1]]);
  const flat = beliefOf(fitNumberHead(numberData(rows), { plain: pinned("model:2") }), [["model:2", 1]]);
  expect(taken.estimate).toBeCloseTo(flat.mean, 3);
  expect(taken.error).toBeCloseTo((flat.range.hi - flat.range.lo) / (2 * 1.2815515655), 3);
});

test("parts that do nothing are said to, and one that plainly does something is not", () => {
  const nothing = Array.from({ length: 20 }, (_, k) => ({
    estimate: 0.03 * Math.sin(k),
    error: 0.05,
    center: 0,
    spread: 0.3,
  }));
  for (const view of sparseSpread(nothing, 1)) expect(view.zeroProb).toBeGreaterThan(0.6);
  const views = sparseSpread([...nothing, { estimate: 0.4, error: 0.05, center: 0, spread: 0.3 }], 1);
  expect(views.at(-1)?.zeroProb).toBeLessThan(0.01);
});

test("ranges of part effects hold what they say, where the range of the belief does not", {
  timeout: 60_000,
}, () => {
  const counts = {
    all: 0,
    held: 0,
    held95: 0,
    real: 0,
    realHeld: 0,
    realBelieved: 0,
    tests: 0,
    testsHeld: 0,
  };
  for (let seed = 0; seed < 30; seed += 1) {
    const study = simulateRuns(seed, { runs: 200, parts: 10, effects: "sparseMed", tests: 20 });
    const head = fitBinaryHead(binaryData(study.rows), { plain: STUDY_PRIOR });
    for (const [part, view] of partEffects(head)) {
      const truth = study.truth.get(part) ?? 0;
      const isIn = (range: { readonly lo: number; readonly hi: number } | undefined) =>
        range === undefined || (range.lo <= truth && truth <= range.hi) ? 1 : 0;
      counts.all += 1;
      counts.held += isIn(view.range?.range80);
      counts.held95 += isIn(view.range?.range95);
      if (truth === 0) continue;
      counts.real += 1;
      counts.realHeld += isIn(view.range?.range80);
      counts.realBelieved += isIn(view.belief);
    }
    for (const { terms, chance } of study.test) {
      const { range } = beliefOf(head, terms);
      counts.tests += 1;
      if (logistic(range.lo) <= chance && chance <= logistic(range.hi)) counts.testsHeld += 1;
    }
  }
  expect(counts.held / counts.all).toBeGreaterThan(0.74);
  expect(counts.held / counts.all).toBeLessThan(0.86);
  expect(counts.realHeld / counts.real).toBeGreaterThan(0.72);
  expect(counts.held95 / counts.all).toBeGreaterThan(0.92);
  expect(counts.realBelieved / counts.real).toBeLessThan(counts.realHeld / counts.real - 0.05);
  expect(counts.testsHeld / counts.tests).toBeGreaterThan(0.72);
  expect(counts.testsHeld / counts.tests).toBeLessThan(0.87);
});
