export { parsePrices } from "./parse.ts";
export type { PriceRow, PriceTable, Rates } from "./table.ts";
export { priceWarnings } from "./warn.ts";
