import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  allShapes,
  buildShape,
  configurationIdOf,
  formatWorkflow,
  parseSet,
  parseWorkflow,
  type WorkflowFile,
  type WorkflowRead,
} from "./index.ts";

const REVIEW = `
id = "careful"
title = "Careful"
edges = ["issue -> implement", "repo -> implement", ["implement", "diff"], "diff -> review", "issue -> review", "review -> verdict"]
artifacts = ["issue", "repo", "diff", "verdict"]
owner = "platform team"

[[pieces]]
id = "implement"
role = "implementer"

[[pieces]]
id = "review"
role = "reviewer"

[control]
budget_rounds = 3

[[control.gates]]
after = "review"
on_fail = "implement"

[settings.implement]
harness = "claude-code"
model = "claude-opus-5-5"
effort = "high"

[settings.review]
harness = "codex"
model = "gpt-6-astra"
effort = "high"
`;

function read(text: string): WorkflowRead {
  const parsed = parseWorkflow(text, "w.toml");
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join("\n"));
  return parsed.value;
}

function problems(text: string): readonly string[] {
  const parsed = parseWorkflow(text, "w.toml");
  return parsed.ok ? [] : parsed.problems.map(({ message, at }) => `${at}: ${message}`);
}

describe("a workflow file", () => {
  test("gives the configuration id that its structure and settings have, whatever it is called", () => {
    const { file, warnings } = read(REVIEW);
    expect(configurationIdOf(file)).toBe("cfg_fa32a4be9469");
    expect(warnings).toEqual([]);
    expect(file.workflow.extra).toEqual({ owner: "platform team" });
  });

  test("says everything that is wrong at once, a sentence each, with the line", () => {
    const text = `id = "bad id"
version = 0
edges = ["issue -> implement", "implement -> diff", "implement -> diff", "diff -> reviw", "issue -> diff", "odd"]
artifacts = ["issue", "diff", "diff", "review"]

[[pieces]]
id = "implement"
role = "implementer"
width = true

[[pieces]]
id = "review"

[[pieces]]
id = "review"
role = "reviewer"

[control]
budget_rounds = 2.0
rescue = "pray"

[[control.gates]]
after = "nobody"

[[control.gates]]
after = "implement"
on_fail = "review"

[settings.other]
harness = "codex"
`;
    expect(problems(text)).toEqual([
      'w.toml:1: the id "bad id" is not allowed: letters, digits and _ . - after a letter or digit, at most 200',
      "w.toml:2: version must be a whole number of at least 1, not 0",
      "w.toml:9: pieces[0].width must be a whole number of at least 1, not true",
      'w.toml:11: piece "review" has neither a role nor a workflow of its own',
      'w.toml:3: edges[5] must be written "a -> b" or ["a", "b"]',
      "w.toml:19: control.budget_rounds must be a whole number of at least 1, not 2",
      'w.toml:20: rescue "pray" is none of redo_usual, person, none',
      'w.toml:29: the setting of "other" needs a model',
      'w.toml:14: two pieces are called "review"',
      'w.toml:4: two artifacts are called "diff"',
      'w.toml:4: "review" is both a piece and an artifact',
      "w.toml:3: edge implement -> diff is written twice",
      'w.toml:3: edge diff -> reviw names "reviw", which is neither a piece nor an artifact',
      "w.toml:3: edge issue -> diff joins two artifacts; put a piece between them",
      'w.toml:22: gate "g_nobody" stands after "nobody", which is no piece',
      'w.toml:25: gate "g_implement" sends work back to "review", which "implement" does not depend on',
      'w.toml:29: there is a setting for "other", which is no piece',
    ]);
  });

  test("names the way around a circle", () => {
    const text = `id = "x"
edges = ["a -> p", "p -> b", "b -> q", "q -> a"]
artifacts = ["a", "b"]
pieces = [{ id = "p", role = "worker" }, { id = "q", role = "worker" }]
`;
    expect(problems(text)).toEqual(["w.toml:2: the edges run in a circle: a -> p -> b -> q -> a"]);
  });

  test("tells line and column of what is no TOML", () => {
    const [first] = problems("id = \n");
    expect(first).toMatch(/^w\.toml:1:\d+: /);
  });

  test("warns of what works and is probably not meant", () => {
    const text = REVIEW.replace("budget_rounds = 3", "budget_rounds = 1")
      .replace('role = "reviewer"', 'role = "critic"')
      .replace('"verdict"]\n', '"verdict", "notes"]\n')
      .replace('harness = "codex"', 'harness = "claude-code"');
    expect(read(text).warnings.map(({ message }) => message)).toEqual([
      'gate "g_review" can never send work back: budget_rounds is 1, and the first round counts',
      'role "critic" of "review" counts as reviewer in estimates',
      'artifact "notes" is on no edge',
      'claude-code does not run gpt-6-astra (piece "review")',
    ]);
  });

  test("a number written with a fraction gives another id than the whole number", () => {
    const withOption = (text: string): string | undefined =>
      configurationIdOf(read(`${REVIEW}options = { t = ${text} }\n`).file);
    expect(withOption("1.0")).not.toBe(withOption("1"));
  });

  test("keys that could change prototypes are refused", () => {
    expect(problems(`${REVIEW}options = { __proto__ = 1 }\n`)).toHaveLength(1);
  });

  test("no text makes the reader throw", () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(REVIEW.length), fc.nat(20), (insert, at, cut) => {
        parseWorkflow(REVIEW.slice(0, at) + insert + REVIEW.slice(at + cut), "w.toml");
      }),
    );
  });
});

