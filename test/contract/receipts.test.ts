import { describe, expect, test } from "vitest";
import { validateOcp } from "../../src/formats/ocp/index.ts";
import { aRun } from "../../src/testing/run-documents.ts";
import { type CliLab, openCliLab } from "../cli-lab.ts";

const ASK = ["recommend", "--type", "bug_fix", "--repo", "acme/api", "--title", "Fix the parser crash"];
const NOW = Date.parse("2026-11-30T12:00:00Z");

async function recommended(lab: CliLab): Promise<string> {
  lab.nowMs = NOW;
  return String((await lab.run(...ASK)).json["rec"]);
}

async function documentOf(lab: CliLab, run: string): Promise<Record<string, unknown>> {
  const { json } = await lab.run("runs", run, "--documents");
  return JSON.parse(JSON.stringify((json["runs"] as { document: unknown }[])[0]?.document)).run;
}

describe("a run that follows a recommendation", { timeout: 120_000 }, () => {
  test("carries the choice, its propensity and the forecast, and ends with a receipt", async () => {
    const lab = openCliLab();
    const rec = await recommended(lab);
    const started = await lab.run("run", "start", "--rec", rec, "--choice", "1");
    expect(started.json).toMatchObject({
      rec,
      choice: "1",
      source: "alternative",
      forecast: true,
    });
    const run = String(started.json["run"]);
    const begun = await documentOf(lab, run);
    expect(begun).toMatchObject({
      configuration: { rec, source: "alternative" },
      provenance: { kind: "designed", chooser: "planner" },
      task: { type: "bug_fix", repo: "acme/api", title: "Fix the parser crash" },
      ext: {
        "dev.loopwright.choice": { option: 1, key: "goal", chosen_by: "person" },
        "dev.loopwright.receipt": { before: { rec, predicted: { cost_usd: { level: 0.8 } } } },
      },
    });
    lab.nowMs += 60_000;
    const attempt = await lab.run(
      ...["run", "attempt", "--run", run, "--piece", "implement", "--harness", "codex"],
      ...["--model", "gpt-6-luna", "--cwd", lab.dir],
    );
    await lab.run("run", "attempt", "--run", run, "--end", String(attempt.json["attempt"]));
    await lab.run("outcome", "--run", run, "--signal", "tests=pass", "--tier", "verified");
    lab.nowMs += 60_000;
    const { json } = await lab.run("run", "finish", "--run", run);
    expect(json).toMatchObject({
      outcome: "accepted",
      receipt: { rec, actual: { accepted: true, cost_usd: null }, cost_in_interval: null },
    });
    const kept = await lab.run("runs", run, "--documents");
    const [row] = kept.json["runs"] as { document: unknown }[];
    expect(validateOcp(row?.document).findings).toEqual([]);
    expect(await documentOf(lab, run)).toMatchObject({
      ext: { "dev.loopwright.receipt": { before: { rec }, after: { z: 1, cost_usd: null }, scored: {} } },
    });
    const revert = ["outcome", "--run", run, "--signal", "revert=abc1234", "--kind", "event"];
    expect((await lab.run(...revert)).json["runs"]).toMatchObject([{ outcome: "rejected", rescored: true }]);
    expect(await documentOf(lab, run)).toMatchObject({
      ext: {
        "dev.loopwright.receipt": {
          after: { z: 0, cost_usd: null },
          rescored: [{ before: { z: 1 }, reasons: ["late:revert"] }],
        },
      },
    });
    const again = ["outcome", "--run", run, "--signal", "tests=pass", "--tier", "verified"];
    expect((await lab.run(...again)).json["runs"]).toMatchObject([{ outcome: "rejected", rescored: false }]);
  });

  test("may be a pair: two runs of one task in a slate of their own, the second one explores", async () => {
    const lab = openCliLab();
    const rec = await recommended(lab);
    const { json } = await lab.run("run", "start", "--rec", rec, "--choice", "pair");
    const runs = json["runs"] as { run: string; task: string; slate: string; source: string }[];
    expect(runs.map(({ source }) => source)).toEqual(["alternative", "exploration"]);
    expect(new Set(runs.map(({ task, slate }) => `${task} ${slate}`)).size).toBe(1);
    expect(await documentOf(lab, String(runs[1]?.run))).toMatchObject({
      slate: { members: runs.map(({ run }) => run), isolated: true },
    });
    const record = await lab.run("run", "record", "--rec", rec, "--choice", "pair", "--session", "x");
    expect(record.json).toMatchObject({ ok: false });
  });

  test("is refused where the recommendation or the choice is not there, or is said twice", async () => {
    const lab = openCliLab();
    const rec = await recommended(lab);
    const start = (...words: string[]) => lab.run("run", "start", ...words);
    expect(await start("--rec", "rec_none", "--choice", "1")).toMatchObject({
      exit: 2,
      json: { problem: { code: "no-such-recommendation" } },
    });
    expect((await start("--rec", rec, "--choice", "9")).json).toMatchObject({
      problem: { code: "bad-flag" },
    });
    expect((await start("--rec", rec, "--choice", "1", "--workflow", "solo")).json).toMatchObject({
      problem: { code: "bad-flag" },
    });
    expect((await start("--choice", "1")).json).toMatchObject({ problem: { code: "bad-flag" } });
    expect((await lab.run("runs")).json).toMatchObject({ runs: [] });
  });
});

test("a configuration that was only recommended is found by its id, and doctor says how forecasts held", async () => {
  const lab = openCliLab();
  lab.nowMs = NOW;
  const { json } = await lab.run(...ASK);
  const { config } = json["pick"] as { config: string };
  expect((await lab.run("workflows", "show", config)).json).toMatchObject({ ok: true });
  const { json: doctor } = await lab.run("doctor");
  expect(doctor["checks"]).toContainEqual({
    name: "forecasts",
    state: "ok",
    detail: "0 of 0 costs inside their 80 % ranges, 0 chances with an outcome: too few to say",
    hint: null,
  });
});

test("a run that followed none is set against what was believed from the runs before it", async () => {
  const lab = openCliLab();
  lab.nowMs = NOW;
  const files = Array.from({ length: 8 }, (_, n) =>
    lab.write(`${n}.ocp.json`, aRun(n, "gpt-6-luna", n % 2 === 0, 1)),
  );
  await lab.run("run", "import", ...files);
  const start = ["run", "start", "--type", "bug_fix", "--repo", "acme/api", "--workflow", "solo"];
  const set = ["--set", "implement=codex:gpt-6-luna:high", "--source", "designed"];
  const { json } = await lab.run(...start, ...set);
  const run = String(json["run"]);
  const { json: done } = await lab.run("run", "finish", "--run", run);
  expect(done).toMatchObject({ receipt: { rec: null, so_far: { receipts: 1 } } });
  const other = await lab.run(...start, ...set);
  const quiet = await lab.run("run", "finish", "--run", String(other.json["run"]), "--no-fit");
  expect(quiet.json).toMatchObject({ receipt: null });
});
