import { describe, expect, test } from "vitest";
import { sha256 } from "../core/hash.ts";
import { must } from "../core/result.ts";
import { instant } from "../core/time.ts";
import type { OcpDocument } from "../formats/ocp/index.ts";
import { withHarness } from "../record/harness.ts";
import { runRow } from "../record/run-row.ts";
import { aRun } from "../testing/run-documents.ts";
import { armSummary } from "./arm-summary.ts";
import { armRuns, checkArms, type StoredRun } from "./experiment-arms.ts";

const NOW = Date.parse("2026-11-30T12:00:00Z");

function stored(document: OcpDocument): StoredRun {
  return { document, row: runRow(document, { origin: "imported", seenAt: instant(NOW) }) };
}

function labeled(n: number, labels: Readonly<Record<string, string>>, isAccepted = true): StoredRun {
  const document = aRun(n, "gpt-6-luna", isAccepted, 1);
  return stored({ ...document, run: { ...document.run, labels } });
}

const shaped = (n: number, text: string) =>
  stored(
    withHarness(aRun(n, "gpt-6-luna", true, 1), { digest: sha256(text), parts: { codex: ["prompt:1"] } }),
  );

const namesOf = (runs: readonly StoredRun[], base: string, candidate: string) =>
  must(armRuns(runs, { base, candidate }, undefined, NOW)).map(({ run, configuration }) => [
    run,
    configuration,
  ]);

describe("an arm of a comparison", () => {
  test("is a configuration, a label with its name, or the value of any label", () => {
    const runs = [labeled(1, { arm: "old" }), labeled(2, { arm: "new" }), labeled(3, { arm: "third" })];
    const wanted = (base: string, candidate: string) => [
      ["run_0001", base],
      ["run_0002", candidate],
    ];
    for (const [base, candidate] of [
      ["old", "new"],
      ["arm=old", "arm:new"],
    ] as const)
      expect(namesOf(runs, base, candidate)).toEqual(wanted(base, candidate));
    const config = runs[0]?.row.configuration ?? "";
    expect(namesOf(runs, config, "nothing")).toHaveLength(3);
  });

  test("is a harness by as much of its digest as is unique; a digest that fits two is refused", () => {
    const runs = [shaped(1, "a"), shaped(2, "b")];
    const [one, other] = runs.map((_, i) => sha256("ab"[i] ?? ""));
    const names = namesOf(runs, `sha256:${one?.slice(0, 8)}`, `digest:sha256:${other}`);
    expect(names.map(([run]) => run)).toEqual(["run_0001", "run_0002"]);
    const twin = [shaped(1, "a"), ...Array.from({ length: 16 }, (_, n) => shaped(n + 2, `x${n}`))];
    expect(armRuns(twin, { base: "sha256:", candidate: "y" }, undefined, NOW)).toMatchObject({ ok: true });
    const short = Array.from("0123456789abcdef", (digit) => `sha256:${digit}`);
    const answers = short.map((base) => armRuns(twin, { base, candidate: "y" }, undefined, NOW));
    expect(answers).toContainEqual(expect.objectContaining({ ok: false }));
  });

  test("never shares a run with the other one", () => {
    const runs = [labeled(1, { arm: "old", team: "a" })];
    expect(armRuns(runs, { base: "arm=old", candidate: "team=a" }, undefined, NOW)).toMatchObject({
      problem: { code: "bad-flag", message: "the run run_0001 fits both arm=old and team=a" },
    });
  });

  test("that no run is of is refused by name, with what there is", () => {
    const runs = must(
      armRuns([labeled(1, { arm: "old" })], { base: "old", candidate: "new" }, undefined, NOW),
    );
    expect(checkArms(runs, { base: "old", candidate: "new" }, ["arm=old"])).toMatchObject({
      problem: { message: "no recorded run is of the arm new", hint: "there are arm=old" },
    });
  });

  test("is judged by the rule that is asked for", () => {
    const rule = { name: "tests", definition: "", requires: ["tests"] };
    const [run] = must(armRuns([labeled(1, { arm: "old" })], { base: "old", candidate: "new" }, rule, NOW));
    expect(run?.isAccepted).toBeUndefined();
  });
});

test("an arm without a price has no cost, never $0, and one without an outcome no acceptance", () => {
  const run = { configuration: "a", startedAt: "" };
  expect(
    armSummary(
      [
        { ...run, run: "r1", isAccepted: true, costUsd: 1 },
        { ...run, run: "r2" },
      ],
      "a",
    ),
  ).toMatchObject({
    runs: 2,
    judged: 1,
    mean_cost_usd: null,
    cost_per_accepted_usd: 1,
  });
  expect(armSummary([{ ...run, run: "r2" }], "a")).toMatchObject({
    acceptance: null,
    cost_per_accepted_usd: null,
  });
});
