import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { must } from "../../core/result.ts";
import { CONFIG_KEYS, parseConfig, setConfig } from "./index.ts";

const set = (text: string, key: string, value?: string) => setConfig(text, key, value);

describe("setting a key", () => {
  test.each([
    ["budget.usd", "12.5", 12.5],
    ["budget.period", "week", "week"],
    ["acceptance_rule", "tests+referee", "tests+referee"],
    ["models.allowed", "a, b", ["a", "b"]],
    ["models.allowed", '["a","b"]', ["a", "b"]],
    ["org", "2024", "2024"],
    ["harnesses", '{"gpt-6":"codex"}', { "gpt-6": "codex" }],
    ["rules.strict", '{"requires":["tests"],"window_days":3}', { requires: ["tests"], window_days: 3 }],
    ["rescue.max_attempts", "5", 5],
    ["outcome.q.reported", "0.9", 0.9],
    ['usual.bug_fix."acme/api"', "cfg_0123456789ab", "cfg_0123456789ab"],
    ["features.age.edges", "[1, 2.5]", [1, 2.5]],
    ["efforts.codex", '["low","high"]', ["low", "high"]],
  ])("%s = %s is read back", (key, value, wanted) => {
    const text = must(set("# mine\n", key, value));
    expect(text).toContain("# mine");
    expect([...must(parseConfig(text)).values]).toEqual([[key, wanted]]);
    expect([...must(parseConfig(must(set(text, key)))).values]).toEqual([]);
    expect([...must(parseConfig(must(set(text, key, "null")))).values]).toEqual([]);
  });

  test("comments, order and the other keys stay", () => {
    const before =
      '# money\norg = "acme" # ours\n\n[budget]\n# per month\nusd = 5\n\n[rescue]\nkind = "none"\n';
    const after = must(set(before, "budget.usd", "7"));
    expect(after).toBe(before.replace("usd = 5", "usd = 7"));
    expect(must(set(after, "budget.period", "week"))).toBe(
      after.replace("usd = 7\n", 'usd = 7\nperiod = "week"\n'),
    );
    expect(must(set(after, "goal", "p90"))).toContain('# ours\ngoal = "p90"\n\n[budget]');
  });

  test("a text that spreads a value over lines is still set right", () => {
    const before = '[models]\nallowed = [\n  "a",\n  "b",\n]\n';
    const after = must(set(before, "models.allowed", "c"));
    expect(must(parseConfig(after)).values.get("models.allowed")).toEqual(["c"]);
  });

  test.each([
    ["budget.usd", "-1"],
    ["budget.usd", "much"],
    ["budget.period", "year"],
    ["rescue.decay", "0"],
    ["rescue.max_attempts", "1.5"],
    ["outcome.q.verified", "0.4"],
    ["rescue.min_chance", "1.5"],
    ["rules.mine", "a>=x"],
    ["org", '""'],
    ["models.allowed", "[1]"],
    ["features.age.edges", '[1, "b"]'],
  ])("%s = %s is refused", (key, value) => {
    expect(set("", key, value)).toMatchObject({ ok: false, problem: { code: "bad-input" } });
  });

  test.each([
    ["buget.usd", "budget.usd"],
    ["budget.usdd", "budget.usd"],
    ["acceptence_rule", "acceptance_rule"],
    ["model.allowed", "models.allowed"],
  ])("nothing reads %s, and %s is suggested", (key, meant) => {
    expect(set("", key, "1")).toMatchObject({
      ok: false,
      problem: { code: "unknown-key", hint: `did you mean ${meant}?` },
    });
  });

  test("a file that is not TOML, or holds a value that its key cannot have, is refused and not rewritten", () => {
    expect(set("a = ", "org", "x")).toMatchObject({ ok: false, problem: { code: "bad-toml" } });
    expect(set("[budget]\nusd = -2\n", "org", "x")).toMatchObject({
      ok: false,
      problem: { code: "bad-input", at: "config.toml budget.usd" },
    });
  });
});

test("keys that nothing reads are named and do no harm", () => {
  expect(parseConfig('org = "a"\n[future]\nx = 1\n')).toMatchObject({
    ok: true,
    value: { unread: ["future.x"] },
  });
});

test("every preset is a value that its key takes", () => {
  for (const { key, preset } of CONFIG_KEYS) {
    if (preset === null) continue;
    expect(set("", key, JSON.stringify(preset))).toMatchObject({ ok: true });
  }
});

test("setting any key to any text leaves every other key as it was", () => {
  const keys = fc.constantFrom(
    "org",
    "budget.usd",
    "rules.a",
    "rules.b",
    "models.allowed",
    "referee.model",
    "usual.docs.x",
  );
  const value = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.integer({ min: 0 }).map(String),
    fc.constant("tests+ci"),
    fc.constant("null"),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(keys, value), { maxLength: 8 }), (changes) => {
      let text = "# top\n";
      for (const [key, to] of changes) {
        const before = must(parseConfig(text)).values;
        const changed = set(text, key, to);
        if (!changed.ok) continue;
        text = changed.value;
        const after = must(parseConfig(text)).values;
        const others = (values: ReadonlyMap<string, unknown>) =>
          [...values].filter(([name]) => name !== key).sort();
        expect(others(after)).toEqual(others(before));
        expect(text).toContain("# top");
      }
    }),
  );
});
