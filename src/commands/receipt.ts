import type { JsonObject } from "../core/canonical-json.ts";
import { ok, type Result } from "../core/result.ts";
import { instant } from "../core/time.ts";
import type { OcpDocument } from "../formats/ocp/index.ts";
import { receiptIn, type StoredReceipt } from "../formats/recommendation/read-receipt.ts";
import { readPredicted, type StoredPrediction } from "../formats/recommendation/read-stored.ts";
import { fitBelief, type RunFacts } from "../learn/index.ts";
import { type Forecast, forecastOf } from "../plan/forecast.ts";
import { Predictor } from "../plan/predict.ts";
import { outcomeOfRun, scoreOf } from "../plan/receipt.ts";
import { afterDocument, beforeDocument, type Moved, withReceipt } from "../plan/receipt-document.ts";
import { KNOWN_WIDTH } from "../plan/standing.ts";
import { predictedDocument } from "../plan/stored.ts";
import type { Store } from "../ports/store.ts";
import { changeRun, judge } from "../record/index.ts";
import { fitId } from "./fit-id.ts";
import { type Learned, learn } from "./learned.ts";
import type { CommandContext } from "./types.ts";

/**
 * Writes the receipt of a finished run and tells it: what was foretold, by the recommendation that it followed or else
 * from the runs before it; what came; how the belief about this way of working moved; how forecasts held so far.
 */
export async function writeReceipt(
  context: CommandContext,
  store: Store,
  run: string,
): Promise<Result<JsonObject | null>> {
  const learned = await learn(context);
  if (!learned.ok) return learned;
  const facts = learned.value.belief.runs.find(({ id }) => id === run);
  const document = learned.value.documents.find((one) => one.run.id === run);
  if (facts === undefined || document === undefined) return ok(null);
  const now = instant(context.now());
  const before = beforeOf(learned.value, facts, document, now);
  const after = forecast(learned.value, facts);
  const moved = movement(before.predicted, after);
  const { reasons, tier } = judge(document);
  const outcome = outcomeOfRun(facts);
  const written = afterDocument(before.predicted, {
    outcome,
    finishedAt: document.run.ended_at ?? now,
    reasons,
    tier,
    signals: (document.run.signals ?? []).map(({ id }) => id),
    fit: fitId(learned.value.belief),
    moved,
  });
  const put = await changeRun(store, run, (current) =>
    ok(withReceipt(current, { before: before.json, ...written })),
  );
  if (!put.ok) return put;
  const others = learned.value.documents.filter((one) => one.run.id !== run);
  return ok(viewOf(before, facts, moved, [...others, put.value.document]));
}

interface Foretold {
  readonly json: JsonObject;
  readonly predicted: StoredPrediction;
  readonly rec: string | null;
}

/** As it was kept when the run began; otherwise made now from the runs without this one. */
function beforeOf(learned: Learned, facts: RunFacts, document: OcpDocument, now: string): Foretold {
  const kept = receiptIn(document)?.before;
  if (kept !== undefined) return { json: plain(kept), predicted: kept.predicted, rec: kept.rec };
  const others = learned.belief.runs.filter(({ id }) => id !== facts.id);
  const { lnPriceNow } = learned.belief;
  const belief = { ...fitBelief(others, learned.prior), ...(lnPriceNow !== undefined && { lnPriceNow }) };
  const predicted = readPredicted(predictedDocument(forecast({ ...learned, belief }, facts)));
  const json = beforeDocument(predicted, { rec: null, fit: fitId(belief), madeAt: now });
  return { json, predicted, rec: null };
}

function plain(before: StoredReceipt["before"]): JsonObject {
  return JSON.parse(JSON.stringify(before));
}

function forecast({ belief, month }: Pick<Learned, "belief" | "month">, facts: RunFacts): Forecast {
  return forecastOf(new Predictor(belief, month), facts.task, facts.workflow);
}

function movement({ p_success, cost_usd }: StoredPrediction, after: Forecast): Moved {
  return {
    chance: { from: p_success.mean, to: after.success.mean },
    costUsd: { from: cost_usd.mean, to: after.costUsd.mean },
  };
}

function viewOf(
  { predicted, rec }: Foretold,
  facts: RunFacts,
  moved: Moved,
  documents: readonly OcpDocument[],
): JsonObject {
  const { p_success, cost_usd } = predicted;
  const outcome = outcomeOfRun(facts);
  const score = scoreOf(predicted, outcome);
  return {
    rec,
    predicted: {
      chance: p_success.hi - p_success.lo < KNOWN_WIDTH ? p_success.mean : null,
      cost_usd: { mean: cost_usd.mean, lo: cost_usd.lo, hi: cost_usd.hi, level: 0.8, range_kind: "belief" },
    },
    actual: { accepted: outcome.isAccepted ?? null, cost_usd: outcome.costUsd ?? null },
    cost_in_interval: score.isCostInside ?? null,
    log_score: score.logScore ?? null,
    moved: { chance: { ...moved.chance }, cost_usd: { ...moved.costUsd } },
    so_far: soFar(documents),
  };
}

/** How the receipts at hand held. */
function soFar(documents: readonly OcpDocument[]): JsonObject {
  const receipts = documents.flatMap((document) => receiptIn(document) ?? []);
  const costs = receipts.flatMap(({ before, after }) => {
    const usd = after?.cost_usd ?? undefined;
    return usd === undefined ? [] : [{ ...before.predicted.cost_usd, usd }];
  });
  return {
    receipts: receipts.filter(({ after }) => after !== undefined).length,
    costs: costs.length,
    costs_inside: costs.filter(({ lo, hi, usd }) => lo <= usd && usd <= hi).length,
  };
}
