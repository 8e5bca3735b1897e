import type { Json, JsonObject } from "../../core/canonical-json.ts";
import { formatMicroUsd } from "../../core/money.ts";
import { plural } from "./records.ts";

function text(value: Json | undefined): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function usd(value: Json | undefined): string {
  return typeof value === "number" ? formatMicroUsd(Math.round(value * 1e6)) : "unknown";
}

/** What is being learned, each with its label. */
export function learningLines(learning: JsonObject): readonly (readonly [string, string])[] {
  const [follows, held, test, budget] = ["follows", "forecasts", "experiment", "budget"].map(
    (name) => (learning[name] ?? undefined) as JsonObject | undefined,
  );
  const lines: (readonly [string, string])[] = [];
  if (follows !== undefined)
    lines.push([
      "follows",
      `${text(follows["choice"])} of ${text(follows["rec"])} (${text(follows["source"])})`,
    ]);
  if (held !== undefined)
    lines.push([
      "forecasts",
      `${text(held["costs_inside"])} of ${text(held["costs"])} costs inside their 80 % ranges: ${HELD[text(held["held"])] ?? "too few to say"}`,
    ]);
  if (test !== undefined)
    lines.push([
      "experiment",
      `${text(test["candidate"])} against ${text(test["base"])}: ${plural(test["pairs"], "pair")}, next look at ${text(test["next_look"])}`,
    ]);
  if (budget !== undefined) lines.push(["budget", budgetText(budget)]);
  return lines;
}

const HELD: Readonly<Record<string, string>> = { yes: "they hold", no: "they do not hold" };

function budgetText(budget: JsonObject): string {
  const days = budget["days_left"];
  return [
    `${usd(budget["left_usd"])} left of ${usd(budget["cap_usd"])}`,
    ...(typeof budget["usd_per_day"] === "number" ? [`${usd(budget["usd_per_day"])} a day`] : []),
    ...(typeof days === "number" ? [`${plural(days, "day")} at this pace`] : []),
  ].join(" · ");
}
