import { expect, test } from "vitest";
import { type MeasuredRun, measure, regression } from "./loop-baseline.ts";

const run = (more: Partial<MeasuredRun> = {}): MeasuredRun => ({
  isAccepted: true,
  passRate: 1,
  usd: 1,
  seconds: 60,
  iterations: 2,
  ...more,
});
const three = (more: Partial<MeasuredRun> = {}) => [run(more), run(more), run(more)];

test("no baseline is not a pass, and neither are too few runs", () => {
  expect(regression(three(), { maxRegression: 0.02 }, 3)).toEqual({ is: "no-baseline" });
  const unset = { baseline: { measuredAt: "2026-11-01" }, maxRegression: 0.02 };
  expect(regression(three(), unset, 3)).toEqual({ is: "no-baseline" });
  const set = { baseline: { costUsd: 9 }, maxRegression: 0.02 };
  expect(regression([run()], set, 3)).toEqual({ is: "too-few-runs", runs: 1 });
});

test.each([
  ["completionRate", { completionRate: 1 }, { isAccepted: false }],
  ["validationPassRate", { validationPassRate: 0.9 }, { passRate: 0.8 }],
  ["costUsd", { costUsd: 1 }, { usd: 1.03 }],
  ["latencySeconds", { latencySeconds: 60 }, { seconds: 70 }],
  ["iterationsToSuccess", { iterationsToSuccess: 2 }, { iterations: 3 }],
] as const)(
  "a worse %s than the bound allows is a regression, within it nothing is",
  (name, baseline, worse) => {
    expect(regression(three(worse), { baseline, maxRegression: 0.02 }, 3)).toMatchObject({
      is: "regressed",
      worse: [name],
    });
    expect(regression(three(), { baseline, maxRegression: 0.02 }, 3)).toMatchObject({ is: "held" });
  },
);

test("what one run does not know is not compared, and what failed has no cost of success", () => {
  const { usd: _unknown, ...rest } = run();
  expect(measure([run(), rest])).not.toHaveProperty("costUsd");
  expect(measure([run({ usd: 3 }), run({ isAccepted: false, usd: 90 })])).toMatchObject({
    completionRate: 0.5,
    costUsd: 3,
  });
});
