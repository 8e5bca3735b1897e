import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type CliLab, openCliLab } from "../../cli-lab.ts";
import { aForeignRun } from "./documents.ts";

async function listed(lab: CliLab, ...words: readonly string[]): Promise<readonly unknown[]> {
  const rows = (await lab.run("runs", ...words)).json["runs"] as readonly { readonly run: string }[];
  return rows.map(({ run }) => run);
}

test("runs are in order of the moment that they began, whatever the offset it is written with", async () => {
  const lab = openCliLab();
  const starts = {
    run_noon: "2026-11-02T12:00:00+00:00",
    run_eleven: "2026-11-02T13:00:00+02:00",
    run_late: "2026-11-02T08:30:00-05:00",
  };
  const files = Object.entries(starts).map(([id, started_at]) =>
    lab.write(`${id}.ocp.json`, aForeignRun(id, { started_at, ended_at: "2026-11-03T00:00:00Z" })),
  );
  await lab.run("run", "import", ...files);
  expect(await listed(lab)).toEqual(["run_late", "run_noon", "run_eleven"]);
  expect(await listed(lab, "--since", "2026-11-02T11:30:00Z")).toEqual(["run_late", "run_noon"]);
});

test("a relative home and a changed folder mean one store", async () => {
  const lab = openCliLab();
  mkdirSync(join(lab.dir, "below"));
  lab.write("a.ocp.json", aForeignRun("run_a"));
  await lab.run("run", "import", "a.ocp.json", "--home", "store");
  expect(await listed(lab, "--home", join(lab.dir, "store"))).toEqual(["run_a"]);
  expect(await listed(lab)).toEqual([]);
  lab.env["LOOPWRIGHT_HOME"] = "store";
  expect(await listed(lab, "-C", "below", "--home", join(lab.dir, "store"))).toEqual(["run_a"]);
});

test("a moment that may be minutes or months is refused, and other ones say what is expected", async () => {
  const lab = openCliLab();
  for (const [since, hint] of [
    ["3m", "minutes or months"],
    ["soon", "expected 90d"],
  ] as const) {
    const done = await lab.run("runs", "--since", since);
    expect(done).toMatchObject({ exit: 1, json: { problem: { code: "bad-flag" } } });
    expect(JSON.stringify(done.json)).toContain(hint);
  }
});

test("a run recorded as a habit is spend, the same run imported as history is none", async () => {
  const spent = async (lab: CliLab): Promise<unknown> => (await lab.run("budget")).json["spent"];
  const words = ["--type", "bug_fix", "--workflow", "solo", "--source", "habit"];
  const lab = openCliLab();
  await lab.run("budget", "--usd", "10", "--period", "month");
  const set = ["--set", "implement=claude-code:claude-opus-5-5:high"];
  const run = String((await lab.run("run", "start", ...words, ...set)).json["run"]);
  await lab.run("run", "finish", "--run", run);
  expect(await spent(lab)).toMatchObject({ runs: 1 });
  lab.write("a.ocp.json", aForeignRun("run_a", { configuration: { source: "habit" } }));
  await lab.run("run", "import", "a.ocp.json");
  expect(await spent(lab)).toMatchObject({ runs: 1 });
});

test("one of a thing is said as one", async () => {
  const lab = openCliLab();
  lab.write("a.ocp.json", aForeignRun("run_a"));
  lab.write("b.ocp.json", aForeignRun("run_b"));
  const said = async (...words: readonly string[]): Promise<string> => (await lab.say(...words)).stdout;
  expect(await said("run", "import", "a.ocp.json")).toMatch(/\b1 run\b|\b1 document\b|\b1 file\b/);
  expect(await said("run", "import", "a.ocp.json", "b.ocp.json")).not.toMatch(/\b2 (run|document|file)\b/);
});
