import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type BaseTests, compareTests } from "./compare-tests.ts";
import type { TestRun } from "./reports/types.ts";
import type { TestResult, TestStatus } from "./types.ts";

function result(name: string, status: TestStatus, file = "a.test.js"): TestResult {
  return { id: { file, suite: ["s"], name }, status };
}
function base(tests: readonly TestResult[], more: Partial<BaseTests> = {}): BaseTests {
  return { tests, brokenFiles: [], expectedFiles: [], ...more };
}
function run(results: readonly TestResult[], brokenFiles: readonly string[] = []): TestRun {
  return { results, brokenFiles, source: "file" };
}

const STATUSES: readonly TestStatus[] = ["passed", "failed", "skipped", "todo"];
const results = fc.array(
  fc.record({
    id: fc.record({
      file: fc.constantFrom("a", "b"),
      suite: fc.array(fc.constantFrom("s", "t"), { maxLength: 2 }),
      name: fc.constantFrom("one", "two", "three"),
    }),
    status: fc.constantFrom(...STATUSES),
  }),
  { minLength: 1, maxLength: 12 },
);
const ran = (status: TestStatus) => status === "passed" || status === "failed";

describe("a run held against the base run", () => {
  test("is accepted when everything that ran before passes now, whatever the order", () => {
    fc.assert(
      fc.property(results, (before) => {
        const now = before.map(
          (entry): TestResult => (ran(entry.status) ? { ...entry, status: "passed" } : entry),
        );
        const accepted = compareTests(base(before), run(now.reverse())).why === undefined;
        expect(accepted).toBe(before.some((entry) => ran(entry.status)));
      }),
    );
  });

  test("is refused when any single test that ran before is gone, fails or is skipped", () => {
    fc.assert(
      fc.property(
        results,
        fc.nat(),
        fc.constantFrom("gone", "failed", "skipped", "todo"),
        (before, pick, fate) => {
          const executed = before.filter((entry) => ran(entry.status));
          fc.pre(executed.length > 0);
          const victim = executed[pick % executed.length];
          const now = before.flatMap((entry): TestResult[] => {
            if (entry !== victim) return [ran(entry.status) ? { ...entry, status: "passed" } : entry];
            return fate === "gone" ? [] : [{ ...entry, status: fate }];
          });
          expect(compareTests(base(before), run(now)).why).toBeDefined();
        },
      ),
    );
  });

  test("counts tests of the same name one by one", () => {
    const before = [result("dup", "passed"), result("dup", "failed")];
    expect(compareTests(base(before), run([result("dup", "passed")])).missing).toEqual([
      "a.test.js > s > dup",
    ]);
    expect(
      compareTests(base(before), run([result("dup", "passed"), result("dup", "passed")])).why,
    ).toBeUndefined();
  });

  test("tells tests that broke from tests that never worked", () => {
    const before = [result("a", "passed"), result("b", "failed")];
    const now = run([result("a", "failed"), result("b", "failed")]);
    expect(compareTests(base(before), now)).toMatchObject({ failed: 2, newlyFailing: ["a.test.js > s > a"] });
  });

  test("without a report is refused", () => {
    expect(compareTests(base([result("a", "passed")]), undefined).why).toBe("the run gave no test report");
  });

  test("is refused when a new test fails although the exit code says otherwise", () => {
    const now = run([result("a", "passed"), result("new", "failed")]);
    expect(compareTests(base([result("a", "passed")]), now).why).toContain("1 of 2 tests fail");
  });
});

describe("a base run without ids", () => {
  const files = base([], { expectedFiles: ["a.test.js", "b.test.js"] });

  test("asks every test file for an executed test", () => {
    const now = run([result("x", "passed", "a.test.js")]);
    expect(compareTests(files, now).missing).toEqual(["b.test.js (executed no test)"]);
  });

  test("lets no test file skip a test", () => {
    const now = run([
      result("x", "passed", "a.test.js"),
      result("y", "passed", "b.test.js"),
      result("z", "skipped", "b.test.js"),
    ]);
    expect(compareTests(files, now).missing).toEqual(["b.test.js (skips a test)"]);
  });

  test("holds for single files that could not be loaded, beside files that could", () => {
    const before = base([result("x", "passed", "a.test.js")], {
      brokenFiles: ["b.test.js"],
      expectedFiles: ["never.test.js"],
    });
    const now = run([result("x", "passed", "a.test.js"), result("y", "passed", "b.test.js")]);
    expect(compareTests(before, now).why).toBeUndefined();
    expect(compareTests(before, run([result("x", "passed", "a.test.js")], ["b.test.js"])).why).toBeDefined();
  });
});
