import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { render } from "../../src/cli/render/index.ts";
import { analyze } from "../../src/commands/analyze.ts";
import { graph } from "../../src/commands/graph.ts";
import { pricesShow, pricesValidate } from "../../src/commands/prices.ts";
import { scan } from "../../src/commands/scan.ts";
import type { Command, CommandInput } from "../../src/commands/types.ts";
import { compose } from "../../src/compose.ts";
import type { JsonObject } from "../../src/core/canonical-json.ts";
import { assistant, usageOf } from "../../src/testing/claude-lines.ts";
import { bytesOf } from "../../src/testing/memory-logs.ts";
import { sharedData } from "../golden/shared-data.ts";

const folder = mkdtempSync(join(tmpdir(), "loopwright-log-commands-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function machine(name: string, lines: readonly unknown[] = []) {
  const home = join(folder, name);
  const project = join(home, ".claude/projects/-p");
  mkdirSync(project, { recursive: true });
  if (lines.length > 0) writeFileSync(join(project, "s1.jsonl"), bytesOf(lines));
  const env = { HOME: home, PATH: process.env["PATH"] };
  const quiet = (): void => {};
  const context = compose({
    env,
    cwd: home,
    home: join(home, "store"),
    version: "0",
    nodeVersion: process.version,
    yes: false,
    talk: quiet,
    emit: quiet,
    confirm: undefined,
    progress: undefined,
    onInterrupt: () => quiet,
  });
  return { home, context };
}

async function answer(
  command: Command,
  context: ReturnType<typeof machine>["context"],
  flags: CommandInput["flags"] = {},
  args: readonly string[] = [],
): Promise<JsonObject> {
  const result = await command.run(context, { flags, args });
  if (!result.ok) throw new Error(result.problem.message);
  return result.value.json;
}

const CALL = { session: "s1", model: "claude-opus-5-5", at: "2026-11-01T10:00:00.000Z" };
const PRICED = assistant({ ...CALL, id: "a", usage: usageOf(1_000_000, 1_000_000) });
const UNPRICED = assistant({ ...CALL, id: "b", model: "nobody-knows-1", usage: usageOf(5, 5) });

test("a model without a price leaves its tokens named beside the cost of the others", async () => {
  const { context } = machine("unpriced", [PRICED, UNPRICED]);
  const json = await answer(scan, context);
  expect(json).toMatchObject({
    cost_usd: 24,
    unpriced: [{ model: "nobody-knows-1", why: "no_price", calls: 1, tokens: 10 }],
  });
  const text = render(json, { columns: 80, color: false, name: "loopwright" });
  expect(text).toContain("$24.00 + ?");
  expect(text).toContain("nobody-knows-1 has no price");
});

test("nothing with a price is unknown, not zero", async () => {
  const { context } = machine("nothing-priced", [UNPRICED]);
  expect(await answer(scan, context)).toMatchObject({ cost_usd: null, cost_basis: null });
});

test("the totals of all tables of an analysis agree", async () => {
  const { context } = machine("tables", [
    PRICED,
    assistant({ ...CALL, id: "c", at: "2026-11-02T10:00:00.000Z" }),
  ]);
  const by = ["day", "model", "project", "agent", "branch", "session"];
  const json = await answer(analyze, context, { all: true, by });
  const tables = json["tables"] as readonly { readonly rows: readonly JsonObject[] }[];
  const sums = tables.map(({ rows }) => rows.reduce((sum, row) => sum + Number(row["cost_usd"]), 0));
  expect(new Set(sums.map((sum) => sum.toFixed(6)))).toEqual(new Set([Number(json["cost_usd"]).toFixed(6)]));
});

test("a bill is set against the logs of its days", async () => {
  const { home, context } = machine("bill", [PRICED]);
  writeFileSync(join(home, "bill.csv"), "date,model,cost_usd\n2026-11-01,claude-opus-5-5,25.5\n");
  const json = await answer(analyze, context, { all: true, bill: "bill.csv" });
  expect(json["bill"]).toMatchObject({ billed_usd: 25.5, logged_usd: 24, gap_usd: 1.5 });
});

test("work that no run names has no outcome, and no cost per accepted run is made up", async () => {
  const { context } = machine("no-outcome", [PRICED]);
  const json = await answer(analyze, context, { all: true });
  expect(json).toMatchObject({
    per_accepted_usd: { mean: null, accepted: 0 },
    evidence: [{ outcome: "no_outcome", sessions: 1, cost_usd: 24 }],
  });
});

test("work that no run names is graded from its log when asked, each figure with how it is known", async () => {
  const call = { type: "tool_use", id: "t", name: "Bash", input: { command: "npm test" } };
  const result = { type: "tool_result", tool_use_id: "t", content: "7 passed" };
  const { context } = machine("graded", [
    assistant({ ...CALL, id: "a", content: [call] }),
    { type: "user", timestamp: CALL.at, message: { role: "user", content: [result] } },
    PRICED,
  ]);
  expect(await answer(analyze, context, { all: true })).toMatchObject({ grading: null });
  const json = await answer(analyze, context, { all: true, grading: true });
  expect(json["grading"]).toMatchObject({
    graded: 1,
    of: 1,
    tiers: [{ grade: "verified", accepted: 1, rejected: 0, cost_usd: json["cost_usd"] }],
    per_accepted_usd: { mean: json["cost_usd"], lo: null, why: "a band needs 5 runs" },
  });
  const text = render(json, { columns: 80, color: false, name: "loopwright" });
  expect(text).toContain("1 of 1 sessions without a run have an outcome");
  expect(text).toMatch(/verified: a check passed +1 +0 +0/);
});

test("the user's own price comes before ours", async () => {
  const { home, context } = machine("own-price", [UNPRICED]);
  mkdirSync(join(home, "store"));
  const table =
    'as_of = "2026-11-01"\n["nobody-knows-1"]\ninput = 1.0\ncache_read = 0.1\ncache_write = 2.0\noutput = 3.0\n';
  writeFileSync(join(home, "store/prices.toml"), table);
  expect(await answer(scan, context)).toMatchObject({ cost_usd: 0.00002, unpriced: [] });
  expect(await answer(pricesValidate, context)).toMatchObject({ valid: true, models: 1 });
  expect(await answer(pricesShow, context, {}, ["nobody-knows-1"])).toMatchObject({
    models: [{ output: 3 }],
  });
});

test("a broken price table stops the answer instead of being left out", async () => {
  const { home, context } = machine("broken-price", [PRICED]);
  writeFileSync(join(home, "bad.toml"), 'as_of = "2026-11-01"\n["m"]\ninput = -1\n');
  const result = await scan.run(context, { flags: { prices: "bad.toml" }, args: [] });
  expect(result.ok).toBe(false);
});

test("a machine without agents has nothing to show and is no failure", async () => {
  const { context } = machine("empty");
  expect(await answer(scan, context)).toMatchObject({ sessions: 0, agents: [] });
});

const corpus = sharedData("corpus/logs/claude-code/subagents");

test.skipIf(corpus === undefined)(
  "an analysis is understood on a narrow and on a wide terminal",
  async () => {
    const { home, context } = machine("corpus");
    cpSync(join(corpus ?? "", ".claude"), join(home, ".claude"), { recursive: true });
    const json = await answer(analyze, context, { all: true });
    const expected = JSON.parse(readFileSync(join(corpus ?? "", "expected.json"), "utf8"));
    const own = Number(json["cost_usd"]) - Number(json["unlogged_usd"]);
    expect(own).toBeCloseTo(expected.totals.costUSD, 6);
    for (const columns of [80, 140]) {
      const lines = render(json, { columns, color: false, name: "loopwright" }).split("\n");
      expect(
        Math.max(...lines.filter((line) => !line.includes("/")).map((line) => line.length)),
      ).toBeLessThanOrEqual(columns);
    }
    const edges = (await answer(graph, context, { since: "520w" }))["edges"];
    expect(edges).toMatchObject([{ kind: "spawn" }, { kind: "spawn" }]);
  },
);

test("a second thread that fails costs time only: every call is counted once", async () => {
  const { home, context } = machine("threads");
  const filler = { type: "summary", text: "x".repeat(3 * 1024 * 1024) };
  for (let n = 0; n < 12; n += 1) {
    const calls = [1, 2].map((i) => assistant({ id: `m${n}-${i}`, session: `t${n}`, usage: usageOf(10, 5) }));
    writeFileSync(join(home, ".claude/projects/-p", `t${n}.jsonl`), bytesOf([...calls, filler]));
  }
  // Beside the sources there is no second thread's program: it cannot start.
  expect(await answer(scan, context)).toMatchObject({
    files: 12,
    sessions: 12,
    calls: 24,
    input_tokens: 240,
  });
});
