import { expect, test } from "vitest";
import { addCost, NO_COST } from "../core/money.ts";
import { instant } from "../core/time.ts";
import { aRun } from "../testing/run-documents.ts";
import { withJudgeCost } from "./judge-cost.ts";
import { runRow, spendOf } from "./run-row.ts";

const row = (document: ReturnType<typeof aRun>) =>
  runRow(document, { origin: "recorded", seenAt: instant(0) });
const run = aRun(1, "gpt-6-luna", true, 2);

test("what a judge cost counts as spent, and not as a cost of the run's way of working", () => {
  const paid = addCost(NO_COST, { kind: "known", microUsd: 250_000, basis: "measured" });
  const judged = withJudgeCost(withJudgeCost(run, paid), paid);
  expect(row(judged)).toMatchObject({ costMicroUsd: 2_500_000, unknownCosts: 0, attempts: 1 });
  expect(spendOf(judged)).toEqual(spendOf(run));
  expect(judged.attempts).toBe(run.attempts);
});

test("a judge of unknown cost makes what was spent unknown in part, never zero", () => {
  const judged = withJudgeCost(run, addCost(NO_COST, { kind: "unknown", why: "no-usage" }));
  expect(row(judged)).toMatchObject({ costMicroUsd: 2_000_000, unknownCosts: 1 });
  expect(row(run)).toMatchObject({ unknownCosts: 0 });
});
