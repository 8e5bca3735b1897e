import { describe, expect, test } from "vitest";
import {
  buildShape,
  type Setting,
  type Shape,
  shapeNamed,
  type WorkflowFile,
} from "../formats/workflow/index.ts";
import { aRun } from "../testing/run-documents.ts";
import { candidatesOf } from "./candidates.ts";
import { editsOf } from "./edits.ts";
import { nearestEffort, type Offer } from "./offer.ts";

const OPUS: Offer = { harness: "claude-code", model: "claude-opus-5-5", efforts: ["low", "high", "max"] };
const LUNA: Offer = { harness: "codex", model: "gpt-6-luna", efforts: ["low", "medium"] };
const by = ({ harness, model }: Offer, effort: string): Setting => ({
  harness,
  model,
  effort,
  contextPolicy: "fresh",
  options: {},
});

function fileOf(
  name: string,
  settings: Readonly<Record<string, Setting>>,
  more: Partial<Shape> = {},
): WorkflowFile {
  const shape = shapeNamed(name);
  if (shape === undefined) throw new Error(name);
  return { workflow: buildShape({ ...shape, ...more }), settings, numbers: new WeakMap() };
}

function wordsOf({ workflow, settings }: WorkflowFile): string {
  const pieces = workflow.pieces.map(({ id, width }) => {
    const { model, effort } = settings[id] ?? {};
    return `${id}*${width}=${model === OPUS.model ? "opus" : "luna"}:${effort}`;
  });
  return `${workflow.id}@${workflow.control.rounds} ${pieces.join(" ")}`;
}

describe("one step from a configuration", () => {
  test("is another effort or model, at the nearest effort, or a planner or reviewer more", () => {
    expect(editsOf(fileOf("solo", { implement: by(OPUS, "high") }), [OPUS, LUNA]).map(wordsOf)).toEqual([
      "solo@1 implement*1=opus:low",
      "solo@1 implement*1=opus:max",
      "solo@1 implement*1=luna:medium",
      "plan_implement@1 plan*1=opus:high implement*1=opus:high",
      "implement_review@3 implement*1=opus:high review*1=luna:medium",
    ]);
  });

  test("is one round or copy more or less where there are several, within the limits", () => {
    const settings = { implement: by(OPUS, "high"), review: by(LUNA, "low") };
    const rounds = (limit: number) =>
      editsOf(fileOf("implement_review", settings, { rounds: limit }), [])
        .map(({ workflow }) => workflow)
        .filter(({ id }) => id === "implement_review")
        .map(({ control }) => control.rounds);
    expect([rounds(1), rounds(3), rounds(6)]).toEqual([[2], [2, 4], [5]]);
    const best = fileOf("best_of_n", { implement: by(OPUS, "high"), select: by(LUNA, "low") }, { width: 2 });
    const widths = editsOf(best, []).map(({ workflow }) => workflow.pieces[0]);
    expect(widths.filter((piece) => piece?.id === "implement").map((piece) => piece?.width)).toContain(3);
  });

  test("keeps every piece's own setting, and leaves pieces without a model as they are", () => {
    const command: Setting = { harness: "command", effort: "default", contextPolicy: "fresh", options: {} };
    const file = fileOf("implement_review", { implement: by(OPUS, "low"), review: command });
    for (const { settings } of editsOf(file, [OPUS])) {
      if (settings["review"] !== undefined) expect(settings["review"]).toEqual(command);
    }
  });
});

test("candidates hold the steps from what is recorded, those of what runs now first, and none with a retired model", () => {
  const runs = [aRun(1, "gpt-6-luna", true, 1), aRun(2, "claude-opus-5-5", true, 1)];
  const current = runs[1]?.run.configuration?.id ?? "";
  const steps = candidatesOf(runs, [], [LUNA], current).filter(({ origin }) => origin === "edit");
  expect(steps.length).toBeGreaterThan(0);
  for (const { facts } of steps) {
    for (const { setting } of facts.pieces) expect([undefined, LUNA.model]).toContain(setting.model);
  }
});

test("the nearest effort is the lower of two that are as near, and `default` counts as high", () => {
  expect(nearestEffort({ ...OPUS, efforts: ["xhigh", "medium"] }, "high")).toBe("medium");
  expect(nearestEffort(OPUS, "default")).toBe("high");
  expect(nearestEffort(OPUS, "max")).toBe("max");
});
