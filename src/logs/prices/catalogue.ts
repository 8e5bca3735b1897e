import { calcPrice } from "@pydantic/genai-prices";
import type { PriceRow, Rates } from "../../formats/prices/index.ts";
import type { DatedRow } from "./index.ts";
import { undatedModel } from "./names.ts";

type Found = NonNullable<ReturnType<typeof calcPrice>>;
type Price = Found["model_price"];

/**
 * The prices of a model in the catalogue package by the day from which each holds; none for a model that is merely similar.
 * Between two such days nothing changes: the package has prices by date and by time of day, and we ask for noon.
 */
export function catalogueRows(model: string): readonly DatedRow[] {
  const first = priceAt(model, FIRST_DAY);
  if (first === null) return [];
  const { prices } = first.model;
  const dated = Array.isArray(prices) ? prices : [];
  const days = dated.flatMap(({ constraint }) =>
    constraint?.type === "start_date" ? constraint.start_date.slice(0, 10) : [],
  );
  return [FIRST_DAY, ...days.sort()].map((from) => ({ from, row: rowOf(priceAt(model, from), model) }));
}

const FIRST_DAY = "1970-01-01";

function priceAt(model: string, day: string): Found | null {
  const timestamp = new Date(`${day}T12:00:00Z`);
  return calcPrice({ input_tokens: 0, output_tokens: 0 }, model, { timestamp });
}

function rowOf(found: Found | null, model: string): PriceRow | undefined {
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
