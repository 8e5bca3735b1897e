import { canonicalJson, type Json } from "../../core/canonical-json.ts";
import { sha256 } from "../../core/hash.ts";
import type { Cost, CostBasis } from "../../core/money.ts";
import { InvariantError } from "../../core/result.ts";
import type { TokenUsage } from "../../core/tokens.ts";
import type { PriceRow, PriceTable } from "../../formats/prices/index.ts";
import type { Prices, PriceTraits } from "../../ports/usage.ts";
import { BUILTIN_PRICES } from "./builtin.ts";
import { costFemto, microFromFemto } from "./exact.ts";
import { canonicalModel, undatedModel } from "./names.ts";

/** Holds from a day on, until the next one. */
export interface DatedRow {
  readonly from: string;
  readonly row?: PriceRow | undefined;
}

/** Prices of models that no table has, by day; none for a model that it does not know by name. */
export type PriceCatalogue = (model: string) => readonly DatedRow[];

/** What a call is priced by. */
export interface PriceableCall {
  readonly model: string;
  readonly usage: TokenUsage;
  readonly atMs: number;
  readonly tier?: string | undefined;
  readonly webSearches: number;
  /** Size of each call's prompt where `usage` is a sum of calls of about one size. */
  readonly promptTokens?: number;
}

/** What calls cost before it is rounded, or the name of what has no price. */
export type ExactCost =
  | { readonly femtoUsd: bigint; readonly isGuess: boolean }
  | { readonly why: "no-price" | "no-usage"; readonly model: string };

export interface CallPrices extends Prices {
  /** Each call at its own time, tier and size; the exact sum is rounded once. One unknown part makes it unknown. */
  priceCalls(calls: readonly PriceableCall[], basis: CostBasis): Cost;
  /** One call, or a sum of calls of one model, tier, day and size; not rounded. */
  exact(call: PriceableCall): ExactCost;
  /** The row that a call of the model would be priced by. */
  row(model: string, atMs: number): PriceRow | undefined;
}

/** Loads the catalogue package, which is left to those who price by it. */
export async function loadCatalogue(): Promise<PriceCatalogue> {
  const { catalogueRows } = await import("./catalogue.ts");
  const known = new Map<string, readonly DatedRow[]>();
  return (model) => {
    const rows = known.get(model) ?? catalogueRows(model);
    known.set(model, rows);
    return rows;
  };
}

/**
 * Prices by the user's table, else ours, else the catalogue's. A model, tier or token class without a price makes the
 * cost unknown and named; nothing is ever taken from a neighbour.
 */
export function createPrices(overrides?: PriceTable, catalogue?: PriceCatalogue): CallPrices {
  const tables = overrides === undefined ? [BUILTIN_PRICES] : [overrides, BUILTIN_PRICES];
  const indexes = tables.map(indexTable);
  const webSearchUsd = tables[0]?.webSearchUsd ?? 0;
  const known = new Map<string, readonly (readonly DatedRow[])[]>();

  const row = (model: string, atMs: number): PriceRow | undefined => {
    if (!Number.isFinite(atMs)) throw new InvariantError(`no time to price ${model} at`);
    const day = new Date(atMs).toISOString().slice(0, 10);
    const found = known.get(model) ?? rowsOf(model, indexes, catalogue);
    known.set(model, found);
    for (const rows of found) {
      const { row } = rows.findLast(({ from }) => from <= day) ?? {};
      if (row !== undefined) return row;
    }
    return undefined;
  };

  const exact = (call: PriceableCall): ExactCost => {
    if (call.usage.inputTokens === undefined || call.usage.outputTokens === undefined) {
      return { why: "no-usage", model: call.model };
    }
    const found = row(call.model, call.atMs);
    const femtoUsd = found === undefined ? undefined : costFemto(call, found, webSearchUsd);
    if (found === undefined || femtoUsd === undefined) return { why: "no-price", model: nameOf(call) };
    return { femtoUsd, isGuess: found.isGuess };
  };

  const priceCalls = (calls: readonly PriceableCall[], basis: CostBasis): Cost => {
    let femto = 0n;
    let isGuess = false;
    for (const call of calls) {
      const cost = exact(call);
      if ("why" in cost) return { kind: "unknown", ...cost };
      femto += cost.femtoUsd;
      isGuess ||= cost.isGuess;
    }
    return { kind: "known", microUsd: microFromFemto(femto), basis: isGuess ? "estimated" : basis };
  };

  const price = (
    model: string,
    usage: TokenUsage,
    at: string,
    basis: CostBasis,
    traits?: PriceTraits,
  ): Cost => {
    const tier = traits?.tier === undefined ? {} : { tier: traits.tier };
    const webSearches = traits?.webSearchRequests ?? 0;
    return priceCalls([{ model, usage, atMs: Date.parse(at), ...tier, webSearches }], basis);
  };

  let described: Prices["table"] | undefined;
  return {
    price,
    priceCalls,
    exact,
    row,
    get table() {
      described ??= describe(tables, catalogue !== undefined);
      return described;
    },
  };
}

function nameOf(call: PriceableCall): string {
  return call.tier === undefined ? call.model : `${call.model} (${call.tier})`;
}

type Index = ReadonlyMap<string, readonly PriceRow[]>;

/** The first row of equal names wins: as written, then without what gateways add. */
function indexTable(table: PriceTable): Index {
  const index = new Map(Object.entries(table.models));
  for (const spell of [canonicalModel, (name: string): string => undatedModel(canonicalModel(name))]) {
    for (const [name, rows] of Object.entries(table.models)) {
      if (!index.has(spell(name))) index.set(spell(name), rows);
    }
  }
  return index;
}

/** A model's rows by day, in the order in which tables count. */
function rowsOf(
  model: string,
  indexes: readonly Index[],
  catalogue: PriceCatalogue | undefined,
): readonly (readonly DatedRow[])[] {
  const name = canonicalModel(model);
  const tables = indexes.map((index) => {
    const rows = index.get(model) ?? index.get(name) ?? index.get(undatedModel(name)) ?? [];
    return rows.map((row): DatedRow => ({ from: row.from ?? "", row }));
  });
  return catalogue === undefined ? tables : [...tables, catalogue(name)];
}

function describe(tables: readonly PriceTable[], hasCatalogue: boolean): Prices["table"] {
  const sources = tables.map((table) => table.source);
  if (hasCatalogue) sources.push("catalogue");
  const content: Json = JSON.parse(JSON.stringify({ tables, hasCatalogue }));
  return {
    id: sha256(canonicalJson(content)).slice(0, 12),
    date: tables[0]?.date ?? "",
    source: sources.join(", "),
  };
}
