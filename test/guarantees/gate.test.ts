import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readJudgement } from "../../src/run/judgement.ts";
import type { JudgedCheck } from "../../src/run/spec.ts";
import { assessThreshold } from "../../src/verify/detectors/threshold.ts";
import { assessTargets } from "../../src/verify/targets.ts";

const VOICE: JudgedCheck = { name: "voice", statement: "Ours.", standard: "the guide", blocking: true };
const said = (words: string, check = VOICE) => readJudgement(words, [check]).said;

describe("the gate", () => {
  test("a missing metric or judgment fails closed", () => {
    const coverage = { type: "threshold", metric: "coverage", op: "gte", value: 80 } as const;
    expect(assessThreshold({ ...coverage, producer: "tests" }, []).verdict).toBe("fail");
    expect(assessThreshold(coverage, []).verdict).toBe("uncheckable");
    expect(said("")).toBe("void");
  });

  test("a bare PASS is demoted", () => {
    expect(said("VERDICT: voice PASS")).toBe("void");
    expect(said("VERDICT: voice PASS\nEVIDENCE:\nSCORE: 10")).toBe("void");
  });

  test("unreadable judge text yields nothing", () => {
    for (const words of ["It is all fine.", "verdict voice pass", "\u0000\ufffd", "VERDICT:", "{}"])
      expect(said(words)).toBe("void");
  });

  test("NEEDS_REVISION is not a pass", () => {
    expect(said("VERDICT: voice NEEDS_REVISION\nEVIDENCE: line 3")).toBe("fail");
  });

  test("an unknown decision word is skipped", () => {
    expect(said("VERDICT: voice SURELY\nEVIDENCE: line 3")).toBe("void");
  });

  test("a judge counts only with a pass, evidence and the score that is asked for, all three", () => {
    const scored = { ...VOICE, minScore: 7 };
    const words = (decision: string, evidence: string, score: string) =>
      `VERDICT: voice ${decision}\nEVIDENCE: ${evidence}\nSCORE: ${score}`;
    expect(said(words("PASS", "line 3", "7"), scored)).toBe("pass");
    expect(said(words("FAIL", "line 3", "9"), scored)).toBe("fail");
    expect(said(words("PASS", "", "9"), scored)).toBe("void");
    expect(said(words("PASS", "line 3", "6.9"), scored)).toBe("fail");
    expect(said(words("PASS", "line 3", "0.8"), scored)).toBe("fail");
    expect(said(words("PASS", "line 3", "80"), scored)).toBe("void");
  });

  test("overall success needs every goal, whatever the overall checks say", () => {
    const check = (name: string, target: string) => ({ name, target, blocking: true });
    const { satisfied } = assessTargets({
      checks: [check("work", "goal"), check("true", "overall")],
      goals: ["goal"],
      guard: false,
      changed: true,
      verdicts: [
        { verdict: "fail", check: "work" },
        { verdict: "pass", check: "true" },
      ],
    });
    expect(satisfied).toBe(false);
  });

  test("only the gate builds a satisfied goal state", () => {
    const src = join(import.meta.dirname, "../../src");
    const makers = readdirSync(src, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.startsWith("testing/"))
      .filter((file) => /type: "goal:satisfied", data:/.test(readFileSync(join(src, file), "utf8")));
    expect(makers.sort()).toEqual(["run/base-run.ts", "run/gate-step.ts", "run/verdict-step.ts"]);
  });
});
