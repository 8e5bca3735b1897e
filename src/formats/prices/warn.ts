import type { PriceRow, PriceTable } from "./table.ts";

const STALE_DAYS = 30;
const DAY_MS = 86_400_000;

/** What a valid price table should be looked at for: age, guesses, rates of zero. One sentence each. */
export function priceWarnings(table: PriceTable, nowMs: number): string[] {
  const ageDays = Math.floor((nowMs - Date.parse(table.date)) / DAY_MS);
  const warnings = ageDays > STALE_DAYS ? [`the table is ${ageDays} days old`] : [];
  for (const [model, rows] of Object.entries(table.models)) {
    if (rows.some((row) => row.isGuess)) warnings.push(`${model} is marked as a guess`);
    const zeros = new Set(rows.flatMap((row) => unexcusedZeros(row)));
    for (const name of zeros) warnings.push(`${model} costs nothing for ${name}`);
  }
  return warnings;
}

function unexcusedZeros({ rates, hasFreeParts }: PriceRow): string[] {
  const zeros = Object.entries(rates).flatMap(([name, rate]) => (rate === 0 ? name : []));
  if (hasFreeParts !== true) return zeros;
  if (zeros.length === Object.keys(rates).length) return [];
  return zeros.filter((name) => !name.startsWith("write"));
}
