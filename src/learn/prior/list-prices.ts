import type { ShippedPrior } from "../belief.ts";
import { plainPrior, type ShippedNode } from "../fit/prior-table.ts";
import { modelPath } from "../rows/model-path.ts";

/** What a model costs by its list price, as a logarithm; undefined where there is no price. */
export type LnPriceOf = (model: string) => number | undefined;

/**
 * A prior that also says what runs of `models` cost of which no published cost is known: what those of the priced
 * models of the family cost, or of the maker where the family has none, moved by the ratio of list prices. Other
 * models stay as they are, so that no price counts twice, and the new ones as uncertain as they were.
 */
export function withListPrices(
  prior: ShippedPrior,
  models: readonly string[],
  lnPriceOf: LnPriceOf,
): ShippedPrior {
  const { cost } = prior.heads;
  if (cost === undefined) return prior;
  const means = new Map(cost.nodes.map(({ id, mean }) => [id, mean] as const));
  const priced = cost.nodes.flatMap(({ id, mean, runs }) => {
    if (!id.startsWith(MODEL)) return [];
    const path = modelPath(id.slice(MODEL.length));
    const ln = lnPriceOf(path.model);
    const known = {
      ...path,
      weight: Math.max(1, runs),
      mean: mean + (means.get(`family:${path.family}`) ?? 0),
    };
    return ln === undefined ? [] : [{ ...known, ln }];
  });
  const sd = Math.exp(
    (cost.groups["model"] ?? { ln_phi_mean: plainPrior("cost").scale("model").ln }).ln_phi_mean,
  );
  const added = models.flatMap((name): readonly ShippedNode[] => {
    const own = modelPath(name);
    const ln = lnPriceOf(name);
    if (ln === undefined || means.has(`${MODEL}${own.model}`)) return [];
    const family = priced.filter((one) => one.family === own.family);
    const kin = family.length > 0 ? family : priced.filter(({ provider }) => provider === own.provider);
    const weight = kin.reduce((sum, one) => sum + one.weight, 0);
    if (weight === 0) return [];
    const mean = kin.reduce((sum, one) => sum + one.weight * (one.mean + ln - one.ln), 0) / weight;
    const above = means.get(`family:${own.family}`) ?? 0;
    return [{ id: `${MODEL}${own.model}`, mean: mean - above, sd, runs: 0 }];
  });
  if (added.length === 0) return prior;
  return { ...prior, heads: { ...prior.heads, cost: { ...cost, nodes: [...cost.nodes, ...added] } } };
}

const MODEL = "model:";
