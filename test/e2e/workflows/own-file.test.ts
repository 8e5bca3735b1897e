import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { validateOcp } from "../../../src/formats/ocp/index.ts";
import { openWorkflowLab, PASS, says, type WorkflowLab } from "./workflow-lab.ts";

let lab: WorkflowLab | undefined;
afterEach(() => lab?.dispose());

const CAREFUL = `id = "careful"
edges = ["issue -> plan", "plan -> plan_doc", "plan_doc -> build", "build -> diff", "diff -> review", "review -> verdict"]
artifacts = ["issue", "diff", "verdict", { id = "plan_doc", kind = "plan" }]
pieces = [{ id = "plan", role = "planner" }, { id = "build", role = "coder" }, { id = "review", role = "critic" }]

[control]
budget_rounds = 2
gates = [{ after = "review", on_fail = "build" }]

[settings.plan]
harness = "claude-code"
model = "claude-opus-5-5"

[settings.build]
harness = "codex"
model = "gpt-6-astra"
effort = "medium"

[settings.review]
harness = "claude-code"
model = "claude-opus-5-5"
`;

test("a file of one's own runs as it is written and is recorded under the id that validate names", async () => {
  lab = openWorkflowLab({
    builder: [
      { when: { promptContains: "Make a plan" }, do: [], claim: "PLAN-OF-THE-PLANNER" },
      { when: { promptContains: "Review the work" }, do: [], claim: PASS },
    ],
    judge: [
      says("built", {
        when: { promptContains: "PLAN-OF-THE-PLANNER" },
        do: [{ kind: "write", path: "answer.txt", text: "right\n" }],
      }),
    ],
  });
  writeFileSync(join(lab.repo.dir, "careful.toml"), CAREFUL);
  const validated = await lab.play(["workflows", "validate", "careful.toml"]);
  expect(validated.json()).toMatchObject({ valid: true, id: "careful" });
  const start = ["loop", "start", "--workflow", "./careful.toml", "--goal", "write the right answer"];
  const done = await lab.play([...start, "--check", "grep -q right answer.txt"]);
  expect(done.exit).toBe(0);
  expect(done.json()).toMatchObject({ satisfied: true, iteration: 1, attempts: 3 });
  const document = await lab.document();
  expect(validateOcp(document).findings).toEqual([]);
  expect(document.run.configuration?.id).toBe(validated.json()["config"]);
  expect(document.attempts?.map(({ vertex, round }) => `${vertex ?? "goal gate"} ${round}`)).toEqual([
    "plan 1",
    "build 1",
    "goal gate 1",
    "review 1",
  ]);
});

test("a goal and a check are asked for, and a loop file beside a workflow is refused", async () => {
  lab = openWorkflowLab({ builder: [], judge: [] });
  const start = ["loop", "start", "--workflow", "solo"];
  expect((await lab.play(start)).json()).toMatchObject({ problem: { code: "missing-goal" } });
  expect((await lab.play([...start, "--goal", "x"])).json()).toMatchObject({
    problem: { code: "missing-check" },
  });
  expect((await lab.play([...start, "loop.yaml"])).json()).toMatchObject({ problem: { code: "bad-flag" } });
  expect((await lab.play(["loop", "start", "--goal", "x"])).json()).toMatchObject({
    problem: { code: "bad-flag" },
  });
  const unknown = await lab.play([...start, "--goal", "x", "--check", "false", "--set", "reviw=codex"]);
  expect(unknown.json()).toMatchObject({ problem: { code: "unknown-piece" } });
});
