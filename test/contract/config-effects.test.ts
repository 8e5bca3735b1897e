import { describe, expect, test } from "vitest";
import { aRun } from "../../src/testing/run-documents.ts";
import { type CliLab, openCliLab } from "../cli-lab.ts";

const NOW = Date.parse("2026-11-30T12:00:00Z");
const ASK = ["recommend", "--type", "bug_fix", "--repo", "acme/api"];

/** Sixteen runs of Luna, four of them accepted; fourteen of Opus, all but one. */
async function withRuns(): Promise<CliLab> {
  const lab = openCliLab();
  lab.nowMs = NOW;
  const runs = Array.from({ length: 30 }, (_, n) =>
    n < 16 ? aRun(n, "gpt-6-luna", n % 4 === 0, 0.8) : aRun(n, "claude-opus-5-5", n !== 20, 1),
  );
  await lab.run("run", "import", ...runs.map((run) => lab.write(`${run.run.id}.ocp.json`, run)));
  return lab;
}

async function set(lab: CliLab, key: string, value: string): Promise<void> {
  expect((await lab.run("config", "set", key, value)).exit).toBe(0);
}

/** The answer with one key set, which is unset again. */
async function askedWith(
  lab: CliLab,
  key: string,
  value: string,
  words: readonly string[] = ASK,
): Promise<Record<string, never>> {
  await set(lab, key, value);
  const { json } = await lab.run(...words);
  await lab.run("config", "unset", key);
  return json as Record<string, never>;
}

describe("what is configured", { timeout: 240_000 }, () => {
  test("goal, rescue.* and models.allowed are read by recommend; flags win", async () => {
    const lab = await withRuns();
    await set(lab, "goal", "p80");
    await set(lab, "rescue.kind", "person");
    await set(lab, "rescue.person_usd_per_hour", "80");
    await set(lab, "rescue.hours", "0.5");
    expect((await lab.run(...ASK)).json).toMatchObject({
      reason: "reaches-the-goal",
      rescue: { usd_per_miss: 40 },
    });
    const flagged = [...ASK, "--goal", "default", "--rescue", "none"];
    expect((await lab.run(...flagged)).json).toMatchObject({ rescue: { usd_per_miss: 0 } });
    await set(lab, "models.allowed", "gpt-6-luna");
    const { json } = await lab.run(...flagged);
    expect(json).toMatchObject({ fit: { runs: 30 }, reason: expect.not.stringMatching("reaches") });
    expect(JSON.stringify([json["pick"], json["curve"], json["choices"], json["ties"]])).not.toContain(
      "claude",
    );
  });

  test("usual.* is what a pick is measured against while no run of the type says so", async () => {
    const lab = await withRuns();
    const opus = aRun(16, "claude-opus-5-5", true, 1).run.configuration?.id ?? "";
    await set(lab, 'usual.docs."acme/api"', opus);
    const docs = (await lab.run("recommend", "--type", "docs", "--repo", "acme/api")).json;
    expect(docs["current"]).toMatchObject({ config: opus });
    expect(
      await askedWith(lab, "usual.tests.*", "cfg_0000000000aa", ["recommend", "--type", "tests"]),
    ).toMatchObject({
      problem: { code: "no-such-configuration" },
    });
  });

  test("explore.* says which exploration comes first and which needs no question; a budget that is used up pauses it", async () => {
    const lab = await withRuns();
    type Pick = Readonly<{ gain_usd_per_run: number; payback_runs: number; auto_ok: boolean }>;
    const picksOf = (json: Record<string, unknown>) => json["explorations"] as readonly Pick[];
    const first = picksOf((await lab.run(...ASK)).json);
    expect(first.length).toBeGreaterThan(0);
    expect(first.every(({ auto_ok }) => !auto_ok)).toBe(true);
    const gains = picksOf(await askedWith(lab, "explore.default_pick", "max_gain"));
    expect(gains[0]?.gain_usd_per_run).toBeGreaterThanOrEqual(first[0]?.gain_usd_per_run ?? Infinity);
    const auto = picksOf(await askedWith(lab, "explore.auto_payback_runs", "1000"));
    expect(auto.every(({ auto_ok }) => auto_ok)).toBe(true);
    const spent = await askedWith(lab, "budget.usd", "0");
    expect(spent).toMatchObject({ explorations: [] });
    expect(JSON.stringify(spent["notes"])).toContain("exploring is paused");
  });

  test("org and outcome.q.* reach the learner", async () => {
    const lab = await withRuns();
    const plain = (await lab.run("fit")).json["fit"];
    expect((await askedWith(lab, "org", "acme", ["posterior", "org"]))["effects"]).toMatchObject([
      { node: "org:acme" },
    ]);
    expect((await askedWith(lab, "outcome.q.verified", "0.6", ["fit"]))["fit"]).not.toBe(plain);
    for (const tier of ["reported", "heuristic", "asserted"])
      expect((await askedWith(lab, `outcome.q.${tier}`, "0.6", ["fit"]))["fit"]).toBe(plain);
  });

  test("features.* are features of tasks, listed with the built-in ones, and tell tasks apart", async () => {
    const lab = openCliLab();
    lab.nowMs = NOW;
    const runs = Array.from({ length: 4 }, (_, n) => {
      const { run, ...document } = aRun(n, "gpt-6-luna", n % 2 === 0, 1);
      return {
        ...document,
        run: { ...run, task: { ...run.task, id: run.id, features: { age: n % 2 === 0 ? 7 : 400 } } },
      };
    });
    await lab.run("run", "import", ...runs.map((run) => lab.write(`${run.run.id}.ocp.json`, run)));
    await set(lab, "features.age.edges", "[30]");
    expect(await lab.run("fit")).toMatchObject({ exit: 1, json: { problem: { code: "bad-input" } } });
    await set(lab, "features.age.labels", "new, old");
    await set(lab, "features.age.description", "days since the last change");
    await set(lab, "features.risk.values", "low, high");
    expect((await lab.run("posterior", "age")).json["effects"]).toMatchObject([
      { node: "feature:age=new" },
      { node: "feature:age=old" },
    ]);
    const listed = (await lab.run("task-types")).json["features"] as readonly {
      key: string;
      values: string[];
    }[];
    expect(listed.find(({ key }) => key === "age")).toMatchObject({
      description: "days since the last change",
    });
    expect(listed.find(({ key }) => key === "risk")?.values).toEqual(["low", "high"]);
  });

  test("subtypes are listed with the types", async () => {
    const lab = openCliLab();
    expect((await askedWith(lab, "subtypes", "parser, cli", ["task-types"]))["subtypes"]).toEqual([
      "parser",
      "cli",
    ]);
  });
});
