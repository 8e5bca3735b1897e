import { runInNewContext } from "node:vm";

interface Provider {
  readonly id: string;
  readonly model_match?: unknown;
  readonly fallback_model_providers?: readonly string[];
  readonly models: readonly Model[];
}

interface Model {
  readonly id: string;
  readonly match: unknown;
  /** By the day from which they hold, or at all times. */
  readonly prices: { readonly prices: Price }[] | Price;
}

type Price = Readonly<Record<string, unknown>>;
type Units = Readonly<Record<string, { readonly price_key?: string }>>;

/** What the package's file begins with, as its builder lays it out: the providers, and what can have a price. */
const DATA = /^const (\w+) = (\[\n[\s\S]*?\n\]), (\w+) = (\{\n[\s\S]*?\n\});/;

/** It sorts names that differ so that their order is always the same one; rules of languages take long to load. */
const BY_LANGUAGE = /([\w.]+)\.localeCompare\(([\w.]+)\)/g;

/**
 * The catalogue package without what we never ask it, as text of JSON, which the engine reads in a fraction of the time that
 * a list in the code takes. The rules by which it finds and tells prices stay its own.
 */
export function slimCatalogue(code: string): string {
  const [, list = "", providers, register = "", units] = DATA.exec(code) ?? [];
  if (providers === undefined || units === undefined) {
    throw new Error("the catalogue package is laid out in another way than it was");
  }
  const slim = foundByModel(runInNewContext(providers)).map(pricesOf);
  const used = usedUnits(runInNewContext(`(${units})`), slim);
  return code
    .replace(DATA, () => `const ${list} = ${parsed(slim)}, ${register} = ${parsed(used)};`)
    .replace(BY_LANGUAGE, "($1 < $2 ? -1 : 1)");
}

function parsed(value: unknown): string {
  return `JSON.parse(${JSON.stringify(JSON.stringify(value))})`;
}

/** A provider is found by the name of a model, or as one whose models another one sells too. */
function foundByModel(providers: readonly Provider[]): readonly Provider[] {
  const found = new Set(providers.filter((provider) => provider.model_match !== undefined));
  for (const { fallback_model_providers: ids = [] } of found) {
    for (const provider of providers) if (ids.includes(provider.id)) found.add(provider);
  }
  return providers.filter((provider) => found.has(provider));
}

function pricesOf({ id, model_match, fallback_model_providers, models }: Provider): Provider {
  return {
    id,
    model_match,
    ...(fallback_model_providers === undefined ? {} : { fallback_model_providers }),
    models: models.map((model) => ({ id: model.id, match: model.match, prices: model.prices })),
  };
}

/** The package compares each of its units with each other one as soon as it is loaded; most have no price here. */
function usedUnits(units: Units, providers: readonly Provider[]): Units {
  const models = providers.flatMap((provider) => provider.models);
  const keys = new Set(models.flatMap(({ prices }) => pricesIn(prices).flatMap(Object.keys)));
  return Object.fromEntries(
    Object.entries(units).filter(([name, { price_key = name }]) => keys.has(price_key)),
  );
}

function pricesIn(prices: Model["prices"]): readonly Price[] {
  return Array.isArray(prices) ? prices.map((dated) => dated.prices) : [prices];
}
