import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileRegex, searchLinear } from "./linear-regex.ts";

function search(pattern: string, text: string): boolean | undefined {
  const regex = compileRegex(pattern);
  if (!regex.ok) throw new Error(`${pattern}: ${regex.why}`);
  return searchLinear(regex.program, text);
}

/** Patterns over a small alphabet, so that matches are frequent. */
const pattern = fc.letrec<{ node: string; atom: string }>((tie) => ({
  atom: fc.oneof(
    {
      weight: 4,
      arbitrary: fc.constantFrom("a", "b", "c", ".", "[ab]", "[^a]", "\\w", "\\d", "\\b", "^", "$", "\\n"),
    },
    { weight: 1, arbitrary: tie("node").map((inner) => `(?:${inner})`) },
    { weight: 1, arbitrary: tie("node").map((inner) => `(${inner})`) },
  ),
  node: fc
    .array(fc.tuple(tie("atom"), fc.constantFrom("", "", "*", "+", "?", "{2}", "{1,3}", "{0,}", "*?", "|")), {
      minLength: 1,
      maxLength: 4,
    })
    .map((parts) =>
      parts.map(([atom, mark]) => (/^(\\b|\^|\$)$/.test(atom) && mark !== "|" ? atom : atom + mark)).join(""),
    ),
})).node;
const text = fc.string({ unit: fc.constantFrom("a", "b", "c", "1", " ", "\n"), maxLength: 12 });

describe("a pattern", () => {
  test("matches what the language's own engine matches", () => {
    fc.assert(
      fc.property(pattern, text, (source, subject) => {
        expect(search(source, subject)).toBe(new RegExp(source, "u").test(subject));
      }),
      { numRuns: 2000 },
    );
  });

  test("that would explode in a backtracking engine ends at once", () => {
    const subject = "a".repeat(50_000);
    expect(search("^(a+)+$", `${subject}!`)).toBe(false);
    expect(search("(a|a)*(a|a)*b", subject)).toBe(false);
  });

  test.each([
    ["(?i)HELLO", "say hello", true],
    ["(?i:h)ELLO", "hELLO", true],
    ["(?m)^b$", "a\nb\nc", true],
    ["^b$", "a\nb\nc", false],
    ["a(?s).b", "a\nb", true],
    ["\\Aa\\z", "a", true],
    ["\\p{Lu}\\x41\\u{1F600}", "ÄA\u{1F600}", true],
    ["(?P<year>\\d{4})-(?<month>\\d\\d)", "on 2026-11", true],
    ["[]a]", "]", true],
    ["[\\]\\-\\\\]", "-", true],
    ["1\\.5", "1x5", false],
    ["", "", true],
  ])("%s against %j is %s", (source, subject, answer) => {
    expect(search(source, subject)).toBe(answer);
  });

  test.each([
    "(?=a)",
    "(?<!a)b",
    "(a)\\1",
    "a**?(",
    "[a",
    "(a",
    "a)",
    "a{3,1}",
    "x{5000}",
    "((a{500}){500}){5}",
    "[[:alpha:]]",
    "\\",
  ])("%s is refused with a reason", (source) => {
    expect(compileRegex(source)).toMatchObject({ ok: false, why: expect.any(String) });
  });
});
