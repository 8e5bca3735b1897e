import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { aRun } from "../../src/testing/run-documents.ts";
import { installAgent } from "../../src/testing/scripted-agent.ts";
import { type CliLab, openCliLab } from "../cli-lab.ts";

const ASK = ["recommend", "--type", "bug_fix", "--repo", "acme/api", "--title", "Fix the parser crash"];
const NOW = Date.parse("2026-11-30T12:00:00Z");

/** One answer, one reason, one command, on a terminal of 80 columns and 24 lines. */
function expectOneScreen(text: string): void {
  const lines = text.split("\n");
  expect(lines.length).toBeLessThan(24);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  expect(text.match(/^why /gm)).toHaveLength(1);
  expect(text).toMatch(/\nrec rec_\w+\n$/);
  expect(text.match(/loopwright /g)).toHaveLength(1);
}

describe("recommend", { timeout: 120_000 }, () => {
  test("answers from published figures alone, without a chance, with the pair that teaches most", async () => {
    const lab = openCliLab();
    lab.nowMs = NOW;
    const { exit, json } = await lab.run(...ASK);
    expect(exit).toBe(0);
    expect(json).toMatchObject({
      schema: "loopwright.recommend/1",
      reason: "cheapest-without-a-chance",
      fit: { runs: 0, prior_weight: { success: 1, cost: 1 } },
      pick: { chance_known: false, success: { mean: null, range_kind: "belief" } },
    });
    lab.columns = 80;
    lab.env = { NO_COLOR: "1" };
    const text = (await lab.say(...ASK)).stdout;
    expect(text).toContain("not enough data for a chance");
    expect(text).toContain('loopwright experiment run "Fix the parser crash"');
    expectOneScreen(text);
  });

  test("--target is a score, and says what is accepted in place of --rule", async () => {
    const lab = openCliLab();
    const words = [...ASK, "--target", "quality>=0.9"];
    const { json } = await lab.run(...words);
    expect(json).toMatchObject({ success_from: "success_head", rule: { score: { name: "quality" } } });
    expect(JSON.stringify(json["notes"])).toContain("too few runs have the score quality");
    lab.write("CLAUDE.md", "Be brief.");
    expect((await lab.run(...ASK, "--harness", ".", "--harness-variants")).json).toMatchObject({
      harness_variants: [{ runs: 0, not_priced: "no run tells a part of it from its harness" }],
    });
    for (const odd of [
      [...words, "--rule", "tests"],
      [...ASK, "--target", "tests"],
    ])
      expect(await lab.run(...odd)).toMatchObject({ exit: 1, json: { problem: { code: "bad-flag" } } });
  });

  test("a time box that no run tells of changes no number, and the answer says so", async () => {
    const lab = openCliLab();
    lab.nowMs = NOW;
    const [open, boxed] = [await lab.run(...ASK), await lab.run(...ASK, "--horizon", "8h")];
    expect(boxed.json["pick"]).toEqual(open.json["pick"]);
    expect(JSON.stringify(boxed.json["notes"])).toContain("no run had a time box");
    expect(JSON.stringify(open.json["notes"])).not.toContain("time box");
  });

  test("a list price that changed since moves what a run costs by as much", async () => {
    const lab = openCliLab();
    lab.nowMs = NOW;
    const meanOf = async () => {
      const { json } = await lab.run(...ASK, "--models", "gpt-5.6-luna");
      const { pick } = JSON.parse(JSON.stringify(json));
      return [pick.config, pick.expected_cost_usd.mean] as const;
    };
    const [config, usd] = await meanOf();
    const rates = (times: number) =>
      ["input", "cache_read", "cache_write", "output"].map((key) => `${key} = ${times}.0`).join("\n");
    mkdirSync(lab.home, { recursive: true });
    writeFileSync(
      join(lab.home, "prices.toml"),
      `as_of = "2026-11-30"\n["gpt-5.6-luna"]\n${rates(1)}\n[["gpt-5.6-luna".dated]]\nfrom = 2026-11-30\n${rates(3)}\n`,
    );
    const [same, dearer] = await meanOf();
    expect(same).toBe(config);
    expect(dearer / usd).toBeCloseTo(3, 2);
  });

  test("a model that nothing is published of is priced by its list price against its family's", async () => {
    const lab = openCliLab();
    lab.nowMs = NOW;
    mkdirSync(lab.home, { recursive: true });
    const meanAt = async (times: number) => {
      const rates = ["input", "cache_read", "cache_write", "output"].map((key) => `${key} = ${times}.0`);
      writeFileSync(
        join(lab.home, "prices.toml"),
        `as_of = "2026-11-30"\n["gpt-6-luna"]\n${rates.join("\n")}\n`,
      );
      const { json } = await lab.run(...ASK, "--models", "gpt-6-luna");
      return JSON.parse(JSON.stringify(json)).pick.expected_cost_usd.mean;
    };
    // Another prior is another fit, with draws of its own.
    expect((await meanAt(3)) / (await meanAt(1))).toBeCloseTo(3, 0);
  });

  test("after 30 recorded runs with a clear winner moves there, says why, and shows the same numbers as text, data and page", async () => {
    const lab = openCliLab();
    lab.nowMs = NOW;
    const runs = Array.from({ length: 30 }, (_, n) =>
      n < 16 ? aRun(n, "gpt-6-luna", n % 4 === 0, 0.8) : aRun(n, "claude-opus-5-5", n !== 20, 1),
    );
    const files = runs.map((run) => lab.write(`${run.run.id}.ocp.json`, run));
    const imported = await lab.run("run", "import", ...files);
    expect(imported).toMatchObject({ exit: 0, json: { imported: 30 } });
    const { json } = await lab.run(...ASK);
    expect(json).toMatchObject({
      reason: "saves-more-than-noise",
      fit: { runs: 30 },
      pick: { chance_known: true },
    });
    lab.columns = 80;
    lab.env = { NO_COLOR: "1" };
    const said = await lab.say(...ASK);
    expect(said.stdout).toMatch(/^implement_check · claude-opus-5-5/);
    expect(said.stdout.replaceAll(/\s+/g, " ")).toMatch(
      /why typically saves \$[\d.]+ a run against implement_check · gpt-6-luna high/,
    );
    expectOneScreen(said.stdout);
    const { json: paged } = await lab.run(...ASK, "--html", "answer.html");
    const page = readFileSync(lab.path("answer.html"), "utf8");
    const shown = Object(paged["pick"]);
    const chance = `${Math.round(100 * shown.success.mean)} % accepted`;
    const usd = `typically $${shown.run_cost_usd.median.toFixed(2)} a run`;
    for (const number of [chance, usd]) {
      expect(said.stdout).toContain(number);
      expect(page).toContain(number);
    }
    expect(page).not.toMatch(/https?:|src=|@import/);
    expect(paged).toMatchObject({ page: "answer.html" });
    const [fit, pick] = [String(Object(json["fit"])["id"]), Object(json["pick"])["config"]];
    await lab.run("run", "import", lab.write("late.ocp.json", aRun(55, "gpt-6-luna", true, 0.1)));
    expect((await lab.run(...ASK)).json).toMatchObject({
      fit: { runs: 31, id: expect.not.stringMatching(fit) },
    });
    expect((await lab.run(...ASK, "--fit", fit)).json).toMatchObject({
      fit: { id: fit, runs: 30 },
      pick: { config: pick },
    });
    expect(await lab.run(...ASK, "--fit", "fit_000000000000")).toMatchObject({
      exit: 2,
      json: { problem: { code: "no-such-fit" } },
    });
    const standing = await lab.run("status", "--learning");
    expect(standing).toMatchObject({ exit: 0, json: { session: null, learning: { finished_runs: 31 } } });
    expect((await lab.say("status", "--learning")).stdout).toMatch(/^no session here; 31 finished runs/);
    expect(await lab.run("status")).toMatchObject({ exit: 2 });
    const learned = await lab.run("posterior", "model", "--head", "gate");
    expect(JSON.stringify(learned.json)).toContain("model:claude-opus-5-5");
    const report = await lab.run("report");
    expect(report.json).toMatchObject({ runs: 31, cost: { scored: 31 } });
  });
});

