import { describe, expect, test } from "vitest";
import { aRun } from "../../testing/run-documents.ts";
import { fitBelief } from "../belief.ts";
import type { PreferenceFacts, RunFacts } from "./facts.ts";
import { headRows } from "./head-rows.ts";
import { preferencesOf } from "./preferences.ts";
import { readRun } from "./read-run.ts";

const NOW = Date.parse("2026-11-30T12:00:00Z");

function run(
  n: number,
  model: string,
  preferences: readonly PreferenceFacts[],
  z: 0 | 1 | null = null,
): RunFacts {
  const facts = readRun({ document: aRun(n, model, true, 1), z, tier: "verified" }, NOW);
  return { ...facts, task: { ...facts.task, id: "tsk_same" }, preferences };
}

const OPUS = "claude-opus-5-5";
const LUNA = "gpt-6-luna";
const PREFERRED: PreferenceFacts = {
  id: "prf_1",
  members: ["run_0001", "run_0002"],
  winner: "run_0001",
  reliability: 0.85,
};
const rowsOf = (runs: readonly RunFacts[]) =>
  [...headRows(runs).success].filter(({ reliability }) => reliability === 0.85);

describe("a preference between two runs", () => {
  test("is an answer about what tells them apart: the task and all that they share cancels", () => {
    const [row, ...more] = rowsOf([run(1, OPUS, [PREFERRED]), run(2, LUNA, [PREFERRED])]);
    expect(more).toEqual([]);
    expect(row).toMatchObject({ isYes: true, weight: 1 });
    const terms = new Map(row?.terms);
    expect([terms.get(`model:${OPUS}`), terms.get(`model:${LUNA}`)]).toEqual([1, -1]);
    expect([...terms.keys()].filter((id) => /^(fixed|type|repo|task|topology|role):/.test(id))).toEqual([]);
  });

  test("counts half where one of them has a verdict, and not at all where both have", () => {
    const weights = ([1, null] as const).map((z) =>
      rowsOf([run(1, OPUS, [PREFERRED], 1), run(2, LUNA, [PREFERRED], z)]).map(({ weight }) => weight),
    );
    expect(weights).toEqual([[], [0.5]]);
  });

  test("without a winner is half an answer each way, and of a run that is not there none", () => {
    const { winner: _, ...tie } = PREFERRED;
    const rows = rowsOf([run(1, OPUS, [tie]), run(2, LUNA, [tie])]);
    expect(rows.map(({ isYes, weight }) => [isYes, weight])).toEqual([
      [true, 0.5],
      [false, 0.5],
    ]);
    expect(rowsOf([run(1, OPUS, [PREFERRED])])).toEqual([]);
  });

  test("moves the belief about the winner's model upwards", () => {
    const pairs = Array.from({ length: 12 }, (_, i) => {
      const [one, other] = [run(2 * i + 1, OPUS, []), run(2 * i + 2, LUNA, [])];
      const preference = { ...PREFERRED, id: `prf_${i}`, members: [one.id, other.id], winner: one.id };
      return [one, other].map((each) => ({ ...each, preferences: [preference] }));
    }).flat();
    const { success } = fitBelief(pairs, undefined);
    const meanOf = (id: string) => {
      const place = success.nodes.index.get(id) ?? -1;
      return success.points.reduce((sum, { weight, mean }) => sum + weight * (mean[place] ?? 0), 0);
    };
    expect(meanOf(`model:${OPUS}`)).toBeGreaterThan(meanOf(`model:${LUNA}`));
  });
});

test("a judge is trusted most when it is blind, and least when it is of an arm's own family", () => {
  const members = ["a", "b"];
  const found = preferencesOf([
    { id: "1", slate: "s", winner: "a", members, judge: { blinded: true } },
    { id: "2", slate: "s", winner: "tie", members, judge: { kind: "user" } },
    {
      id: "3",
      slate: "s",
      winner: "a",
      members,
      judge: { blinded: true, ext: { "dev.loopwright.own_family": true } },
    },
    { id: "4", slate: "s", winner: "a" },
  ]);
  expect(found.map(({ id, reliability, winner }) => [id, reliability, winner])).toEqual([
    ["1", 0.85, "a"],
    ["2", 0.7, undefined],
    ["3", 0.6, "a"],
  ]);
});
