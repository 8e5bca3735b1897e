import { expect, test } from "vitest";
import { createPrices } from "../logs/prices/index.ts";
import { createUsageReader } from "../logs/usage-reader.ts";
import { assistant, HOME, PROJECT, usageOf } from "../testing/claude-lines.ts";
import { memoryLogs } from "../testing/memory-logs.ts";
import { liveSpend, type RunningWork } from "./live-spend.ts";

const START = Date.parse("2026-11-01T10:00:00.000Z");
const MINUTE = 60_000;

/** A million tokens of input: four dollars. */
function call(minute: number, model = "claude-opus-5-5"): object {
  const at = new Date(START + minute * MINUTE).toISOString();
  return assistant({ session: "s1", id: `m${minute}`, at, model, usage: usageOf(1_000_000, 0) });
}

function reader(...lines: readonly object[]) {
  const env = { homeDir: HOME, variables: {} };
  return createUsageReader(memoryLogs({ [`${PROJECT}/s1.jsonl`]: lines }), env, createPrices());
}

const WORK: RunningWork = {
  agent: "claude-code",
  session: "s1",
  cwd: "/home/dev/p",
  startedAt: new Date(START).toISOString(),
};
const CEILING = { name: "ceiling", leftMicroUsd: 40_000_000 } as const;

test("a running attempt shows what it has spent, its pace of the last minutes, and when the ceiling is reached", async () => {
  const logs = reader(call(1), call(16), call(18));
  expect(await liveSpend([WORK], 0, logs, CEILING, START + 20 * MINUTE)).toEqual({
    tokens: 3_000_000,
    cost_usd: 12,
    tokens_per_minute: 400_000,
    usd_per_minute: 1.6,
    limit: "ceiling",
    left_usd: 28,
    minutes_left: 18,
    unknown_attempts: 0,
  });
});

test("what the session spent before the attempt began is not the attempt's", async () => {
  const spending = await liveSpend([WORK], 0, reader(call(-5), call(1)), CEILING, START + 2 * MINUTE);
  expect(spending).toMatchObject({ cost_usd: 4, usd_per_minute: 2 });
});

test("a model without a price leaves cost and forecast unknown, and the tokens known", async () => {
  const logs = reader(call(1, "nobody-knows-1"));
  expect(await liveSpend([WORK], 1, logs, CEILING, START + 2 * MINUTE)).toMatchObject({
    tokens: 1_000_000,
    cost_usd: null,
    usd_per_minute: null,
    minutes_left: null,
    unknown_attempts: 1,
  });
});

test("an attempt that has called no model yet has spent nothing", async () => {
  const spending = await liveSpend([WORK], 0, reader(), undefined, START + MINUTE);
  expect(spending).toMatchObject({ tokens: 0, cost_usd: 0, limit: null, minutes_left: null });
});
