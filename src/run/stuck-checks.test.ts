import { expect, test } from "vitest";
import type { TreeId } from "../ports/workspace.ts";
import { notePassing } from "../verify/in-place-too.ts";
import type { GateResult } from "../verify/types.ts";
import type { GateRecord } from "./state.ts";
import { stuckChecks } from "./stuck-checks.ts";

function result(tree: string, why: string, level: GateResult["level"] = "clean"): GateResult {
  const id = tree as TreeId;
  const evidence = { check: "c", tree: id, judged: id, level, durationMs: 1, tail: "" };
  return {
    tree: id,
    level,
    checks: [
      {
        verdict: "fail",
        check: "c",
        blocking: true,
        why,
        evidence: { ...evidence, report: "none", notes: [] },
      },
    ],
    targets: [],
    satisfied: false,
    touchedProtected: [],
    restoredButWouldPass: [],
    needsApproval: [],
    keptEdits: [],
  };
}
const after = (...results: readonly GateResult[]): readonly GateRecord[] =>
  results.map((one, index) => ({
    piece: "goal",
    iteration: index + 1,
    startedAt: "",
    at: "",
    result: one,
    threat: "same-user",
  }));
const NONE = { suspect: [], known: [] };

test("a check is suspected when it says the same of other files for the second time, and only then", () => {
  const [one, two, three] = [result("a", "no"), result("b", "no"), result("c", "no")];
  expect(stuckChecks([], "goal", one)).toEqual(NONE);
  expect(stuckChecks(after(one), "goal", two)).toEqual({ suspect: ["c"], known: [] });
  expect(stuckChecks(after(one, two), "goal", three)).toEqual(NONE);
  expect(stuckChecks(after(result("a", "else")), "goal", two)).toEqual(NONE);
  expect(stuckChecks(after(result("a", "else"), one), "goal", three)).toEqual({ suspect: ["c"], known: [] });
  expect(stuckChecks(after(one), "another gate", two)).toEqual(NONE);
});

test("the same files, and checks that ran in the folder, are no reason for a look at it", () => {
  expect(stuckChecks(after(result("a", "no")), "goal", result("a", "no"))).toEqual(NONE);
  expect(stuckChecks(after(result("a", "no")), "goal", result("b", "no", "in-place"))).toEqual(NONE);
});

test("what was found out about the folder stays with the check until it says something else", () => {
  const noted = notePassing(result("b", "no"), ["c"]);
  expect(stuckChecks(after(result("a", "no"), noted), "goal", result("c", "no"))).toEqual({
    suspect: [],
    known: ["c"],
  });
  expect(stuckChecks(after(result("a", "no"), noted), "goal", result("c", "else"))).toEqual(NONE);
});
