import { describe, expect, test } from "vitest";
import { judgementContract, readJudgement } from "./judgement.ts";
import type { JudgedCheck } from "./spec.ts";

const voice: JudgedCheck = {
  name: "voice",
  statement: "Sounds like us.",
  standard: "the style guide",
  blocking: true,
};
const scored: JudgedCheck = { ...voice, name: "stance", minScore: 7 };
const advisory: JudgedCheck = { ...voice, name: "length", blocking: false };

const block = (name: string, decision: string, evidence = "line 3 reads well", score?: string): string =>
  [
    `VERDICT: ${name} ${decision}`,
    "STANDARD: the style guide",
    `EVIDENCE: ${evidence}`,
    ...(score === undefined ? [] : [`SCORE: ${score}`]),
  ].join("\n");

describe("a judge's last words", () => {
  test("are a yes when every blocking check passes with evidence", () => {
    const words = `I read it all.\n\n${block("voice", "PASS")}\n\n${block("Stance", "pass", "para 2", "8/10")}`;
    expect(readJudgement(words, [voice, scored, advisory])).toEqual({
      said: "pass",
      evidence: [
        { where: "voice", what: "line 3 reads well" },
        { where: "stance", what: "para 2" },
      ],
    });
  });

  test("are a no with what fails, and with what scores too low whatever word stands beside it", () => {
    const words = `${block("voice", "FAIL", "line 3 is flat")}\n${block("stance", "PASS", "para 2", "6.5")}`;
    expect(readJudgement(words, [voice, scored])).toEqual({
      said: "fail",
      findings: [
        { where: "voice", what: "line 3 is flat" },
        { where: "stance", what: "scored 6.5, needs 7: para 2" },
      ],
    });
  });

  test.each([
    ["nothing about a check", block("voice", "PASS"), "it says nothing of stance"],
    ["a check judged twice", `${block("voice", "PASS")}\n${block("voice", "FAIL")}`, "it judges voice twice"],
    ["a pass without evidence", block("voice", "PASS", ""), "it says voice passes, without evidence"],
    ["another word", block("voice", "MAYBE"), "its verdict on voice is neither PASS nor FAIL"],
    [
      "no score where one is asked",
      `${block("voice", "PASS")}\n${block("stance", "PASS")}`,
      "it gives stance no score from 0 to 10",
    ],
    [
      "a score beyond the scale",
      `${block("voice", "PASS")}\n${block("stance", "PASS", "para 2", "70")}`,
      "it gives stance no score from 0 to 10",
    ],
  ])("are no verdict: %s", (_what, words, why) => {
    expect(readJudgement(words, [voice, scored])).toEqual({ said: "void", why });
  });

  test("hold nothing back by an advisory check, and mean no check that they were not asked for", () => {
    const words = `${block("voice", "PASS")}\n${block("length", "FAIL")}\n${block("tests", "FAIL")}`;
    expect(readJudgement(words, [voice, advisory])).toMatchObject({ said: "pass" });
  });

  test("may spread their evidence over lines", () => {
    const words = "**VERDICT:** voice PASS\nEVIDENCE: line 3\nand line 9\nSCORE: 9";
    expect(readJudgement(words, [voice])).toEqual({
      said: "pass",
      evidence: [{ where: "voice", what: "line 3 and line 9" }],
    });
  });
});

test("a judge is told every check with its standard and the score that a pass needs", () => {
  const told = judgementContract([voice, scored]);
  for (const part of [
    "voice: Sounds like us.",
    "the style guide",
    "score of 7",
    "VERDICT: <name> PASS or FAIL",
  ])
    expect(told).toContain(part);
});
