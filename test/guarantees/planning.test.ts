import { describe, expect, test } from "vitest";
import type { OcpDocument } from "../../src/formats/ocp/index.ts";
import {
  type Belief,
  fitBelief,
  monthOf,
  type RunFacts,
  readRun,
  workflowFacts,
} from "../../src/learn/index.ts";
import { SHIPPED_PRIOR } from "../../src/learn/prior/load.ts";
import { candidatesOf } from "../../src/plan/candidates.ts";
import { Predictor } from "../../src/plan/predict.ts";
import type { Question, Recommendation } from "../../src/plan/question.ts";
import { recommend } from "../../src/plan/recommend.ts";
import { retryRescue } from "../../src/plan/rescue.ts";
import { aRun } from "../../src/testing/run-documents.ts";
import { openCliLab } from "../cli-lab.ts";

const NOW = Date.parse("2026-11-30T12:00:00Z");
const TASK = { type: "bug_fix", repo: "acme/api", features: new Map<string, string>() };
const DOCUMENTS = [
  ...Array.from({ length: 16 }, (_, n) => aRun(n, "gpt-6-luna", n % 4 === 0, 0.8)),
  ...Array.from({ length: 14 }, (_, n) => aRun(100 + n, "claude-opus-5-5", n !== 5, 1)),
];

function factsOf(document: OcpDocument): RunFacts {
  const isDone = document.attempts?.at(-1)?.status === "done";
  return readRun({ document, z: isDone ? 1 : 0, tier: "verified" }, NOW);
}

let fitted: Belief | undefined;
function belief(): Belief {
  fitted ??= fitBelief(DOCUMENTS.map(factsOf), SHIPPED_PRIOR);
  return fitted;
}

function ask(more: Partial<Question> = {}): Recommendation {
  const offers = [
    { harness: "claude-code", model: "claude-opus-5-5", efforts: ["low", "high"] },
    { harness: "codex", model: "gpt-6-luna", efforts: ["low", "high"] },
  ];
  const candidates = candidatesOf(DOCUMENTS, [], offers);
  const question = { task: TASK, candidates, rescue: { kind: "retry" }, horizonRuns: 20, ...more } as const;
  const found = recommend(belief(), question, monthOf(NOW));
  if (found === undefined) throw new Error("no candidates");
  return found;
}

describe("what is learned", { timeout: 60_000 }, () => {
  test("a new task's id does not move any number", () => {
    const { workflow } = factsOf(aRun(1, "gpt-6-luna", true, 1));
    const predictor = new Predictor(belief(), monthOf(NOW));
    const named = predictor.predict({ ...TASK, id: "tsk_never_seen" }, workflow);
    expect(named).toEqual(predictor.predict(TASK, workflow));
  });

  test("without a record of a harness no effect of a part is there", () => {
    const { success, cost, parts } = belief();
    expect([...success.nodes.ids, ...cost.nodes.ids].filter((id) => id.startsWith("part:"))).toEqual([]);
    expect(parts.notEstimated).toEqual([]);
  });

  test("a workflow whose roles differ from those of its catalogue name is a shape of its own", () => {
    const { configuration } = aRun(1, "gpt-6-luna", true, 1).run;
    const workflow = configuration?.workflow;
    if (workflow === undefined || !("pieces" in workflow)) throw new Error("no pieces");
    const shapeOf = (pieces: typeof workflow.pieces) =>
      workflowFacts({ ...configuration, workflow: { ...workflow, pieces } })?.shape;
    expect(shapeOf(workflow.pieces)).toBe("implement_check");
    expect(shapeOf([...workflow.pieces, { id: "review", role: "reviewer" }])).toBe(
      "implement_check:implementer+reviewer+tester",
    );
    const copies = workflow.pieces.flatMap((piece) => [piece, { ...piece, id: `${piece.id}2` }]);
    expect(shapeOf(copies)).toBe("implement_check");
  });

  test("an unknown source to leave out fails, and the known ones are listed", async () => {
    const lab = openCliLab();
    await lab.run("run", "import", lab.write("a.ocp.json", aRun(1, "gpt-6-luna", true, 1)));
    expect(await lab.run("fit", "--without", "sweep")).toMatchObject({
      exit: 1,
      json: { problem: { message: 'no run has the source "sweep"', hint: "known: user" } },
    });
  });
});

describe("what is recommended", { timeout: 60_000 }, () => {
  test("draws near no chance do not blow up the price of a miss", () => {
    const chances = Float64Array.from({ length: 500 }, (_, d) => (d % 2 === 0 ? 1e-9 : 0.8));
    const { usd } = retryRescue(chances, new Float64Array(500).fill(1));
    expect(usd).toBeLessThan(10);
  });

  test("payback is a whole number of runs, at least one", () => {
    const { explorations } = ask({ horizonRuns: 1000 });
    expect(explorations.length).toBeGreaterThan(0);
    for (const { paybackRuns } of explorations) {
      expect(Number.isInteger(paybackRuns) && paybackRuns >= 1).toBe(true);
    }
  });

  test("a chance that no way reaches is said not to be reached", () => {
    expect(ask({ goalProb: 0.9999 }).reason).toBe("most-likely");
    expect(ask({ goalProb: 0.5 }).reason).toBe("reaches-the-goal");
  });

  test("tries to put a miss right have a cap, and their chance stands apart from that of one run", () => {
    const once = ask({ rescue: { kind: "retry", attempts: 1 } });
    const often = ask({ rescue: { kind: "retry", attempts: 5 } });
    expect([once.rescue.acceptedProb, once.rescue.usd]).toEqual([0, 0]);
    expect(often.rescue.acceptedProb).toBeGreaterThan(ask().rescue.acceptedProb);
    const chanceOf = ({ curve }: Recommendation, name: string) =>
      curve.find((choice) => choice.name === name)?.success.mean;
    const { name } = once.curve.find((choice) => chanceOf(often, choice.name) !== undefined) ?? once.pick;
    expect(chanceOf(often, name)).toBe(chanceOf(once, name));
  });
});
