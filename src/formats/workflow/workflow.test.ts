import { describe, expect, test } from "vitest";
import {
  allShapes,
  buildShape,
  catalogue,
  catalogueShapes,
  configurationIdOf,
  diffLines,
  isConfiguration,
  labelOf,
  namedWorkflow,
  nearestInCatalogue,
  type Setting,
  type Settings,
  shapeName,
  shapeNamed,
  type Workflow,
  type WorkflowFile,
} from "./index.ts";

const OPUS = aSetting("claude-code", "claude-opus-5-5");
const ASTRA = aSetting("codex", "gpt-6-astra");

function aSetting(harness: string, model: string, more: Partial<Setting> = {}): Setting {
  return { harness, model, effort: "high", contextPolicy: "fresh", options: {}, ...more };
}

function aFile(name: string, settings: Settings, change: Partial<Workflow> = {}): WorkflowFile {
  const named = namedWorkflow(name);
  if (named === undefined) throw new Error(`no workflow ${name}`);
  return { workflow: { ...named.workflow, ...change }, settings, numbers: new WeakMap() };
}

describe("the catalogue", () => {
  test.each([
    ["solo", { implement: OPUS }, "cfg_261aaa36000b"],
    ["implement_review", { implement: OPUS, review: ASTRA }, "cfg_fa32a4be9469"],
    [
      "implement_review",
      { implement: OPUS, review: aSetting("codex", "gpt-6-astra", { options: { x: "1" } }) },
      "cfg_a704cc721a8c",
    ],
    ["best_of_n", { implement: OPUS, select: ASTRA }, "cfg_5f0a744e4954"],
    ["plan_implement_review", { plan: OPUS, implement: OPUS, review: ASTRA }, "cfg_02d5001b9ce1"],
    ["swarm", { plan: OPUS, work: OPUS, review: ASTRA }, "cfg_d862c54e12cd"],
  ])("%s has the configuration id that other planners give it", (name, settings, id) => {
    expect(configurationIdOf(aFile(name, settings))).toBe(id);
  });

  test("a rule other than the role's default and a rescue by configuration are part of the id", () => {
    const file = aFile("implement_review", {
      implement: OPUS,
      review: aSetting("codex", "gpt-6-astra", { options: { x: "1" } }),
    });
    const { control } = file.workflow;
    const changed: WorkflowFile = {
      ...file,
      workflow: {
        ...file.workflow,
        control: {
          ...control,
          gates: control.gates.map((gate) => ({ ...gate, rule: "command:lint" })),
          rescue: { kind: "configuration", ref: "cfg_000000000000", extra: {} },
        },
      },
    };
    expect(configurationIdOf(changed)).toBe("cfg_c90540c9298b");
  });

  test("names and titles are not part of the id", () => {
    const file = aFile("solo", { implement: OPUS }, { id: "mine", title: "Another name", version: 7 });
    expect(configurationIdOf(file)).toBe("cfg_261aaa36000b");
  });

  test("lists the known shapes first and our own way last", () => {
    expect(catalogue().map(({ id }) => id)).toEqual([
      "solo",
      "best_of_n",
      "plan_implement",
      "implement_review",
      "plan_implement_review",
      "swarm",
      "implement_check",
    ]);
  });
});

describe("shapes", () => {
  test("there are 154 of them, each with a workflow of its own id", () => {
    const shapes = allShapes();
    expect(shapes).toHaveLength(154);
    const ids = shapes.map((shape) => {
      const workflow = buildShape(shape);
      const settings = Object.fromEntries(workflow.pieces.map(({ id }) => [id, OPUS]));
      return configurationIdOf({ workflow, settings, numbers: new WeakMap() });
    });
    expect(new Set(ids).size).toBe(154);
  });

  test("a composed name gives the workflow of its parts", () => {
    const named = namedWorkflow("plan_best_of_n_review");
    expect(named?.origin).toBe("composed");
    expect(named?.workflow.pieces.map(({ id, width }) => `${id} ${width}`)).toEqual([
      "plan 1",
      "implement 3",
      "select 1",
      "review 1",
    ]);
    expect(namedWorkflow("review_plan")).toBeUndefined();
  });

  test("the nearest shape of the catalogue keeps the middle before it keeps the ends", () => {
    const nearest = (name: string): string => {
      const shape = shapeNamed(name);
      const found = shape === undefined ? undefined : nearestInCatalogue(shape, catalogueShapes());
      return found === undefined ? "" : shapeName(found);
    };
    expect(nearest("team_review")).toBe("swarm");
    expect(nearest("plan_best_of_n")).toBe("best_of_n");
    expect(nearest("solo")).toBe("solo");
  });
});

describe("comparing configurations", () => {
  test("two configurations of one id have no difference", () => {
    expect(
      diffLines(aFile("solo", { implement: OPUS }), aFile("solo", { implement: OPUS }, { id: "x" })),
    ).toEqual([]);
  });

  test("says shape, pieces, width and rounds, each in one line", () => {
    const before = aFile("solo", { implement: OPUS });
    const after = aFile("implement_review", { implement: { ...OPUS, effort: "low" }, review: ASTRA });
    expect(diffLines(before, after)).toEqual([
      "shape: solo -> implement_review",
      "implement: effort high -> low",
      "added reviewer review (gpt-6-astra/high)",
      "rounds: 1 -> 3, the first one counted",
    ]);
    expect(diffLines(after, aFile("best_of_n", { implement: ASTRA, select: ASTRA }))).toEqual([
      "shape: implement_review -> best_of_n",
      "implement: claude-opus-5-5/low -> gpt-6-astra/high",
      "added referee select (gpt-6-astra/high)",
      "removed reviewer review",
      "implement: 1 -> 3 copies",
      "rounds: 3 -> 1, the first one counted",
    ]);
  });

  test("a difference that has no line of its own is still said", () => {
    const changed = { ...OPUS, options: { x: "1" } };
    expect(diffLines(aFile("solo", { implement: OPUS }), aFile("solo", { implement: changed }))).toEqual([
      "settings changed",
    ]);
  });

  test("a label names models, efforts and copies", () => {
    expect(labelOf(aFile("best_of_n", { implement: OPUS, select: ASTRA }))).toBe(
      "best_of_n: 3 x claude-opus-5-5/high, gpt-6-astra/high",
    );
  });
});

test("a workflow is a configuration once every piece has a setting", () => {
  expect(isConfiguration(aFile("implement_review", { implement: OPUS }))).toBe(false);
  expect(isConfiguration(aFile("implement_review", { implement: OPUS, review: ASTRA }))).toBe(true);
});
