import type { PriceRow, PriceTable, Rates } from "../../formats/prices/index.ts";

const OBSERVED = "applied by Claude Code 2.1.332 itself, checked 2026-11-29";
const LISTED = "public price list, checked 2026-11-29";

function row(rates: Rates, source: string, more: Partial<PriceRow> = {}): PriceRow {
  return { rates, longContext: [], tiers: {}, source, isGuess: false, ...more };
}

/** OpenAI reprices the whole call above 272,000 prompt tokens: twice for what goes in, half more for what comes out. */
function long(rates: Rates): PriceRow["longContext"] {
  const doubled: Rates = {
    input: 2 * rates.input,
    ...(rates.write5m === undefined ? {} : { write5m: 2 * rates.write5m }),
    ...(rates.read === undefined ? {} : { read: 2 * rates.read }),
    output: 1.5 * rates.output,
  };
  return [{ aboveTokens: 271_999, rates: doubled }];
}

const SOL_FIRST: Rates = { input: 5, write5m: 6.25, read: 0.5, output: 30 };
const SOL: Rates = { input: 4, write5m: 5, read: 0.4, output: 20 };
const GPT_5_5: Rates = { input: 5, read: 0.5, output: 30 };

/**
 * Prices that the catalogue package lacks or has wrong: the newest Claude models, factors of service tiers, what a
 * model with a similar name would otherwise lend its price to.
 */
export const BUILTIN_PRICES: PriceTable = {
  date: "2026-11-29",
  source: "built in",
  webSearchUsd: 0.01,
  models: {
    "claude-opus-5-5": [
      row({ input: 4, write5m: 5, write1h: 8, read: 0.2, output: 20 }, OBSERVED, { tiers: { fast: 2 } }),
    ],
    "claude-sonnet-5-5": [
      row({ input: 2, write5m: 2.5, write1h: 4, read: 0.2, output: 10 }, LISTED),
      row({ input: 2, write5m: 2.5, write1h: 4, read: 0.1, output: 10 }, OBSERVED, { from: "2026-10-07" }),
    ],
    "claude-haiku-5-5": [
      row({ input: 0.1, write5m: 0.125, write1h: 0.2, read: 0.01, output: 0.5 }, OBSERVED, {
        longContext: [
          {
            aboveTokens: 100_000,
            rates: { input: 0.5, write5m: 0.625, write1h: 1, read: 0.05, output: 2.5 },
          },
        ],
      }),
    ],
    "gpt-5.6-sol": [
      row(SOL_FIRST, LISTED, { longContext: long(SOL_FIRST), tiers: { priority: 2, flex: 0.5 } }),
      row(SOL, LISTED, { from: "2026-08-21", longContext: long(SOL), tiers: { priority: 2, flex: 0.5 } }),
    ],
    "gpt-5.5": [row(GPT_5_5, LISTED, { longContext: long(GPT_5_5), tiers: { priority: 2.5, flex: 0.5 } })],
    "gpt-5-codex": [
      row({ input: 1.25, read: 0.125, output: 10 }, LISTED, { tiers: { priority: 2, flex: 0.5 } }),
    ],
    "gpt-5.1": [row({ input: 1.25, read: 0.125, output: 10 }, LISTED, { tiers: { priority: 2, flex: 0.5 } })],
  },
};
