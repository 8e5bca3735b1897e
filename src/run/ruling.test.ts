import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AttemptId, parseId } from "../core/ids.ts";
import type { TreeId } from "../ports/workspace.ts";
import type { Candidate } from "./candidates.ts";
import { isYes, PICK_CONTRACT, readPick, readVerdict, VERDICT_CONTRACT } from "./ruling.ts";

const POINT = { where: "a.ts:1", what: "handles the empty list" };
const text = (value: unknown): string => JSON.stringify(value);

describe("a reviewer's last words", () => {
  test("a pass with evidence and a fail with findings are verdicts", () => {
    expect(readVerdict(text({ verdict: "pass", evidence: [POINT] }))).toEqual({
      said: "pass",
      evidence: [POINT],
    });
    expect(readVerdict(text({ verdict: "fail", findings: [POINT] }))).toEqual({
      said: "fail",
      findings: [POINT],
    });
  });

  test("a code fence around the whole message is taken off", () => {
    expect(readVerdict(`\`\`\`json\n${text({ verdict: "pass", evidence: [POINT] })}\n\`\`\`\n`).said).toBe(
      "pass",
    );
  });

  test.each([
    ["nothing", ""],
    ["praise", "LGTM, the work passes"],
    ["the contract itself", VERDICT_CONTRACT],
    ["a verdict with words around it", `I looked. ${text({ verdict: "pass", evidence: [POINT] })}`],
    ["a pass without evidence", text({ verdict: "pass" })],
    ["a pass with empty evidence", text({ verdict: "pass", evidence: [] })],
    ["a pass with blank evidence", text({ verdict: "pass", evidence: [{ where: " ", what: "x" }] })],
    ["a pass whose evidence is a text", text({ verdict: "pass", evidence: "I ran everything" })],
    ["a pass with findings", text({ verdict: "pass", evidence: [POINT], findings: [POINT] })],
    ["a fail without findings", text({ verdict: "fail", findings: [] })],
    ["another word", text({ verdict: "PASS", evidence: [POINT] })],
    [
      "two verdicts in one object",
      `{"verdict":"fail","findings":[],"verdict":"pass","evidence":[${text(POINT)}]}`,
    ],
    ["a list", text([{ verdict: "pass", evidence: [POINT] }])],
    ["a message that was cut off", text({ verdict: "pass", evidence: [POINT] }).slice(0, -1)],
  ])("%s is no verdict", (_what, words) => {
    expect(readVerdict(words).said).toBe("void");
  });

  test("no text is a yes unless it is one object that says pass and shows something", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.json().map((json) => `x ${json}`),
        ),
        (words) => {
          const ruling = readVerdict(words);
          if (isYes(ruling)) expect(JSON.parse(words)).toMatchObject({ verdict: "pass" });
        },
      ),
    );
  });
});

describe("a selector's last words", () => {
  const id = parseId("attempt", "att_01HZZZZZZZZZZZZZZZZZZZZZZZ");
  const attempt = id ?? ("" as AttemptId);
  const tree = "t" as TreeId;
  const candidates: readonly Candidate[] = [{ letter: "A", attempt, before: tree, tree, workDir: "/w" }];

  test("a letter with evidence picks that candidate", () => {
    expect(readPick(text({ pick: "A", evidence: [POINT] }), candidates)).toEqual({
      said: "pick",
      pick: attempt,
      evidence: [POINT],
    });
  });

  test.each([
    ["a letter that was not offered", text({ pick: "B", evidence: [POINT] })],
    ["a letter in another case", text({ pick: "a", evidence: [POINT] })],
    ["a pick without evidence", text({ pick: "A" })],
    ["the contract itself", PICK_CONTRACT],
  ])("%s is no pick", (_what, words) => {
    expect(readPick(words, candidates).said).toBe("void");
  });
});
