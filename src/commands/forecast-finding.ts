import { ok, type Result } from "../core/result.ts";
import { readStoredOcp } from "../formats/ocp/index.ts";
import { receiptIn } from "../formats/recommendation/read-receipt.ts";
import { calibrationOf, type Receipt } from "../plan/receipts.ts";
import type { CommandContext } from "./types.ts";

/** How far back a self-check looks. */
const LATEST = 200;

export interface ForecastFinding {
  readonly state: "ok" | "warning";
  readonly detail: string;
}

/** Whether the forecasts of the latest runs held, by their receipts. */
export async function forecastFinding(context: CommandContext): Promise<Result<ForecastFinding>> {
  const receipts = await latestReceipts(context);
  if (!receipts.ok) return receipts;
  const { success, cost } = calibrationOf(receipts.value);
  const costs = `${cost.inside} of ${cost.scored} costs inside their 80 % ranges`;
  const chances = `${success.scored} chances with an outcome`;
  const hasFailed = cost.held === "failed" || success.held === "failed";
  const isEarly = cost.held === "too-few" && success.held === "too-few";
  return ok({
    state: hasFailed ? "warning" : "ok",
    detail: `${costs}, ${chances}: ${isEarly ? "too few to say" : hasFailed ? "they do not hold" : "they hold"}`,
  });
}

/** The receipts of the latest runs, as far as they have one. */
export async function latestReceipts(context: CommandContext): Promise<Result<readonly Receipt[]>> {
  const store = await context.readStore();
  if (!store.ok) return store;
  const rows = await store.value?.runs({ state: "finished", limit: LATEST });
  if (rows?.ok === false) return rows;
  const receipts: Receipt[] = [];
  for (const { run } of rows?.value ?? []) {
    const text = await store.value?.runDocument(run);
    if (text?.ok === false) return text;
    const read = text?.value === undefined ? undefined : readStoredOcp(text.value);
    const found = read?.ok === true ? receiptIn(read.value.document) : undefined;
    if (found?.after === undefined) continue;
    const { mean, lo, hi } = found.before.predicted.cost_usd;
    receipts.push({
      run,
      successProb: found.before.predicted.p_success.mean,
      isAccepted: found.after.z === null ? undefined : found.after.z === 1,
      costUsd: { mean, lo, hi },
      realizedUsd: found.after.cost_usd ?? undefined,
    });
  }
  return ok(receipts);
}