describe("go on a terminal, with a recommendation to show", { timeout: 120_000 }, () => {
  const GO = ["go", "Fix the parser crash", "--check", "false", "--dry-run"];

  async function ready(): Promise<CliLab> {
    const lab = openCliLab();
    lab.nowMs = NOW;
    const bin = lab.path("bin");
    mkdirSync(bin);
    for (const name of ["claude", "codex"] as const) {
      installAgent(bin, name, { stateDir: lab.path(name), format: name, steps: [] });
    }
    lab.env = { PATH: `${bin}:${process.env["PATH"] ?? ""}` };
    const runs = Array.from({ length: 30 }, (_, n) =>
      n < 16 ? aRun(n, "gpt-6-luna", n % 4 === 0, 0.8) : aRun(n, "claude-opus-5-5", n !== 20, 1),
    );
    await lab.run("run", "import", ...runs.map((run) => lab.write(`${run.run.id}.ocp.json`, run)));
    return lab;
  }

  test("one key takes it, another leaves everything as it was, and any other way can be chosen", async () => {
    const lab = await ready();
    lab.keys = ["y"];
    const taken = await lab.run(...GO);
    expect(taken.stderr).toContain("recommended: implement_check · claude-opus-5-5");
    expect(taken.json).toMatchObject({ providers: ["implement:claude-code"] });
    lab.keys = ["n"];
    expect((await lab.run(...GO)).json).toMatchObject({ providers: ["claude-code"] });
    lab.keys = ["c", "3"];
    expect((await lab.run(...GO)).json).toMatchObject({ providers: ["implement:codex"] });
  });

  test("--recommended insists: without anybody to ask it refuses, and with a way that is named too", async () => {
    const lab = await ready();
    const insist = [...GO, "--recommended"];
    expect((await lab.run(...insist)).json).toMatchObject({ problem: { code: "needs-answer" } });
    expect((await lab.run(...insist, "--workflow", "solo")).json).toMatchObject({
      problem: { code: "bad-flag" },
    });
  });
});
