import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { documentsOf } from "../../testing/loop-documents.ts";
import { MINIMAL_LOOP } from "../../testing/minimal-loop.ts";
import { convertLoop, loopSchema, parseLoop } from "./index.ts";

async function converted(text: string, file: string): Promise<string> {
  const result = await convertLoop(text, file);
  if (!result.ok) throw new Error(JSON.stringify(result.problems, null, 1));
  return result.value.text;
}

const toMarkdown = (text: string) => converted(text, "loop.yaml");
const toYaml = (text: string) => converted(text, "loop.md");

async function problemsOf(text: string): Promise<readonly string[]> {
  const { findings } = await parseLoop(text, "loop.md");
  return findings.map(({ at, message }) => `${at} ${message}`);
}

test("a loop in Markdown reads as a document", async () => {
  await expect(toMarkdown(MINIMAL_LOOP)).resolves.toBe(`# tidy

## Prerequisites

### Ran the tests by hand
- done: true

## Goals

### green
- description: Every test of the project passes.

## Graph

### build
- role: builder
- instruction: Make the failing tests pass without touching them.

### read
- role: judge
- depends_on: ["build"]
- instruction: Say what is wrong with it.

## Providers

### claude
- kind: claude
- command: claude

### codex
- kind: codex
- command: codex

## Checks

### tests
- target: green
- mode: objective
- statement: npm test exits 0.
- detector:
  - type: script
  - command: npm test

### lint
- target: overall
- mode: objective
- statement: The linter is content.
- detector:
  - type: script
  - command: npx
  - args: ["biome","check"]

## Gates

- stop:
  - max_cost_usd: 2.5
`);
});

test("Markdown and its YAML mean the same, every place apart", async () => {
  const { loop } = await parseLoop(MINIMAL_LOOP, "loop.yaml");
  expect((await parseLoop(await toMarkdown(MINIMAL_LOOP), "loop.md")).loop).toEqual(loop);
});

/** Texts that look like something else, beside any others. */
const texts = fc.oneof(
  fc.constantFrom(
    "true",
    "null",
    "~",
    "12",
    "1.0",
    "- a",
    "a: b",
    "[x",
    '"q"',
    "# no",
    "a # b",
    "*a",
    "&a b",
    "!t x",
  ),
  fc.constantFrom(
    "one\ntwo",
    "one\n- two",
    "one\n\ntwo",
    " lead",
    "a\tb",
    "key:",
    "---",
    "| x",
    "> y",
    "@z",
    "\u2028",
  ),
  fc.string({ maxLength: 12 }),
);
/** What a heading can hold: names of the grammar are of one line. */
const headings = fc.stringMatching(/^[a-z][ -~]{0,10}[a-z]$/);

test("any document survives Markdown: what is read from what was written is what was written", async () => {
  await fc.assert(
    fc.asyncProperty(documentsOf(loopSchema(), texts), headings, async (document, name) => {
      const named = withHeadings(document, name);
      const yaml = JSON.stringify(named);
      const { loop } = await parseLoop(yaml, "loop.yaml");
      expect(loop).toBeDefined();
      const markdown = await toMarkdown(yaml);
      const read = await parseLoop(markdown, "loop.md");
      expect(read.loop).toEqual(loop);
      expect(parse(await toYaml(markdown))).toEqual(withoutEndings(withoutEmptyGroups(named)));
    }),
    { numRuns: 30 },
  );
});

const NAMES = ["name", "id", "key", "step"];

/** Names that a heading can hold, and arrows that are arrows. */
function withHeadings(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((item, index) => withHeadings(item, `${name}${index}`));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === "dependency"
        ? [`${name} -> ${name}`]
        : NAMES.includes(key) && typeof member === "string"
          ? name
          : withHeadings(member, name),
    ]),
  );
}

/** Groups of sections have no heading of their own: an empty one says nothing and is not written. */
function withoutEmptyGroups(document: unknown): unknown {
  const groups = ["intent", "execution", "safety"];
  return Object.fromEntries(
    Object.entries(document ?? {}).filter(
      ([key, value]) => !groups.includes(key) || Object.keys(value).length > 0,
    ),
  );
}

function withoutEndings(value: unknown): unknown {
  if (typeof value === "string") return value.replace(/\n+$/, "");
  if (Array.isArray(value)) return value.map(withoutEndings);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutEndings(member)]));
}