describe("writing a workflow", () => {
  test("what is written reads back as the same file, ids and unknown keys included", () => {
    const text = `${REVIEW}options = { t = 1.0, n = 3, s = "x" }\n`;
    const { file } = read(text);
    const again = read(formatWorkflow(file)).file;
    expect(again.workflow).toEqual(file.workflow);
    expect(again.settings).toEqual(file.settings);
    expect(configurationIdOf(again)).toBe(configurationIdOf(file));
  });

  test("every shape reads back as itself", () => {
    const shapes = allShapes();
    fc.assert(
      fc.property(fc.constantFrom(...shapes), (shape) => {
        const file: WorkflowFile = { workflow: buildShape(shape), settings: {}, numbers: new WeakMap() };
        const { file: again, warnings } = read(formatWorkflow(file));
        expect(again.workflow).toEqual(file.workflow);
        expect(warnings.filter(({ message }) => !message.includes("can never send work back"))).toEqual([]);
      }),
    );
  });
});

describe("--set", () => {
  const setting = (text: string): unknown => {
    const parsed = parseSet(text);
    return parsed.ok ? parsed.value : parsed.problem.code;
  };

  test.each([
    ["review=codex:gpt-6-astra:high", { harness: "codex", model: "gpt-6-astra", effort: "high" }],
    ["review=codex:gpt-6-astra", { harness: "codex", model: "gpt-6-astra", effort: "default" }],
    ["review=codex", { harness: "codex", effort: "default" }],
    ["review=byok:host:7b:tag:low", { harness: "byok", model: "host:7b:tag", effort: "low" }],
  ])("%s is harness, model and effort, the model with its colons", (text, wanted) => {
    expect(setting(text)).toEqual({
      piece: "review",
      setting: { contextPolicy: "fresh", options: {}, ...wanted },
    });
  });

  test("command: takes the rest as a command line", () => {
    expect(setting("implement=command:sh -c 'a:b'")).toEqual({
      piece: "implement",
      commandLine: "sh -c 'a:b'",
    });
  });

  test("a text without a piece or a harness is refused", () => {
    expect([setting("codex:x"), setting("=codex"), setting("review=")]).toEqual([
      "bad-flag",
      "bad-flag",
      "bad-flag",
    ]);
  });
});
