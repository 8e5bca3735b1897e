import type { JsonObject } from "../core/canonical-json.ts";
import type { BillLine } from "../formats/bill.ts";
import type { CallPrices } from "../logs/prices/index.ts";
import { canonicalModel } from "../logs/prices/names.ts";
import { spendBy } from "../logs/spend.ts";
import { type SessionSummary, SLOT_MS } from "../logs/summary.ts";
import { type JsonSchema, list, number, object, orNull, text } from "./schema.ts";

export const BILL: JsonSchema = object({
  billed_usd: number,
  logged_usd: number,
  gap_usd: number,
  rows: list(
    object({ day: text, model: orNull(text), billed_usd: number, logged_usd: number, gap_usd: number }),
  ),
});

/**
 * What was billed beside what the logs say, by UTC day and, where the bill names models, by model. Only days that the
 * bill covers are compared; a positive gap is money that no log on this machine explains.
 */
export function billView(
  bill: readonly BillLine[],
  sessions: readonly SessionSummary[],
  prices: CallPrices,
): JsonObject {
  const hasModels = bill.some((line) => line.model !== undefined);
  const days = bill.map((line) => line.day).sort();
  const [first = "", last = ""] = [days[0], days.at(-1)];
  const billed = new Map<string, number>();
  for (const line of bill) {
    const key = keyOf(line.day, hasModels ? (line.model ?? "") : "");
    billed.set(key, (billed.get(key) ?? 0) + line.microUsd);
  }
  const logged = spendBy(sessions, prices, (_, row) => {
    const day = new Date(row.slot * SLOT_MS).toISOString().slice(0, 10);
    return day >= first && day <= last ? keyOf(day, hasModels ? row.model : "") : undefined;
  });
  const keys = [...new Set([...billed.keys(), ...logged.keys()])].sort();
  const rows = keys.map((key) => {
    const [day = "", model = ""] = key.split("\n");
    return {
      day,
      model: model === "" ? null : model,
      ...gap(billed.get(key) ?? 0, logged.get(key)?.microUsd ?? 0),
    };
  });
  const sum = (values: Iterable<number>): number => [...values].reduce((a, b) => a + b, 0);
  return { ...gap(sum(billed.values()), sum([...logged.values()].map((spend) => spend.microUsd))), rows };
}

function keyOf(day: string, model: string): string {
  return `${day}\n${canonicalModel(model)}`;
}

function gap(billed: number, logged: number): { billed_usd: number; logged_usd: number; gap_usd: number } {
  return { billed_usd: billed / 1e6, logged_usd: logged / 1e6, gap_usd: (billed - logged) / 1e6 };
}
