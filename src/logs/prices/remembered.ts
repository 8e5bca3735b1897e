import type { PriceTable } from "../../formats/prices/index.ts";
import { fields, list, parseFields } from "../fields.ts";
import { type CallPrices, createPrices, type DatedRow, loadCatalogue } from "./index.ts";
import { canonicalModel } from "./names.ts";

/** Where text is kept between runs. Losing it costs time only. */
export interface KeptText {
  read(): string | undefined;
  save(text: string): void;
}

/**
 * Prices for these models. The catalogue is loaded only where a model is in none of our tables and what the catalogue says
 * of it is not remembered either.
 *
 * @param version of the catalogue: what another one said is not used
 */
export async function rememberedPrices(
  models: ReadonlySet<string>,
  overrides: PriceTable | undefined,
  memory: KeptText,
  version: string,
): Promise<CallPrices> {
  const own = createPrices(overrides);
  // Our prices may begin on some day; before it the catalogue's hold.
  const others = [...models].filter((model) => own.row(model, 0) === undefined).map(canonicalModel);
  if (others.length === 0) return own;
  const remembered = readRows(memory.read(), version);
  const missing = others.filter((name) => !remembered.has(name));
  if (missing.length > 0) {
    const catalogue = await loadCatalogue();
    for (const name of missing) remembered.set(name, catalogue(name));
    memory.save(JSON.stringify({ version, models: Object.fromEntries(remembered) }));
  }
  return createPrices(overrides, (name) => remembered.get(name) ?? []);
}

/** Our own file, written whole under another name first. */
function readRows(text: string | undefined, version: string): Map<string, readonly DatedRow[]> {
  const stored = text === undefined ? undefined : fields(parseFields(text));
  if (stored?.["version"] !== version) return new Map();
  const models = Object.entries(fields(stored["models"]) ?? {});
  return new Map(models.map(([name, rows]) => [name, list(rows) as readonly DatedRow[]]));
}
