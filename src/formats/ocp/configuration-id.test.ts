import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { configurationId } from "./configuration-id.ts";
import { readJson } from "./json-text.ts";
import { printFloat } from "./python-json.ts";

const BUILD = { harness: "claude-code", model: { raw: "claude-opus-5-5" }, effort: "high" };
const RESCUE = { kind: "configuration", ref: "usual" };
const ISSUE_AND_REPO = [
  { id: "issue", kind: "issue" },
  { id: "repo", kind: "repo" },
];

function solo(setting: object = BUILD) {
  return {
    workflow: {
      id: "solo",
      pieces: [{ id: "implement", role: "implementer" }],
      artifacts: [...ISSUE_AND_REPO, { id: "diff", kind: "diff" }],
      edges: [
        ["issue", "implement"],
        ["repo", "implement"],
        ["implement", "diff"],
      ],
      control: { budget: 1, rescue: RESCUE },
    },
    settings: { implement: setting },
  };
}

function implementReview(control: object = { repair: { review: "implement" } }, settings: object = {}) {
  return {
    workflow: {
      pieces: [
        { id: "review", role: "reviewer" },
        { id: "implement", role: "implementer" },
      ],
      artifacts: [...ISSUE_AND_REPO, { id: "diff", kind: "diff" }, { id: "verdict", kind: "verdict" }],
      edges: [
        ["issue", "implement"],
        ["repo", "implement"],
        ["implement", "diff"],
        ["diff", "review"],
        ["issue", "review"],
        ["review", "verdict"],
      ],
      control: { gates: ["review"], budget: 3, rescue: RESCUE, ...control },
    },
    settings: { implement: BUILD, ...settings },
  };
}

function idOfText(text: string): string | undefined {
  const read = readJson(text);
  return read.ok ? configurationId(read.value, read.numbers) : undefined;
}

describe("published vectors", () => {
  const review = { harness: "codex", model: { id: "gpt-6-astra" }, effort: "xhigh" };
  test.each([
    ["cfg_261aaa36000b", solo()],
    ["cfg_ebcc7a1d9137", solo({ ...BUILD, effort: "xhigh" })],
    ["cfg_ab15440a2d9c", implementReview(undefined, { review })],
    ["cfg_1c618686576b", implementReview()],
    ["cfg_5d8a7e22679c", implementReview({ repair: { review: "plan" } }, { review })],
  ])("%s", (id, configuration) => {
    expect(configurationId(configuration)).toBe(id);
  });
});

test("titles, versions, extensions and the order of lists do not change the id", () => {
  const plain = solo();
  const workflow = {
    ...plain.workflow,
    title: "another",
    version: 7,
    ext: { "dev.example.x": 1 },
    edges: [...plain.workflow.edges].reverse(),
    artifacts: [...plain.workflow.artifacts].reverse(),
  };
  expect(configurationId({ ...plain, workflow, rec: "rec_1" })).toBe(configurationId(plain));
});

test("an absent effort reads as default, an explicit null does not", () => {
  const { effort: _, ...bare } = BUILD;
  expect(configurationId(solo(bare))).toBe(configurationId(solo({ ...bare, effort: "default" })));
  expect(configurationId(solo({ ...bare, effort: null }))).not.toBe(configurationId(solo(bare)));
});

test("integers and floats of the same value give different ids when the text is known", () => {
  const text = (number: string) => JSON.stringify(solo({ options: { t: "?" } })).replace('"?"', number);
  expect(idOfText(text("1"))).toBe(configurationId(solo({ options: { t: 1 } })));
  expect(idOfText(text("1.0"))).not.toBe(idOfText(text("1")));
  expect(idOfText(text("1e0"))).toBe(idOfText(text("1.0")));
  expect(idOfText(text("10000000000000000000001"))).not.toBe(idOfText(text("10000000000000000000002")));
});

test("a budget written with a fraction counts as 1", () => {
  const text = (budget: string) =>
    JSON.stringify(implementReview()).replace('"budget":3', `"budget":${budget}`);
  expect(idOfText(text("3.0"))).toBe(idOfText(text("1")));
  expect(idOfText(text("0"))).toBe(idOfText(text("1")));
  expect(idOfText(text("3"))).not.toBe(idOfText(text("1")));
});

test("gate rules count, other extensions of the control do not", () => {
  const rules = (ext: object) => configurationId(implementReview({ ext }));
  expect(rules({ "dev.loopmath.gate_rules": { review: "tests_pass" } })).not.toBe(rules({}));
  expect(rules({ "dev.loopmath.gate_rules": {}, "dev.example": 1 })).toBe(rules({}));
});

test("a reference has the id of the workflow it names, and none when it is unknown or names itself", () => {
  const { workflow, settings } = solo();
  const configuration = { workflow: { ref: "solo", version: 1 }, settings };
  expect(configurationId(configuration, undefined, () => workflow)).toBe("cfg_261aaa36000b");
  expect(configurationId(configuration)).toBeUndefined();
  expect(configurationId(configuration, undefined, () => ({ ref: "solo" }))).toBeUndefined();
});

test.each([{}, { workflow: {} }, { workflow: 5 }, { workflow: { pieces: [], edges: [["a"]] } }, null])(
  "a malformed configuration %j has an id or none, and never throws",
  (configuration) => {
    expect(configurationId(configuration) ?? "none").toMatch(/^(cfg_[0-9a-f]{12}|none)$/);
  },
);

describe("floats are printed in Python's layout", () => {
  test.each([
    [1, "1.0"],
    [-0, "-0.0"],
    [0.1, "0.1"],
    [123.456, "123.456"],
    [0.0001, "0.0001"],
    [0.00001, "1e-05"],
    [1.5e-7, "1.5e-07"],
    [1e15, "1000000000000000.0"],
    [1e16, "1e+16"],
    [1.25e22, "1.25e+22"],
    [-2.5e-320, "-2.5e-320"],
    [1.7976931348623157e308, "1.7976931348623157e+308"],
  ])("%d is %s", (value, text) => {
    expect(printFloat(value)).toBe(text);
  });

  test("every float reads back as itself", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(Object.is(Number(printFloat(value)), value)).toBe(true);
      }),
    );
  });
});
