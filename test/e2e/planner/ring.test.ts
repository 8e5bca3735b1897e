import { basename } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { validateOcp } from "../../../src/formats/ocp/index.ts";
import type { AgentStep } from "../../../src/testing/scripted-agent.ts";
import { openWorkflowLab, type WorkflowLab } from "../workflows/workflow-lab.ts";
import { clearWinner, importRuns } from "./history.ts";

let lab: WorkflowLab | undefined;
afterEach(() => lab?.dispose());

const RIGHT: AgentStep = {
  do: [
    { kind: "write", path: "answer.txt", text: "right\n" },
    { kind: "say", text: "done", usage: { inputTokens: 900, outputTokens: 60 } },
  ],
};
const GO = ["go", "write the right answer", "--check", "grep -q right answer.txt"];

async function ready(): Promise<WorkflowLab> {
  const opened = openWorkflowLab({ builder: [RIGHT], judge: [RIGHT] });
  await importRuns(opened, clearWinner(basename(opened.repo.dir)));
  return opened;
}

describe("go after thirty recorded runs", () => {
  test("works the recommended way with --yes, and records what was taken and how the belief moved", async () => {
    lab = await ready();
    const done = await lab.play([...GO, "--yes"]);
    expect(done.stderr).toContain("recommended: implement_check · claude-opus-5-5");
    expect(done.exit).toBe(0);
    const answer = done.json();
    expect(answer).toMatchObject({
      satisfied: true,
      receipt: { rec: expect.stringMatching(/^rec_/), actual: { accepted: true } },
    });
    const document = await lab.document();
    expect(validateOcp(document).findings).toEqual([]);
    const { rec } = answer["receipt"] as { rec: string };
    expect(document.run).toMatchObject({
      task: { type: "bug_fix", repo: basename(lab.repo.dir), labeled_by: { how: "inferred" } },
      configuration: { rec, source: "alternative" },
      provenance: { chooser: "planner" },
      ext: {
        "dev.loopwright.choice": { option: 1, key: "goal", propensity: 1, chosen_by: "policy" },
        "dev.loopwright.receipt": { before: { rec }, after: { z: 1 } },
      },
    });
    const learning = await lab.play(["status", "--learning"]);
    expect(learning.json()["learning"]).toMatchObject({
      finished_runs: 31,
      follows: { rec, choice: "goal", source: "alternative" },
      forecasts: { runs: 1, held: null },
      experiment: null,
      budget: null,
    });
    const text = await lab.run(["recommend", "--type", "bug_fix", "--title", "x"], lab.env);
    expect(text.stdout).toContain("from 31 runs of yours");
  });

  test("works as always where nobody can be asked, and says so in one line", async () => {
    lab = await ready();
    const done = await lab.play(GO);
    expect(done.exit).toBe(0);
    expect(done.stderr.match(/nobody can be asked here/g)).toHaveLength(1);
    const { run } = await lab.document();
    expect(run.configuration?.rec).toBeUndefined();
    expect(run.provenance).toMatchObject({ chooser: "user" });
    expect(done.json()).toMatchObject({ receipt: { rec: null } });
  });

  test("does what the user says where the user says how to work", async () => {
    lab = await ready();
    const done = await lab.play([
      ...GO,
      "--workflow",
      "solo",
      "--set",
      "implement=codex:gpt-6-astra:high",
      "--yes",
    ]);
    expect(done.exit).toBe(0);
    expect(done.stderr).not.toContain("recommended");
    expect((await lab.document()).run.configuration).toMatchObject({ workflow: { id: "solo" } });
  });

  test("loop start takes it too, where it has a goal and neither file nor workflow", async () => {
    lab = await ready();
    const start = [
      "loop",
      "start",
      "--goal",
      "write the right answer",
      "--check",
      "grep -q right answer.txt",
    ];
    const refused = await lab.play(start);
    expect(refused.json()).toMatchObject({ problem: { code: "bad-flag" } });
    const done = await lab.play([...start, "--yes"]);
    expect(done.json()).toMatchObject({ satisfied: true, receipt: { rec: expect.stringMatching(/^rec_/) } });
  });
});
