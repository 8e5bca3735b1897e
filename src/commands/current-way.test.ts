import { describe, expect, test } from "vitest";
import type { RunRow } from "../ports/store.ts";
import { currentWay } from "./current-way.ts";

const NOW = Date.parse("2026-11-30T12:00:00Z");

function run(day: number, configuration: string, more: Partial<RunRow> = {}): RunRow {
  return {
    run: `run_${day}`,
    title: "t",
    state: "finished",
    origin: "recorded",
    startedAt: `2026-11-${String(day).padStart(2, "0")}T10:00:00.000Z`,
    outcome: "accepted",
    configuration,
    taskType: "bug_fix",
    repo: "acme/api",
    costMicroUsd: 0,
    unknownCosts: 0,
    attempts: 1,
    ...more,
  };
}

const ask = (rows: readonly RunRow[]) => currentWay(rows, "bug_fix", "acme/api", NOW);

describe("what a user runs now", () => {
  test("is nothing where nothing was run: no way of the catalogue is ever called usual", () => {
    expect(ask([])).toBeUndefined();
  });

  test("is what most runs of the type and repository used", () => {
    const rows = [run(1, "a"), run(2, "b"), run(3, "b"), run(4, "c", { repo: "acme/web" }), run(5, "c")];
    expect(ask(rows)).toEqual({ id: "b", isUsual: true });
  });

  test("of equals is the one that got there first, and one run of another way does not flip it", () => {
    const tied = [run(1, "a"), run(2, "b"), run(3, "b"), run(4, "a")];
    expect(ask(tied)?.id).toBe("b");
    expect(ask([...tied, run(5, "c")])?.id).toBe("b");
    expect(ask([...tied].reverse())?.id).toBe("b");
  });

  test("is the recommended way once it was followed, and not called usual then", () => {
    const rows = [run(1, "a"), run(2, "a"), run(3, "b", { source: "alternative" })];
    expect(ask(rows)).toEqual({ id: "b", isUsual: false });
    expect(ask([...rows, run(4, "a"), run(5, "a")])).toEqual({ id: "a", isUsual: true });
  });

  test("is no run that was made to find something out, and none of last year", () => {
    const old = run(1, "old", { startedAt: "2025-11-01T10:00:00.000Z" });
    const rows = [run(1, "a"), run(2, "x", { source: "exploration" }), old, { ...old, run: "run_o2" }];
    expect(ask(rows)).toEqual({ id: "a", isUsual: true });
  });
});
