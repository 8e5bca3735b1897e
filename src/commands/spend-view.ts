import type { JsonObject } from "../core/canonical-json.ts";
import type { Result } from "../core/result.ts";
import type { CallPrices } from "../logs/prices/index.ts";
import type { Spend } from "../logs/spend.ts";
import { type SessionSummary, SLOT_MS } from "../logs/summary.ts";
import type { LogAccess } from "./log-access.ts";
import { type JsonSchema, list, number, object, oneOf, orNull, text, whole } from "./schema.ts";

/** Spend as `--json` shows it. `cost_usd` is null when nothing of it has a price; what has none is listed. */
export const SPEND: Readonly<Record<string, JsonSchema>> = {
  calls: whole,
  input_tokens: orNull(whole),
  cache_write_5m_tokens: orNull(whole),
  cache_write_1h_tokens: orNull(whole),
  cache_read_tokens: orNull(whole),
  output_tokens: orNull(whole),
  reasoning_tokens: orNull(whole),
  cost_usd: orNull(number),
  cost_basis: orNull(oneOf("logged", "estimated")),
  unlogged_usd: number,
  lower_bound_calls: whole,
  unpriced: list(object({ model: text, why: oneOf("no_price", "no_usage"), calls: whole, tokens: whole })),
};

export function spendView(spend: Spend): JsonObject {
  const { usage, unpriced } = spend;
  const hasPrice = spend.microUsd > 0 || unpriced.length === 0;
  return {
    calls: spend.calls,
    input_tokens: usage.inputTokens ?? null,
    cache_write_5m_tokens: usage.cacheWrite5mTokens ?? null,
    cache_write_1h_tokens: usage.cacheWrite1hTokens ?? null,
    cache_read_tokens: usage.cacheReadTokens ?? null,
    output_tokens: usage.outputTokens ?? null,
    reasoning_tokens: usage.reasoningTokens ?? null,
    cost_usd: hasPrice ? spend.microUsd / 1e6 : null,
    cost_basis: hasPrice ? (spend.guessedMicroUsd > 0 ? "estimated" : "logged") : null,
    unlogged_usd: spend.unloggedMicroUsd / 1e6,
    lower_bound_calls: spend.lowerBounds,
    unpriced: unpriced.map((part) => ({
      model: part.model,
      why: part.why === "no-price" ? "no_price" : "no_usage",
      calls: part.calls,
      tokens: part.tokens,
    })),
  };
}

/** Sessions whose rows are those of a period; sessions without any are left out. */
export function within(
  sessions: readonly SessionSummary[],
  fromMs: number,
  toMs: number,
): readonly SessionSummary[] {
  return sessions
    .map((session) => ({
      ...session,
      rows: session.rows.filter((row) => (row.slot + 1) * SLOT_MS > fromMs && row.slot * SLOT_MS <= toMs),
    }))
    .filter((session) => session.rows.length > 0);
}

/** Prices for the models of these rows. */
export function pricesFor(
  access: LogAccess,
  spenders: readonly Pick<SessionSummary, "rows">[],
  file: string | undefined,
): Promise<Result<CallPrices>> {
  const models = new Set<string>();
  for (const { rows } of spenders) for (const { model } of rows) models.add(model);
  return access.prices(models, file);
}
