import { ok, type Result } from "../core/result.ts";
import { totalTokens } from "../core/tokens.ts";
import type { CallPrices } from "../logs/prices/index.ts";
import { totalSpend } from "../logs/spend.ts";
import { type SummaryScan, scanSummary } from "../logs/summary-scan.ts";
import { ExitCode } from "./exit-codes.ts";
import type { LogReading } from "./log-scan.ts";
import { minutesTo, PACE_MS, paceBetween, type SpendReading } from "./spend-pace.ts";
import { pricesFor } from "./spend-view.ts";
import type { CommandContext, CommandOutput } from "./types.ts";

interface Watching {
  readonly everyMs: number;
  readonly budgetMicroUsd: number | undefined;
}

interface Reading extends SpendReading {
  readonly calls: number;
}

/** Follows the logs as agents write, one object a look, until it is interrupted. */
export async function watchLogs(
  context: CommandContext,
  { access, env, ports, scanned: first }: LogReading,
  prices: CallPrices,
  { everyMs, budgetMicroUsd }: Watching,
): Promise<Result<CommandOutput>> {
  let isOver = false;
  const stop = context.onInterrupt(() => {
    isOver = true;
  });
  const start = reading(first, prices, context.now());
  const readings = [start];
  let current = prices;
  try {
    while (!isOver) {
      await context.sleep(Math.max(200, everyMs));
      if (isOver) break;
      const scanned = await scanSummary(ports, env, context.now());
      const repriced = await pricesFor(access, scanned.sessions, undefined);
      if (repriced.ok) current = repriced.value;
      readings.push(reading(scanned, current, context.now()));
      while (readings.length > 2 && (readings[0]?.atMs ?? 0) < context.now() - PACE_MS) readings.shift();
      context.emit("spend", spendLine(readings, start, budgetMicroUsd));
    }
  } finally {
    stop();
  }
  return ok({ exit: ExitCode.ok, json: { schema: "loopwright.scan/1", ok: true }, streamed: true });
}

function reading(scanned: SummaryScan, prices: CallPrices, atMs: number): Reading {
  const spend = totalSpend(scanned.sessions, prices);
  return { atMs, tokens: totalTokens(spend.usage) ?? 0, microUsd: spend.microUsd, calls: spend.calls };
}

function spendLine(readings: readonly Reading[], start: Reading, budgetMicroUsd: number | undefined) {
  const last = readings.at(-1) ?? start;
  const pace = paceBetween(readings[0] ?? start, last);
  const spent = (last.microUsd ?? 0) - (start.microUsd ?? 0);
  const left = budgetMicroUsd === undefined ? undefined : budgetMicroUsd - spent;
  return {
    at: new Date(last.atMs).toISOString(),
    calls: last.calls - start.calls,
    tokens: last.tokens - start.tokens,
    cost_usd: spent / 1e6,
    tokens_per_minute: pace.tokensPerMinute,
    usd_per_minute: (pace.microUsdPerMinute ?? 0) / 1e6,
    budget_left_usd: left === undefined ? null : left / 1e6,
    minutes_to_budget: minutesTo(left, pace) ?? null,
  };
}
