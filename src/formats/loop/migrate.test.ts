import { describe, expect, test } from "vitest";
import { migrateLoop, parseLoop } from "./index.ts";

const OLD = `# what it is for
name: old
information:
  # where things are
  - {key: a, value: b}
pre_execution: [{step: Did it by hand, done: true}]
goals:
  - {name: green, description: Every test of the project passes.}
validations:
  - {target: green, name: tests, mode: objective, statement: Green., detector: {type: script, command: npm test}}
success: [{target: overall, name: all, mode: objective, statement: All of it.}]
stop_gates: {max_iterations: 4, max_tokens: 9} # enough
schedules:
  - type: cron
    expr: "0 2 * * *"
constraints: {global: {rules: [Never push.]}}
execution_guidelines: {items: [{name: one, guideline: Think before you act.}]}
default_skills: [{name: reach, source: git, url: https://example.org/x}]
graph:
  nodes:
    - {id: build, role: builder, instruction: Make the tests pass., isolated: true}
    - {id: read, role: judge, instruction: Say what is wrong with it., isolated: false}
providers: {providers: [{id: a, kind: claude, command: claude}]}
skills: {explore: true}
context: {carry_summaries: 1}
`;

async function migrated(text: string) {
  const result = await migrateLoop(text, "loop.yaml");
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.value;
}

test("the 0.3 grammar is read as what it means in 1.0", async () => {
  const { loop } = await parseLoop(OLD, "loop.yaml");
  expect(loop).toMatchObject({
    background: [{ key: "a", value: "b" }],
    prerequisites: [{ isDone: true }],
    goals: [{ name: "green" }],
    checks: [{ name: "tests" }],
    success: [{ name: "all" }],
    stop: { maxIterations: 4, maxTokens: 9 },
    triggers: { triggers: [{ on: { type: "cron", expr: "0 2 * * *" }, isEnabled: true }] },
    limits: { rules: ["Never push."] },
    phases: { items: [{ name: "one" }] },
    defaultSkills: [{ source: "github" }],
    pieces: [{ isolation: { mode: "worktree" } }, { isolation: { mode: "none" } }],
    providers: [{ id: "a" }],
    skills: { explore: true },
    memory: { carrySummaries: 1 },
  });
});

test("every issue names a 1.0 path at its place in the 0.3 text", async () => {
  const { findings } = await parseLoop(OLD.replace("target: green", "target: grene"), "loop.yaml");
  expect(findings).toContainEqual(
    expect.objectContaining({ path: "safety.checks[0].target", at: "loop.yaml:10:14" }),
  );
});

test("a migrated file means the same, keeps its comments, and migrates to itself", async () => {
  const { text, moves } = await migrated(OLD);
  expect(moves).toHaveLength(17);
  expect((await parseLoop(text, "loop.yaml")).loop).toEqual((await parseLoop(OLD, "loop.yaml")).loop);
  for (const comment of ["# what it is for", "# where things are", "# enough"])
    expect(text).toContain(comment);
  expect(await migrated(text)).toEqual({ text, moves: [] });
  expect(text.match(/^\w+(?=:)/gm)).toEqual(["name", "intent", "execution", "safety"]);
});

test("a file of the 1.0 grammar is not touched, not even its spacing", async () => {
  const text = "name:   spaced\nintent: { goals:  [] }\n";
  expect(await migrated(text)).toEqual({ text, moves: [] });
});

describe("the new key wins over the old one", () => {
  const both = "name: x\ngoals: [{name: old}]\nintent: {goals: [{name: new}]}\n";

  test("in the migrated file, and that is said", async () => {
    const { text, moves } = await migrated(both);
    expect(moves).toMatchObject([
      { from: "goals", to: "intent.goals", at: "loop.yaml:2:1", isDropped: true },
    ]);
    expect(text).toContain("new");
    expect(text).not.toContain("old");
  });

  test("but a file that says both is refused until one is gone", async () => {
    const { findings } = await parseLoop(both, "loop.yaml");
    expect(findings).toContainEqual(
      expect.objectContaining({ severity: "error", path: "goals", at: "loop.yaml:2:1" }),
    );
  });
});

test("a bundle without content is filled, one that is a text is left to be refused", async () => {
  expect((await migrated("goals: [1]\nintent:\n")).text).toContain("intent:\n  goals: [1]");
  expect((await migrated("goals: [1]\nintent: x\n")).moves).toEqual([]);
});

test.each(["", "- a\n", "5\n"])("what is no map is left as it is: %j", async (text) => {
  expect(await migrated(text)).toEqual({ text, moves: [] });
});

test("an alias that would come before its anchor is refused, not expanded in silence", async () => {
  const result = await migrateLoop("schedules: &a [{type: manual}]\ngoals: *a\n", "loop.yaml");
  expect(result).toMatchObject({
    ok: false,
    problems: [{ code: "bad-yaml", message: expect.stringContaining("alias") }],
  });
});
