import { member, percent } from "../../commands/recommend-words.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/canonical-json.ts";

/**
 * A receipt in labelled lines: what was foretold and came, and what it taught. Nothing where nothing is known; of money
 * nothing where the run's cost is unknown, since then nothing came to hold a forecast against.
 */
export function receiptTexts(receipt: Json | undefined): readonly (readonly [label: string, text: string])[] {
  if (!isJsonObject(receipt)) return [];
  const predicted = member(receipt["predicted"]);
  const actual = member(receipt["actual"]);
  const isCostKnown = actual["cost_usd"] !== null;
  const isChanceKnown = predicted["chance"] !== null;
  if (!isCostKnown && (!isChanceKnown || actual["accepted"] === null)) return [];
  const moved = member(receipt["moved"]);
  const [chance, cost] = [member(moved["chance"]), member(moved["cost_usd"])];
  const soFar = member(receipt["so_far"]);
  const counted = Number(soFar["costs"]);
  return [
    ["foretold", `${foretold(predicted, isCostKnown)}; ${came(receipt, actual)}`],
    [
      "learned",
      [
        ...(isChanceKnown ? [`chance ${percent(chance["from"])} → ${percent(chance["to"])}`] : []),
        ...(isCostKnown ? [`cost ${usd(cost["from"])} → ${usd(cost["to"])} a run`] : []),
        ...(counted > 1 ? [`${String(soFar["costs_inside"])} of ${counted} costs in their 80 % ranges`] : []),
      ].join(" · "),
    ],
  ];
}

function foretold(predicted: JsonObject, isCostKnown: boolean): string {
  const cost = member(predicted["cost_usd"]);
  const chance = predicted["chance"] === null ? [] : [`${percent(predicted["chance"])} accepted`];
  const range = `${usd(cost["mean"])} (80 % from ${usd(cost["lo"])} to ${usd(cost["hi"])})`;
  return [...chance, ...(isCostKnown ? [range] : [])].join(", ");
}

function came(receipt: JsonObject, actual: JsonObject): string {
  const verdict =
    actual["accepted"] === null ? "" : actual["accepted"] === true ? "accepted, " : "rejected, ";
  if (actual["cost_usd"] === null) return `came: ${verdict}cost unknown`;
  return `came: ${verdict}${usd(actual["cost_usd"])}, ${receipt["cost_in_interval"] === true ? "inside" : "outside"}`;
}

function usd(value: Json | undefined): string {
  if (typeof value !== "number") return "unknown";
  return value === 0 ? "$0" : `$${value >= 0.1 ? value.toFixed(2) : value.toPrecision(1)}`;
}
