import { expect, test } from "vitest";
import type { JsonObject } from "../../core/canonical-json.ts";
import { render } from "./index.ts";

const SESSION = "ses_01M8P6N5EA4HJDFGJ2SG07ZWZX";

function status(more: JsonObject = {}): JsonObject {
  return {
    schema: "loopwright.status/1",
    session: SESSION,
    number: 2,
    title: "write the right answer into the file of answers, and do not forget the rest of it",
    state: "closed",
    outcome: "paused",
    reason: "no iteration is left",
    satisfied: false,
    iteration: 10,
    max_iterations: 10,
    attempts: 10,
    level: "clean",
    checks: [
      {
        check: "npm test -- --grep 'a very long name of a test that nobody can read'",
        blocking: true,
        verdict: "fail",
        why: "2 of 9 tests fail",
        tail: null,
      },
    ],
    cost_usd: null,
    unknown_costs: 10,
    max_usd: null,
    tokens: 1234,
    cost_basis: null,
    running_ms: 61_000,
    waiting_until: null,
    notices: [],
    needs: "stopped before the goal",
    answer_with: `loopwright loop resume ${SESSION} --max-iterations 20`,
    ...more,
  };
}

function lines(json: JsonObject, columns = 80): readonly string[] {
  return render(json, { columns, color: false, name: "loopwright" }).trimEnd().split("\n");
}

test("what needs a person comes first, with the whole command", () => {
  expect(lines(status()).slice(0, 4)).toEqual([
    "needs you:  stopped before the goal",
    `  loopwright loop resume ${SESSION} --max-iterations 20`,
    "",
    "✖ paused: no iteration is left · session 002 · judged clean",
  ]);
});

test("no line is wider than the terminal, and the reason of a failing check is shown", () => {
  const receipt = status({
    schema: "loopwright.go/1",
    needs: null,
    changed: Array.from({ length: 40 }, (_none, index) => ({ path: `src/file-${index}.ts` })),
    undo: `loopwright loop restore ${SESSION} --to start`,
    resume: `loopwright loop resume ${SESSION} --max-iterations 20`,
    delivered: null,
    record: "run_01M8P6N5EA4HJDFGJ2SG07ZWZX",
    notices: [`protected paths touched: ${"test/a-long-name.test.ts ".repeat(12)}`],
  });
  const shown = lines(receipt);
  expect(shown.filter((line) => [...line].length > 80)).toEqual([]);
  expect(shown.join("\n")).toContain("2 of 9 tests fail");
  expect(shown.join("\n")).toMatch(/^changed {3}src\/file-0\.ts, .* and \d+ more$/m);
});

test("an unknown cost is unknown and not zero", () => {
  expect(lines(status())).toContain("cost      unknown · 1234 tokens");
});

test("a satisfied session says so and nothing else about its state", () => {
  const shown = lines(
    status({ satisfied: true, outcome: "succeeded", reason: "the goal is satisfied", needs: null }),
  );
  expect(shown[0]).toBe("✔ satisfied · session 002 · judged clean");
});

test("a running session shows what it spends now, its pace and when its ceiling is reached, within the width", () => {
  const spending = {
    tokens: 3_000_000,
    cost_usd: 12,
    tokens_per_minute: 400_000,
    usd_per_minute: 1.6,
    limit: "ceiling",
    left_usd: 28,
    minutes_left: 18,
    unknown_attempts: 1,
  };
  const shown = lines(status({ outcome: null, state: "running", live: true, needs: null, spending }));
  const text = shown.join(" ").replace(/\s+/g, " ");
  expect(text).toContain("$12.00 and 3.00M tokens by its log · $1.60 and 400.0k tokens a minute");
  expect(text).toContain("18 min to the ceiling at this pace · 1 more attempt without a log");
  expect(shown.filter((line) => [...line].length > 80)).toEqual([]);
});

test("a patch is shown whole, since one without its last empty line of context cannot be applied", () => {
  const patch = "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-one\n+two\n \n";
  const shown = render(
    { schema: "loopwright.diff/1", patch },
    { columns: 80, color: false, name: "loopwright" },
  );
  expect(shown).toBe(patch);
});
