import { describe, expect, test } from "vitest";
import { parseLoop } from "../../src/formats/loop/index.ts";
import { decide } from "../../src/run/decide.ts";
import { planLoop } from "../../src/run/plan-loop.ts";
import { aSpec, Story } from "../../src/testing/session-story.ts";

interface Shape {
  readonly phases: string;
  readonly pieces: readonly string[];
}

function textOf({ phases, pieces }: Shape): string {
  const nodes = pieces.map((piece) => `{role: builder, instruction: Do the whole of it., ${piece}}`);
  const goal = (name: string) => `{name: ${name}, description: The ${name} is there.}`;
  const check = (name: string) =>
    `{target: ${name}, name: ${name}, mode: objective, statement: There., detector: {type: file_exists, path: ${name}.txt}}`;
  return `name: phased
intent: {prerequisites: [], goals: [${goal("a")}, ${goal("b")}]}
execution:
  graph: {nodes: [${nodes.join(", ")}]}
  phases: ${phases}
  providers: {providers: [{id: w, kind: byok, command: w}]}
safety: {checks: [${check("a")}, ${check("b")}]}
`;
}

async function storyOf(shape: Shape): Promise<Story> {
  const { loop, findings } = await parseLoop(textOf(shape), "loop.yaml");
  const planned = loop === undefined ? undefined : planLoop(loop);
  if (planned?.ok !== true) throw new Error(JSON.stringify(findings));
  const spec = aSpec(planned.value, { concurrency: 9, maxIterations: 99, noProgressIterations: 0 });
  return Story.running(spec);
}

function next(story: Story): readonly string[] {
  const decision = decide(story.state, story.nowMs);
  return decision.action === "dispatch" ? decision.pieces : [];
}

const item = (name: string) => `{name: ${name}, guideline: Only what belongs to it.}`;
const TWO = `{items: [${item("one")}, ${item("two")}], dependency: [one -> two]}`;
const first = "id: first, stage: one, goals: [a]";
const second = "id: second, stage: two, goals: [b]";
/** Pieces in one folder take turns, whatever their phases. */
const apart = (piece: string) => `${piece}, isolation: {mode: worktree}`;

describe("phases", () => {
  test("open one at a time", async () => {
    const story = await storyOf({ phases: TWO, pieces: [first, second] });
    expect(next(story)).toEqual(["first"]);
    story.attempt("first");
    expect(next(story)).not.toContain("second");
  });

  test("a phase with no nodes does not block", async () => {
    const phases = `{items: [${item("none")}, ${item("two")}], dependency: [none -> two]}`;
    expect(next(await storyOf({ phases, pieces: [second] }))).toEqual(["second"]);
  });

  test("a phase that never satisfies its goals never opens the next", async () => {
    const story = await storyOf({ phases: TWO, pieces: [first, second] });
    for (let n = 0; n < 5; n += 1) {
      story.attempt("first");
      expect(next(story)).toEqual(["phase one"]);
      story.evaluate(false, "phase one");
      expect(next(story)).toEqual(["first"]);
    }
  });

  test("unrelated phases are parallel", async () => {
    const phases = `{items: [${item("one")}, ${item("two")}]}`;
    const pieces = [first, second].map(apart);
    expect(next(await storyOf({ phases, pieces }))).toEqual(["first", "second"]);
  });

  test("unstaged nodes are never gated", async () => {
    const pieces = [second, first, "id: free, goals: [a]"].map(apart);
    const story = await storyOf({ phases: TWO, pieces });
    expect(next(story)).toEqual(["first", "free"]);
  });

  test("a cyclic phase graph refuses to start", async () => {
    const phases = `{items: [${item("one")}, ${item("two")}], dependency: [one -> two, two -> one]}`;
    const { findings } = await parseLoop(textOf({ phases, pieces: [first, second] }), "loop.yaml");
    expect(
      findings.filter(({ severity, path }) => severity === "error" && path.includes("phases")),
    ).toHaveLength(1);
  });
});
