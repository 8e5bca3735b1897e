import { calcPrice } from "@pydantic/genai-prices";
import type { PriceRow, Rates } from "../../formats/prices/index.ts";
import { undatedModel } from "./names.ts";

type Price = NonNullable<ReturnType<typeof calcPrice>>["model_price"];

/** The price of a model on a day, from the catalogue package; undefined for a model that is merely similar. */
export function catalogueRow(model: string, at: Date): PriceRow | undefined {
  const found = calcPrice({ input_tokens: 0, output_tokens: 0 }, model, { timestamp: at });
  if (found === null || !isNamed(found.model.id, model)) return undefined;
  const rates = ratesOf(found.model_price, undefined);
  if (rates === undefined) return undefined;
  const bounds = new Set(Object.values(found.model_price).flatMap((price) => startsOf(price)));
  const longContext = [...bounds]
    .sort((a, b) => a - b)
    .map((aboveTokens) => ({ aboveTokens, rates: ratesOf(found.model_price, aboveTokens) ?? rates }));
  return { rates, longContext, tiers: {}, source: `catalogue: ${found.model.id}`, isGuess: false };
}

/** The catalogue matches by prefixes too: a sonnet-5-5 finds the price of sonnet-5. */
function isNamed(id: string, model: string): boolean {
  const known = id.replace(/-(latest|0)$/, "");
  return id === model || known === undatedModel(model);
}

function startsOf(price: Price[string]): number[] {
  return typeof price === "object" ? price.tiers.map((tier) => tier.start) : [];
}

function ratesOf(price: Price, aboveTokens: number | undefined): Rates | undefined {
  const rate = (key: string): number | undefined => {
    const value = price[key];
    if (typeof value !== "object") return value;
    if (aboveTokens === undefined) return value.base;
    return value.tiers.findLast((tier) => tier.start <= aboveTokens)?.price ?? value.base;
  };
  const input = rate("input_mtok");
  const output = rate("output_mtok");
  if (input === undefined || output === undefined) return undefined;
  const write5m = rate("cache_write_mtok");
  const write1h = rate("cache_write_1h_mtok");
  const read = rate("cache_read_mtok");
  return {
    input,
    ...(write5m === undefined ? {} : { write5m }),
    ...(write1h === undefined ? {} : { write1h }),
    ...(read === undefined ? {} : { read }),
    output,
  };
}
