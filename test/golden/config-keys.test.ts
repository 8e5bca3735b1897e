import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CONFIG_KEYS } from "../../src/formats/config/index.ts";

const EFFECTS = "contract/config-effects.test.ts";

/** The test that a key's effect is held to. A key that nothing reads would pass for a set one. */
const TESTED: Readonly<Record<string, string>> = {
  acceptance_rule: "contract/records/outcome.test.ts",
  "rules.*": "contract/records/money.test.ts",
  "budget.period": "contract/records/money.test.ts",
  "harness.record": "contract/records/recording.test.ts",
  "referee.model": "e2e/planner/experiment.test.ts",
  "notify.command": "contract/loop-limits.test.ts",
  "notify.desktop": "../src/adapters/notify/index.test.ts",
  "notify.webhook": "../src/adapters/notify/index.test.ts",
  ...Object.fromEntries(
    [
      "goal",
      "rescue.kind",
      "rescue.decay",
      "rescue.max_attempts",
      "rescue.min_chance",
      "rescue.person_usd_per_hour",
      "rescue.hours",
      "models.allowed",
      "harnesses",
      "efforts.*",
      "usual.*.*",
      "explore.default_pick",
      "explore.auto_payback_runs",
      "budget.usd",
      "org",
      "outcome.q.verified",
      "outcome.q.reported",
      "outcome.q.heuristic",
      "outcome.q.asserted",
      "subtypes",
      "features.*.description",
      "features.*.values",
      "features.*.edges",
      "features.*.labels",
    ].map((key) => [key, EFFECTS]),
  ),
};

test("no key of the configuration is taken that has no effect", () => {
  expect(CONFIG_KEYS.map(({ key }) => key).sort()).toEqual(Object.keys(TESTED).sort());
  for (const file of new Set(Object.values(TESTED))) {
    expect(existsSync(join(import.meta.dirname, "..", file))).toBe(true);
  }
});
