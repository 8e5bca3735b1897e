import { expect, test } from "vitest";
import { aRun } from "../../src/testing/run-documents.ts";
import { openCliLab } from "../cli-lab.ts";

test("experiment compare sets the recorded runs of two arms side by side, and decides nothing", async () => {
  const lab = openCliLab();
  lab.nowMs = Date.parse("2026-11-30T12:00:00Z");
  const runs = [0, 1, 2, 3].map((n) => {
    const { run, ...document } = aRun(n, "gpt-6-luna", n > 0, n + 1);
    const task = { id: `tsk_${n >> 1}`, type: "bug_fix", base_commit: "1234567" };
    return { ...document, run: { ...run, task, labels: { arm: n % 2 === 0 ? "old" : "new" } } };
  });
  await lab.run("run", "import", ...runs.map((run) => lab.write(`${run.run.id}.ocp.json`, run)));
  const words = ["experiment", "compare", "--base", "old", "--candidate", "arm=new"];
  expect(await lab.run(...words)).toMatchObject({
    exit: 0,
    json: {
      pairs: 2,
      wins: 1,
      losses: 0,
      verdict: "undecided",
      arms: [
        { arm: "old", runs: 2, accepted: 1, mean_cost_usd: 2, cost_per_accepted_usd: 4 },
        { arm: "arm=new", runs: 2, accepted: 2, mean_cost_usd: 3, cost_per_accepted_usd: 3 },
      ],
    },
  });
  expect((await lab.say(...words)).stdout).toContain("old: 2 runs, 1 of 2 accepted");
  expect(await lab.run(...words, "--rule", "ci")).toMatchObject({
    exit: 1,
    json: { problem: { code: "bad-flag" } },
  });
  expect(await lab.run("experiment", "compare", "--base", "old", "--candidate", "newer")).toMatchObject({
    exit: 2,
    json: { problem: { hint: expect.stringContaining("arm=new") } },
  });
});
