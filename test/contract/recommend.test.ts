import { describe, expect, test } from "vitest";
import { aRun } from "../../src/testing/run-documents.ts";
import { openCliLab } from "../cli-lab.ts";

const ASK = ["recommend", "--type", "bug_fix", "--repo", "acme/api", "--title", "Fix the parser crash"];
const NOW = Date.parse("2026-11-30T12:00:00Z");

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
    const text = (await lab.say(...ASK)).stdout;
    expect(text).toContain("not enough data for a chance");
    expect(text).toContain('loopwright go "Fix the parser crash" --workflow');
    expect(text.split("\n").length).toBeLessThan(24);
  });

  test("after 30 recorded runs with a clear winner moves there and says why", async () => {
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
    const said = await lab.say(...ASK);
    expect(said.stdout).toMatch(/^implement_check · claude-opus-5-5/);
    expect(said.stdout).toMatch(/why {2}saves \$[\d.]+ a run against implement_check · gpt-6-luna high/);
    expect(said.stdout.split("\n").length).toBeLessThan(24);
    const learned = await lab.run("posterior", "model", "--head", "gate");
    expect(JSON.stringify(learned.json)).toContain("model:claude-opus-5-5");
    const go = ["go", "Fix the parser crash", "--recommended", "--check", "false"];
    expect((await lab.run(...go)).json).toMatchObject({ problem: { code: "needs-answer" } });
    const both = await lab.run(...go, "--workflow", "solo");
    expect(both.json).toMatchObject({ problem: { code: "bad-flag" } });
    const report = await lab.run("report");
    expect(report.json).toMatchObject({ runs: 30, cost: { scored: 30 } });
  });
});
