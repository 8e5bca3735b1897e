import { fail, ok, type Result } from "../core/result.ts";
import type { PriceTable } from "../formats/prices/index.ts";
import {
  lnListPrice,
  modelPath,
  type PriceSteps,
  priceSteps,
  type ShippedPrior,
  withListPrices,
} from "../learn/index.ts";
import { BUILTIN_PRICES } from "../logs/prices/builtin.ts";
import type { CommandContext } from "./types.ts";

/** Models whose list price changed, by the user's table, else ours. */
export async function priceChanges(context: CommandContext): Promise<Result<PriceSteps>> {
  const own = await ownPrices(context);
  return own.ok ? ok(priceSteps([...own.value, BUILTIN_PRICES])) : own;
}

/**
 * The prior with the models that only the user's table prices, at their price at `priorMs`, else their first.
 * The other prices are loaded where there is such a model.
 */
export async function withOwnPrices(
  context: CommandContext,
  prior: ShippedPrior,
  priorMs: number,
): Promise<Result<ShippedPrior>> {
  const own = await ownPrices(context);
  if (!own.ok) return own;
  const known = new Set(prior.heads.cost?.nodes.map(({ id }) => id));
  const [table] = own.value;
  const models = Object.keys(table?.models ?? {}).filter(
    (name) => !known.has(`model:${modelPath(name).model}`),
  );
  if (table === undefined || models.length === 0) return ok(prior);
  const { createPrices, loadCatalogue } = await import("../logs/prices/index.ts");
  const prices = createPrices(table, await loadCatalogue());
  const lnPriceOf = (model: string) => {
    const rates = (prices.row(model, priorMs) ?? table.models[model]?.[0])?.rates;
    return rates === undefined ? undefined : lnListPrice(rates);
  };
  return ok(withListPrices(prior, models, lnPriceOf));
}

/** The reader of tables is loaded where there is one. */
async function ownPrices(context: CommandContext): Promise<Result<readonly PriceTable[]>> {
  const path = `${context.home}/prices.toml`;
  const text = await context.readText(path);
  if (!text.ok) return ok([]);
  const { parsePrices } = await import("../formats/prices/index.ts");
  const parsed = parsePrices(text.value, path);
  if (parsed.ok) return ok([parsed.value]);
  const [problem] = parsed.problems;
  return fail("bad-input", problem?.message ?? "no price table", {
    at: problem?.at ?? path,
    hint: "loopwright prices validate",
  });
}
