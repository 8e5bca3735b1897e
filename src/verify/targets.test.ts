import { describe, expect, test } from "vitest";

import type { TreeId } from "../ports/workspace.ts";
import { assessTargets } from "./targets.ts";
import type { CheckVerdict } from "./types.ts";

const tree = "0".repeat(40) as TreeId;
const evidence = {
  check: "",
  tree,
  judged: tree,
  level: "clean",
  durationMs: 0,
  tail: "",
  report: "none",
  notes: [],
} as const;

function check(name: string, target: string, blocking = true) {
  return { name, target, blocking };
}
function passes(name: string): CheckVerdict {
  return { verdict: "pass", check: name, blocking: true, evidence };
}
function fails(name: string): CheckVerdict {
  return { verdict: "fail", check: name, blocking: true, why: "no", evidence };
}
function stuck(name: string): CheckVerdict {
  return {
    verdict: "uncheckable",
    check: name,
    blocking: true,
    problem: { code: "setup-failed", message: "no" },
  };
}
const plain = { guard: false, changed: true };

describe("overall success", () => {
  test("needs every goal and the overall checks", () => {
    const checks = [check("a", "one"), check("b", "two"), check("c", "overall")];
    const goals = ["one", "two"];
    const all = [passes("a"), passes("b"), passes("c")];
    expect(assessTargets({ checks, goals, verdicts: all, ...plain }).satisfied).toBe(true);
    for (const name of ["a", "b", "c"]) {
      const others = all.filter((verdict) => verdict.check !== name);
      for (const verdicts of [others, [...others, fails(name)], [...others, stuck(name)]]) {
        expect(assessTargets({ checks, goals, verdicts, ...plain }).satisfied).toBe(false);
      }
    }
  });

  test("is never had without a blocking check", () => {
    const advisory = [check("a", "one", false)];
    expect(assessTargets({ checks: [], goals: [], verdicts: [], ...plain }).satisfied).toBe(false);
    expect(assessTargets({ checks: [], goals: ["one"], verdicts: [], ...plain }).satisfied).toBe(false);
    expect(
      assessTargets({ checks: advisory, goals: ["one"], verdicts: [passes("a")], ...plain }).satisfied,
    ).toBe(false);
  });

  test("is not held by advisory checks, of goals or overall", () => {
    const checks = [check("a", "one"), check("b", "one", false), check("c", "overall", false)];
    const verdicts = [passes("a"), fails("b"), stuck("c")];
    expect(assessTargets({ checks, goals: ["one"], verdicts, ...plain }).satisfied).toBe(true);
  });

  test("needs a changed tree where the checks are a guard", () => {
    const request = { checks: [check("a", "one")], goals: ["one"], verdicts: [passes("a")], guard: true };
    expect(assessTargets({ ...request, changed: false })).toMatchObject({
      satisfied: false,
      targets: [{ reason: "the checks are a guard, and nothing has changed" }],
    });
    expect(assessTargets({ ...request, changed: true }).satisfied).toBe(true);
  });

  test("holds checks of a target that no goal declares as well", () => {
    const checks = [check("a", "one"), check("b", "stray")];
    expect(
      assessTargets({ checks, goals: ["one"], verdicts: [passes("a"), fails("b")], ...plain }).satisfied,
    ).toBe(false);
  });
});

test("a target names the checks that do not pass", () => {
  const checks = [check("a", "one"), check("b", "one"), check("c", "one")];
  const { targets } = assessTargets({
    checks,
    goals: ["one"],
    verdicts: [passes("a"), fails("b"), stuck("c")],
    ...plain,
  });
  expect(targets).toEqual([
    {
      target: "one",
      satisfied: false,
      passed: 1,
      failed: 1,
      uncheckable: 1,
      reason: "not passed: b, c (uncheckable)",
    },
  ]);
});
