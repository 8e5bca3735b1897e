import fc from "fast-check";
import { expect, test } from "vitest";
import { shellFacts } from "./shell-facts.ts";
import { shellCommands } from "./shell-words.ts";

const words = (text: string): readonly (readonly string[])[] =>
  shellCommands(text).map((one) => [...one.words]);

test("quotes, escapes and operators part a text into commands as a shell does", () => {
  expect(words(`echo 'a b' "c\\"d" e\\ f && ls|wc -l; true`)).toEqual([
    ["echo", "a b", 'c"d', "e f"],
    ["ls"],
    ["wc", "-l"],
    ["true"],
  ]);
});

test("bodies of here-documents and comments are no commands", () => {
  expect(words("cat > plan.md <<'EOF'\ncodex exec do\nEOF\nls # codex exec")).toEqual([["cat"], ["ls"]]);
});

test("commands in substitutions count", () => {
  expect(words('x="$(codex exec a)" ls `claude -p b`').map(([first]) => first)).toEqual([
    "x=$",
    "codex",
    "claude",
  ]);
});

test.each([
  ["codex exec 'fix it'", ["codex"]],
  ["cd /p && timeout 600 codex -m gpt exec go", ["codex"]],
  ["nohup claude -p 'x' > out.txt &", ["claude-code"]],
  ['bash -lc "codex e x && opencode run y"', ["codex", "opencode"]],
  ["FOO=1 /usr/local/bin/codex exec x", ["codex"]],
  ["codex --help", []],
  ["codex login exec", []],
  ["echo codex exec", []],
  ["my-codex exec x", []],
  ["cat codex.md", []],
  ["claude mcp list", []],
])("%s starts %j", (text, launches) => {
  expect(shellFacts(text, "/p").launches).toEqual(launches);
});

test.each([
  ["codex exec a &", true],
  ["nohup codex exec a", true],
  ["codex exec a && ls", false],
  ["codex exec 'a & b'", false],
  ["ls 2>&1 | tail", false],
])("%s runs apart from its caller: %s", (text, isBackground) => {
  expect(shellFacts(text, "/p").isBackground).toBe(isBackground);
});

test("files that a command names are read and written where it runs", () => {
  const facts = shellFacts(
    "cd sub; cat ../a.md | grep -n word b.md > out.txt 2>/dev/null; sed -n 1,5p c.md; cp d e/; tee f < g; head -n 5 h",
    "/p",
  );
  expect(facts.reads).toEqual(["/p/a.md", "/p/sub/b.md", "/p/sub/c.md", "/p/sub/d", "/p/sub/g", "/p/sub/h"]);
  expect(facts.writes).toEqual(["/p/sub/out.txt", "/p/sub/e/d", "/p/sub/f"]);
});

test("a word that the shell would change is not taken for a path", () => {
  expect(shellFacts("cat $X *.md ~/x a{1,2} > $OUT", "/p")).toMatchObject({ reads: [], writes: [] });
});

test("no text makes the reader throw or hang", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."codex e'\"`$()<>&|;#\\\n =/".split("")) }), (text) => {
      shellFacts(text, "/p");
    }),
    { numRuns: 500 },
  );
});
