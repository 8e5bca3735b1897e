import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inBlindOrder } from "./experiment-judge.ts";
import { afterSpending } from "./experiment-money.ts";

describe("the budget of a paired test", () => {
  test("of nothing buys no pair", () => {
    expect(afterSpending(0, 0, 0)).toEqual({ leftMicroUsd: 0, isShort: true });
  });

  test("stops before a pair at the mean cost of those before would exceed it, and only then", () => {
    const micro = fc.integer({ min: 0, max: 1e12 });
    fc.assert(
      fc.property(micro, micro, fc.integer({ min: 1, max: 128 }), (budget, spent, pairs) => {
        const { isShort, leftMicroUsd } = afterSpending(budget, spent, pairs);
        expect(leftMicroUsd).toBe(Math.max(0, budget - spent));
        expect(isShort).toBe(spent >= budget || spent + spent / pairs > budget);
      }),
    );
  });
});

test("the letters of a pair follow from its slate and either arm gets A about as often", () => {
  const orders = Array.from({ length: 400 }, (_, i) => inBlindOrder(`slate-${i}`, ["base", "candidate"])[0]);
  const share = orders.filter((arm) => arm === "base").length / orders.length;
  expect(share).toBeGreaterThan(0.4);
  expect(share).toBeLessThan(0.6);
  expect(inBlindOrder("slate-1", ["base", "candidate"])).toEqual(
    inBlindOrder("slate-1", ["base", "candidate"]),
  );
});