describe("what a person writes is understood", () => {
  test("letters and numbers before a heading, hyphens in it, prose, fences and further lines", async () => {
    const { loop } = await parseLoop(
      `# tidy
This loop tidies up.

- version: 2.0.0

## C. Goals
One is enough.

### green
- description: Every test
  of the project passes.

\`\`\`yaml
- not: read
\`\`\`

## F) Stop-gates
- max_iterations: 4
`,
      "loop.md",
    ).then(({ loop, findings }) => ({ loop, findings }));
    expect(loop).toMatchObject({
      name: "tidy",
      version: "2.0.0",
      goals: [{ name: "green", description: "Every test\nof the project passes." }],
      stop: { maxIterations: 4 },
    });
  });

  test("the sections of 0.3, and a trigger by its type", async () => {
    const { loop } = await parseLoop(
      "# x\n\n## A. Information\n\n### where\n- value: here\n\n## Schedules\n\n### cron\n- expr: 0 2 * * *\n",
      "loop.md",
    );
    expect(loop).toMatchObject({
      background: [{ key: "where", value: "here" }],
      triggers: { triggers: [{ on: { type: "cron", expr: "0 2 * * *" } }] },
    });
  });

  test("a trigger of 1.0 states its type in the heading and the rest below `on`", async () => {
    const text =
      "# x\n\n## Triggers\n\n- max_depth: 2\n\n### interval\n- on:\n  - seconds: 60\n- enabled: false\n\n### manual\n";
    const { loop } = await parseLoop(text, "loop.md");
    expect(loop?.triggers).toMatchObject({
      maxDepth: 2,
      triggers: [
        { on: { type: "interval", intervalMs: 60_000 }, isEnabled: false },
        { on: { type: "manual" } },
      ],
    });
  });

  test("a number sign in plain words is no comment", async () => {
    const { loop } = await parseLoop("# x\n- description: fix issue #12 first\n", "loop.md");
    expect(loop?.description).toBe("fix issue #12 first");
  });
});

describe("what is not understood is refused at its place", () => {
  test.each([
    ["an entry before any section", "# x\n### y\n", "loop.md:2:5 an entry"],
    [
      "an entry where none can be",
      "# x\n## Gates\n### y\n",
      'loop.md:3:5 the section "Gates" takes no entries',
    ],
    ["no such section", "# x\n## Gaols\n", 'loop.md:2:4 no section "Gaols"'],
    ["a section twice", "# x\n## Goals\n## C. Goals\n", 'loop.md:3:4 "goals" is written twice'],
    ["a second name", "# x\n# y\n", "loop.md:2:3 a second name"],
    [
      "fields and items mixed",
      "# x\n- version: 1.0.0\n- y\n",
      "loop.md:3:3 fields (`key: value`) and items mixed",
    ],
    ["an item for a field", "# x\n## Gates\n- y\n", "loop.md:3:3 expected `- key: value`"],
    ["bullets below a value", "# x\n- version: a\n  - b: c\n", 'loop.md:3:5 indented below "version"'],
    ["text that belongs to nothing", "# x\n\n  - version: a\n\n   lost\n", "loop.md:5:4 indented text"],
    ["a field twice", "# x\n- version: a\n- version: b\n", 'loop.md:3:3 "version" is written twice'],
    ["the heading's field again", "# x\n## Goals\n### a\n- name: b\n", '"name" is written twice'],
    ["bullets where entries belong", "# x\n## Goals\n- a: b\n", "loop.md:3:3 expected entries"],
  ])("%s", async (_what, text, expected) => {
    expect(await problemsOf(text)).toContainEqual(expect.stringContaining(expected));
  });

  test("a mistake inside a value has its line and column in the Markdown", async () => {
    const text =
      "# x\n## Graph\n### a\n- role: bilder\n- instruction: Do what has to be done.\n- goals: [g, 5]\n";
    const said = await problemsOf(text);
    expect(said).toContainEqual(expect.stringMatching(/^loop\.md:4:9 execution\.graph\.nodes\[0\]\.role: /));
    expect(said).toContainEqual(
      expect.stringMatching(/^loop\.md:6:14 execution\.graph\.nodes\[0\]\.goals\[1\]: /),
    );
  });

  test("a name that no heading can hold is not written", async () => {
    const result = await convertLoop(
      'name: x\nintent: {goals: [{name: "a\\nb", description: d}]}\n',
      "loop.yaml",
    );
    expect(result).toMatchObject({ ok: false, problems: [{ code: "bad-markdown" }] });
  });
});

test("comments that Markdown has no place for are said to be lost", async () => {
  const lost = async (text: string) => {
    const result = await convertLoop(text, "loop.yaml");
    return result.ok && result.value.hasLostComments;
  };
  expect(await lost(MINIMAL_LOOP)).toBe(false);
  expect(await lost(`# why\n${MINIMAL_LOOP}`)).toBe(true);
});
