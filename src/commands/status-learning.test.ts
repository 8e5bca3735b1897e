import { describe, expect, test } from "vitest";
import type { RunRow } from "../ports/store.ts";
import { paceView } from "./budget.ts";
import { slateName } from "./experiment-standing.ts";
import { experimentUnderWay } from "./open-experiment.ts";

const [BASE, CANDIDATE] = ["cfg_00000000000b", "cfg_00000000000a"] as const;

function arm(n: number, configuration: string, outcome: RunRow["outcome"], slate: string): RunRow {
  return {
    run: `run_${n}_${configuration}`,
    title: "t",
    state: "finished",
    origin: "recorded",
    startedAt: `2026-11-${String(n).padStart(2, "0")}T10:00:00.000Z`,
    outcome,
    configuration,
    slate,
    costMicroUsd: 0,
    unknownCosts: 0,
    attempts: 1,
  };
}

const pairs = (count: number, accepted: (n: number) => boolean) =>
  Array.from({ length: count }, (_, i) => i + 1).flatMap((n) => {
    const slate = `${slateName(BASE, CANDIDATE)}-${n}`;
    return [arm(n, CANDIDATE, accepted(n) ? "accepted" : "rejected", slate), arm(n, BASE, "rejected", slate)];
  });

describe("the experiment under way", () => {
  test("is the planned test that ran last, told by its slates, with its base and its next look", () => {
    const own = arm(9, BASE, "accepted", "slt_mine");
    expect(experimentUnderWay([...pairs(3, (n) => n === 1), own])).toEqual({
      base: BASE,
      candidate: CANDIDATE,
      pairs: 3,
      wins: 1,
      losses: 0,
      next_look: 4,
    });
  });

  test("is none once it has decided, nor while only one arm ran", () => {
    expect(experimentUnderWay(pairs(16, () => true))).toBeUndefined();
    expect(experimentUnderWay(pairs(2, () => true).slice(0, 1))).toBeUndefined();
    expect(experimentUnderWay([])).toBeUndefined();
  });
});

describe("the pace of a budget", () => {
  test("says how many days are left at what was spent a day", () => {
    expect(paceView(30, 10, 5)).toEqual({ cap_usd: 30, left_usd: 20, usd_per_day: 2, days_left: 10 });
    expect(paceView(30, 10, 0.1)).toMatchObject({ usd_per_day: 10 });
  });

  test("is unknown where nothing was spent or no period runs, and none is left of a cap that is reached", () => {
    expect(paceView(30, 0, 5)).toMatchObject({ days_left: null });
    expect(paceView(30, 10, undefined)).toMatchObject({ usd_per_day: null, days_left: null });
    expect(paceView(30, 40, 5)).toMatchObject({ left_usd: 0, days_left: 0 });
  });
});
