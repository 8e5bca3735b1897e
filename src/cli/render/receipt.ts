import { member, percent } from "../../commands/recommend-words.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/canonical-json.ts";

/** A receipt in labelled lines: what was foretold and came, and what it taught. Nothing where nothing is known. */
export function receiptTexts(receipt: Json | undefined): readonly (readonly [label: string, text: string])[] {
  if (!isJsonObject(receipt)) return [];
  const predicted = member(receipt["predicted"]);
  const actual = member(receipt["actual"]);
  const isUnknown =
    actual["cost_usd"] === null && (predicted["chance"] === null || actual["accepted"] === null);
  if (isUnknown) return [];
  const moved = member(receipt["moved"]);
  const [chance, cost] = [member(moved["chance"]), member(moved["cost_usd"])];
  const soFar = member(receipt["so_far"]);
  const counted = Number(soFar["costs"]);
  return [
    ["foretold", `${foretold(predicted)}; ${came(receipt, actual)}`],
    [
      "learned",
      [
        ...(predicted["chance"] === null
          ? []
          : [`chance ${percent(chance["from"])} → ${percent(chance["to"])}`]),
        `cost ${usd(cost["from"])} → ${usd(cost["to"])} a run`,
        ...(counted > 1 ? [`${String(soFar["costs_inside"])} of ${counted} costs in their 80 % ranges`] : []),
      ].join(" · "),
    ],
  ];
}

function foretold(predicted: JsonObject): string {
  const cost = member(predicted["cost_usd"]);
  const range = `${usd(cost["mean"])} (80 % from ${usd(cost["lo"])} to ${usd(cost["hi"])})`;
  return predicted["chance"] === null ? range : `${percent(predicted["chance"])} accepted, ${range}`;
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
