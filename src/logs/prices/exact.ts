import type { TokenUsage } from "../../core/tokens.ts";
import type { PriceRow, Rates } from "../../formats/prices/index.ts";

/** Femto-dollars in a micro-dollar. */
const FEMTO_PER_MICRO = 1_000_000_000n;

/**
 * What one call costs, in whole femto-dollars: a rate per million tokens with six decimals times a factor with three. Undefined
 * when a class that has tokens, or the tier, has no price.
 */
export function costFemto(
  call: {
    readonly usage: TokenUsage;
    readonly tier?: string | undefined;
    readonly webSearches: number;
    readonly promptTokens?: number;
  },
  row: PriceRow,
  webSearchUsd: number,
): bigint | undefined {
  const factor = call.tier === undefined ? 1 : row.tiers[call.tier];
  if (factor === undefined) return undefined;
  const rates = ratesFor(call.promptTokens ?? promptTokens(call.usage), row);
  const picoSum = picoOf(call.usage, rates);
  if (picoSum === undefined) return undefined;
  const searches = BigInt(call.webSearches) * BigInt(Math.round(webSearchUsd * 1e6)) * FEMTO_PER_MICRO;
  return picoSum * BigInt(Math.round(factor * 1000)) + searches;
}

/** Long context is decided by this one call, and reprices all of it. */
function ratesFor(tokens: number, row: PriceRow): Rates {
  return row.longContext.findLast((step) => tokens > step.aboveTokens)?.rates ?? row.rates;
}

function promptTokens(usage: TokenUsage): number {
  return (
    (usage.inputTokens ?? 0) +
    (usage.cacheWrite5mTokens ?? 0) +
    (usage.cacheWrite1hTokens ?? 0) +
    (usage.cacheReadTokens ?? 0)
  );
}

function picoOf(usage: TokenUsage, rates: Rates): bigint | undefined {
  const parts: readonly (readonly [number | undefined, number | undefined])[] = [
    [usage.inputTokens, rates.input],
    [usage.cacheWrite5mTokens, rates.write5m],
    [usage.cacheWrite1hTokens, rates.write1h],
    [usage.cacheReadTokens, rates.read],
    [usage.outputTokens, rates.output],
  ];
  let sum = 0n;
  for (const [tokens, rate] of parts) {
    if (tokens === undefined || tokens === 0) continue;
    if (rate === undefined) return undefined;
    sum += BigInt(tokens) * BigInt(Math.round(rate * 1e6));
  }
  return sum;
}

/** Whole micro-dollars, half to even. */
export function microFromFemto(femto: bigint): number {
  const quotient = femto / FEMTO_PER_MICRO;
  const twice = (femto % FEMTO_PER_MICRO) * 2n;
  const isUp = twice > FEMTO_PER_MICRO || (twice === FEMTO_PER_MICRO && quotient % 2n === 1n);
  return Number(isUp ? quotient + 1n : quotient);
}
