import { describe, expect, test } from "vitest";
import { parseRule } from "./index.ts";

const higher = (name: string, target: number) => ({ name, target, better: "higher" });
const lower = (name: string, target: number) => ({ name, target, better: "lower" });

describe("a rule is read the same wherever it is written", () => {
  test.each([
    ["tests", { requires: ["tests"] }],
    ["tests+referee", { requires: ["tests", "referee"] }],
    [" tests + referee ", { requires: ["tests", "referee"] }],
    ["merged", { requires: ["merge"] }],
    ["heldout_perf>=2400", { requires: [], score: higher("heldout_perf", 2400) }],
    ["runtime_s<=200", { requires: [], score: lower("runtime_s", 200) }],
    ["loss <= -1.5e2", { requires: [], score: lower("loss", -150) }],
    ["tests+runtime_s<=200", { requires: ["tests"], score: lower("runtime_s", 200) }],
    ["quality>=0.9+merged", { requires: ["merge"], score: higher("quality", 0.9) }],
    [{ requires: ["tests"] }, { requires: ["tests"] }],
    [
      { requires: ["merged"], window_days: 0 },
      { requires: ["merge"], window_days: 0 },
    ],
    [
      { score: { name: "q", target: 0.5, better: "higher", scale: "fraction" } },
      { requires: [], score: { ...higher("q", 0.5), scale: "fraction" } },
    ],
    [
      { requires: ["tests"], score: null, excludes_events: ["hotfix"], definition: "ours" },
      { requires: ["tests"], excludes_events: ["hotfix"], definition: "ours" },
    ],
  ])("%j", (input, wanted) => {
    const rule = parseRule(input, "mine");
    expect(rule).toMatchObject({ ok: true, value: { name: "mine", ...wanted } });
    if (rule.ok)
      expect(Object.keys(rule.value).sort()).toEqual(
        Object.keys({ name: "", definition: "", ...wanted }).sort(),
      );
  });

  test("a short form names and explains itself", () => {
    expect(parseRule("tests+runtime_s<=200")).toMatchObject({
      value: {
        name: "tests+runtime_s<=200",
        definition: "the last verdict tests is good and runtime_s is 200 or less",
      },
    });
  });

  test.each([
    ["", "bad-input"],
    ["tests+", "bad-input"],
    ["tests+tests", "bad-input"],
    ["a>=1+b>=2", "bad-input"],
    ["perf>=fast", "bad-input"],
    ["perf>=", "bad-input"],
    ["perf>=NaN", "bad-input"],
    ["perf>5", "bad-input"],
    ["tests; rm", "bad-input"],
    ["x".repeat(300), "bad-input"],
    [{}, "bad-input"],
    [{ requires: [] }, "bad-input"],
    [{ requires: "tests" }, "bad-input"],
    [{ requires: ["tests"], window_days: 1.5 }, "bad-input"],
    [{ requires: ["tests"], windows: 1 }, "unknown-key"],
    [{ score: { name: "q", target: 2, better: "higher", scale: "fraction" } }, "bad-input"],
    [{ score: { name: "q", target: "2", better: "higher" } }, "bad-input"],
    [{ score: { name: "q", target: 2, better: "more" } }, "bad-input"],
    [{ score: { name: "q", target: 2, better: "lower", unit: "s" } }, "unknown-key"],
    [null, "bad-input"],
    [["tests"], "bad-input"],
  ])("%j is refused", (input, code) => {
    expect(parseRule(input, "mine")).toMatchObject({ ok: false, problem: { code } });
  });
});
