import { describe, expect, test } from "vitest";
import { parseLoop } from "../formats/loop/index.ts";
import { MINIMAL_LOOP, withLine } from "../testing/minimal-loop.ts";
import { checkSupport, fieldsInUse } from "./loop-support.ts";

async function used(text: string) {
  const read = await parseLoop(text, "loop.yaml");
  if (read.loop === undefined) throw new Error(JSON.stringify(read.findings));
  return { fields: fieldsInUse(read, read.loop), refusal: checkSupport(read, read.loop) };
}

const safety = (more: string) => withLine("safety:", "safety:", `  ${more}`);
const piece = (more: string) => withLine("role: builder", "role: builder", `        ${more}`);
const RULE = "{id: a, statement: x, detector: {type: judge, standard: x}}";

test("a loop of what the engine does starts, and nothing is said", async () => {
  expect(await used(MINIMAL_LOOP)).toEqual({ fields: [], refusal: undefined });
});

describe("what would be unsafe to pass over is refused at its place", () => {
  test.each([
    [
      "an entry rule for a judge",
      "a judge cannot decide a rule",
      withLine("  gates:", "  gates:", `    entry: [${RULE}]`),
      "safety.gates.entry[0].detector",
    ],
    [
      "a rollback rule for a judge",
      "a judge cannot decide a rule",
      withLine("  gates:", "  gates:", `    rollback: [${RULE}]`),
      "safety.gates.rollback[0].detector",
    ],
  ])("%s", async (_what, words, text, path) => {
    const { fields, refusal } = await used(text);
    expect(fields).toContainEqual(expect.objectContaining({ is: "refused", path }));
    expect(refusal).toMatchObject({ code: "not-supported-yet", message: expect.stringContaining(words) });
    expect(refusal?.at).toMatch(/^loop\.yaml:\d+:\d+$/);
  });
});

test("a container without an image becomes a worktree, and production refuses that", async () => {
  const named = piece("isolation: {mode: container, image: x, network: true}");
  expect(await used(named)).toEqual({ fields: [], refusal: undefined });
  const text = piece("isolation: {mode: container, network: true}");
  const path = "execution.graph.nodes[0].isolation";
  expect(await used(text)).toMatchObject({ fields: [{ is: "degraded", path }], refusal: undefined });
  const { refusal } = await used(text.replace("name: tidy", "name: tidy\nenvironment: prod"));
  expect(refusal).toMatchObject({ code: "not-supported-yet", message: expect.stringContaining("worktree") });
});

describe("what harms nobody is named, and the loop starts", () => {
  test.each([
    [
      "told",
      safety("limits: {global: {forbidden_commands: [rm -rf]}}"),
      "safety.limits.global.forbidden_commands",
    ],
    [
      "told",
      safety("limits: {per_piece: {build: {human_checkpoint: [publishing]}}}"),
      "safety.limits.per_piece.build.human_checkpoint",
    ],
    ["unused", safety("recovery: {corrupted_state: {action: pause}}"), "safety.recovery.corrupted_state"],
    [
      "unused",
      withLine("{max_cost_usd: 2.5}", "{max_cost_usd: 2.5, stop_on_overall_success: false}"),
      "safety.gates.stop.stop_on_overall_success",
    ],
    [
      "unused",
      withLine("name: tidy", "name: tidy", "features: {marketplace_skills: true}"),
      "features.marketplace_skills",
    ],
  ])("%s: %#", async (is, text, path) => {
    expect(await used(text)).toMatchObject({ fields: [{ is, path }], refusal: undefined });
  });
});
