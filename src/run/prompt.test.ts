import { expect, test } from "vitest";
import { agentPiece, aSpec, gatePiece, Story, treeId } from "../testing/session-story.ts";
import type { CheckVerdict } from "../verify/types.ts";
import { pieceText } from "./prompt.ts";

const GOAL = "Make the failing price tests pass.";
const piece = agentPiece("work", { instruction: GOAL });

function story(): Story {
  return Story.running(aSpec([piece, gatePiece(["work"])]));
}

function failing(check: string, tail: string): CheckVerdict {
  const judged = treeId("t");
  const evidence = { tree: judged, judged, level: "clean", durationMs: 1, tail, notes: [] };
  return { check, verdict: "fail", blocking: true, why: "exit code 1", evidence } as unknown as CheckVerdict;
}

test("what an attempt is told besides its goal fits two kilobytes", () => {
  const { system, prompt } = pieceText(story().state, piece, "", false);
  expect(prompt).toContain(GOAL);
  expect(Buffer.byteLength(system + prompt) - GOAL.length).toBeLessThan(2048);
});

test("of a failing check an attempt is told the end of the output, and no more of it however long it was", () => {
  const begun = story();
  begun.attempt("work");
  begun.judge(false, { checks: [failing("test", `first line\n${"x".repeat(1_000_000)}\nlast line`)] });
  const { prompt } = pieceText(begun.state, piece, "", false);
  expect(prompt).toContain("last line");
  expect(prompt).not.toContain("first line");
  expect(prompt.length).toBeLessThan(5000);
});
