import { expect, test } from "vitest";
import { aSpec, Story, treeId } from "../testing/session-story.ts";
import type { CheckVerdict } from "../verify/types.ts";
import { summariesText } from "./summaries.ts";

function said(check: string, verdict: "pass" | "fail", why = "no output"): CheckVerdict {
  const evidence = {
    tree: treeId("t"),
    judged: treeId("t"),
    level: "clean",
    durationMs: 1,
    tail: "",
    notes: [],
  };
  return { check, verdict, blocking: true, why, evidence } as unknown as CheckVerdict;
}

function rounds(count: number, told: number, maxCharacters = 1200): string {
  const spec = {
    ...aSpec(undefined, { noProgressIterations: 0 }),
    summaries: { rounds: told, maxCharacters },
  };
  const story = Story.running(spec);
  for (let n = 1; n <= count; n += 1) {
    story.attempt("work", n === 2 ? { reason: "timed-out" } : undefined);
    story.judge(false, {
      checks: [said("a", n === 2 ? "pass" : "fail", `line ${n}\nmore`), said("b", n === 2 ? "fail" : "pass")],
    });
  }
  return summariesText(story.state);
}

test("earlier rounds are told with who ran and what changed, the last one elsewhere", () => {
  expect(rounds(3, 3)).toBe(`What earlier rounds came to:
- Iteration 1: work (agent) ran; 1 of 2 checks passed. a failed: line 1 more.
- Iteration 2: work (agent, timed-out) ran; 1 of 2 checks passed. Newly passing: a. No longer passing: b. b failed: no output.`);
});

test("no more rounds are told than asked for, each within its length", () => {
  expect(rounds(5, 2).match(/Iteration/g)).toHaveLength(1);
  expect(rounds(5, 2)).toContain("Iteration 4");
  for (const none of [rounds(5, 0), rounds(5, 1), rounds(1, 2)]) expect(none).toBe("");
  const [, line = ""] = rounds(3, 2, 40).split("\n");
  expect(line).toHaveLength(40);
});
