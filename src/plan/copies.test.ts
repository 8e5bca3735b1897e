import { expect, test } from "vitest";
import type { OcpConfiguration } from "../formats/ocp/index.ts";
import { fitBelief, workflowFacts } from "../learn/index.ts";
import { SHIPPED_PRIOR } from "../learn/prior/load.ts";
import { foldedWorkflow } from "../learn/rows/read-workflow.ts";
import { Predictor } from "./predict.ts";

const SETTING = { harness: "claude-code", model: { id: "claude-opus-5-5" }, effort: "high" };

/** Attempts side by side, then a judge: `copies` by name, or one that many wide. */
function bestOf(copies: readonly string[], width: number, models: readonly string[] = []): OcpConfiguration {
  const settings = copies.map((id, i) => {
    const model = models[i];
    return [id, model === undefined ? SETTING : { ...SETTING, model: { id: model } }] as const;
  });
  return {
    id: "cfg_test",
    workflow: {
      id: "best_of_n",
      pieces: [
        ...copies.map((id) => ({ id, role: "implementer", width })),
        { id: "judge", role: "reviewer" },
      ],
      artifacts: [{ id: "done", kind: "code" }],
      edges: [...copies.flatMap((id) => [[id, `${id}_made`] as const, [`${id}_made`, "judge"] as const])].map(
        ([from, to]) => [from, to],
      ),
    },
    settings: Object.fromEntries([...settings, ["judge", SETTING]]),
  };
}

const TASK = { type: "bug_fix", repo: "acme/api", features: new Map<string, string>() };

function predicted(configuration: OcpConfiguration) {
  const workflow = workflowFacts(configuration);
  if (workflow === undefined) throw new Error("no workflow");
  const predictor = new Predictor(fitBelief([], SHIPPED_PRIOR), 2026 * 12 + 10);
  const { success, costUsd } = predictor.outline(TASK, workflow);
  const simulated = predictor.simulate("cost", TASK, workflow, success);
  return [success, costUsd, simulated].map((draws) => [...draws]);
}

test("copies as pieces predict what one piece as wide does, to the last digit", () => {
  const wide = predicted(bestOf(["attempt"], 3));
  expect(predicted(bestOf(["attempt", "attempt_2", "attempt_3"], 1))).toEqual(wide);
  expect(predicted(bestOf(["attempt", "attempt_2"], 1))).not.toEqual(wide);
});

test("pieces of one role with other models are no copies", () => {
  const mixed = bestOf(["attempt", "other"], 1, ["claude-opus-5-5", "gpt-6-astra"]);
  expect(workflowFacts(mixed)?.pieces.map(({ id, width }) => [id, width])).toEqual([
    ["attempt", 1],
    ["other", 1],
    ["judge", 1],
  ]);
});

test("an attempt at a copy is one at the piece that stands for it", () => {
  const folded = foldedWorkflow(bestOf(["attempt", "attempt_2", "attempt_3"], 1));
  expect(folded?.workflow.pieces.map(({ id, width }) => [id, width])).toEqual([
    ["attempt", 3],
    ["judge", 1],
  ]);
  expect(folded?.placeOf.get("attempt_3")).toBe("attempt");
});
