import { isJsonObject, type Json, type JsonObject } from "../core/canonical-json.ts";

/** One member of an answer; empty where there is none. */
export function member(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function items(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.map(member) : [];
}

/** Dollars as text and page show them. */
export function usd(value: Json | undefined): string {
  if (typeof value !== "number") return "unknown";
  return value >= 100 ? `$${Math.round(value)}` : `$${value.toFixed(value >= 0.1 ? 2 : 4)}`;
}

export function percent(value: Json | undefined): string {
  return typeof value === "number" ? `${Math.round(100 * value)} %` : "?";
}

/** The chance of a choice, and what it is one of. */
export function chanceText(choice: JsonObject, from: Json | undefined): string {
  const success = member(choice["success"]);
  if (choice["chance_known"] !== true) return "not enough data for a chance";
  const what = from === "score_head" ? "reach the score" : "accepted";
  return `${percent(success["mean"])} ${what} (80 % belief: ${percent(success["lo"])} to ${percent(success["hi"])})`;
}

/** What a run of a choice costs. */
export function costText(choice: JsonObject): string {
  const cost = member(choice["run_cost_usd"]);
  const [lo, hi] = [Number(cost["lo"]), Number(cost["hi"])];
  const range = `80 % from ${usd(cost["lo"])} to ${usd(cost["hi"])}`;
  // A mean that rare large runs pull up says little about the next one.
  return hi > 10 * lo || Number(cost["mean"]) > hi
    ? `typically ${usd(cost["median"])} a run (${range}; mean ${usd(cost["mean"])})`
    : `${usd(cost["mean"])} a run (${range})`;
}

/** What a fit rests on. */
export function basisText(fit: JsonObject): string {
  const weight = member(fit["prior_weight"]);
  const runs = `${String(fit["runs"])} ${fit["runs"] === 1 ? "run" : "runs"}`;
  return `${runs} of yours; published figures weigh ${percent(weight["success"])} in the chance, ${percent(weight["cost"])} in the cost`;
}

/** What an exploration gains and takes. */
export function explorationText(pick: JsonObject): string {
  const counted = (value: Json | undefined) => `${String(value)} ${value === 1 ? "run" : "runs"}`;
  return `${counted(pick["runs"])}: saves ${usd(pick["gain_usd_per_run"])} a later run, costs ${usd(pick["price_usd"])} once, pays back after ${counted(pick["payback_runs"])} (${percent(pick["beats_prob"])} better)`;
}
