import fc from "fast-check";
import { expect, test } from "vitest";
import { must } from "../../core/result.ts";
import { parseCommandLine } from "./shell-words.ts";

const words = (line: string) => {
  const parsed = must(parseCommandLine(line));
  return parsed.kind === "words" ? parsed.words : parsed.kind;
};

test("words are split at spaces and joined by quotes and backslashes", () => {
  expect(words(`my-agent --say "two words" 'it''s' a\\ b ""`)).toEqual([
    "my-agent",
    "--say",
    "two words",
    "its",
    "a b",
    "",
  ]);
});

test("inside double quotes only quote, backslash, dollar and backquote can be escaped", () => {
  expect(words(`x "a\\"b" "c\\\\d" "e\\n" "\\$5"`)).toEqual(["x", 'a"b', "c\\d", "e\\n", "$5"]);
});

test.each([
  "a | b",
  "a && b",
  "a; b",
  "a > out",
  "echo $HOME",
  'echo "$HOME"',
  "ls *.txt",
  "~/bin/agent",
  "KEY=1 agent",
  "a `b`",
])("a line that needs a shell is told apart: %s", (line) => {
  expect(words(line)).toBe("shell");
});

test.each(["'a|b'", "a\\|b", "'$HOME'", "a~b", "--key=value", "{prompt}"])(
  "what is quoted or harmless needs no shell: %s",
  (line) => {
    expect(words(`agent ${line}`)).toHaveLength(2);
  },
);

test.each(["agent 'open", 'agent "open', "agent \\", "   "])("a broken line is a problem: %s", (line) => {
  const parsed = parseCommandLine(line);
  expect(parsed.ok ? parsed : parsed.problem.code).toBe("bad-input");
});

test("any list of words survives quoting and splitting", () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1 }), (list) => {
      const line = list.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
      expect(words(line)).toEqual(list);
    }),
  );
});
