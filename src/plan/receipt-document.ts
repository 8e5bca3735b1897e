import type { Json, JsonObject } from "../core/canonical-json.ts";
import type { OcpDocument } from "../formats/ocp/index.ts";
import type { StoredPrediction } from "../formats/recommendation/read-stored.ts";
import { RECEIPT_EXT } from "../formats/recommendation/receipt-ext.ts";
import { type Outcome, type Score, scoreOf } from "./receipt.ts";

export interface Before {
  /** The recommendation that it comes from; null where the run followed none. */
  readonly rec: string | null;
  readonly fit: string;
  readonly madeAt: string;
  readonly gainUsd?: number | null;
  readonly priceUsd?: number | null;
  readonly paybackRuns?: number | null;
}

/** The first half of a receipt: what was foretold. */
export function beforeDocument(predicted: StoredPrediction | JsonObject, before: Before): JsonObject {
  const { rec, fit, madeAt, gainUsd = null, priceUsd = null, paybackRuns = null } = before;
  return {
    rec,
    fit,
    predicted: JSON.parse(JSON.stringify(predicted)) as Json,
    gain_per_run: gainUsd === null ? null : { usd: gainUsd },
    price_usd: priceUsd,
    payback_runs: paybackRuns,
    made_at: madeAt,
  };
}

export interface Moved {
  readonly chance: { readonly from: number; readonly to: number };
  readonly costUsd: { readonly from: number; readonly to: number };
}

export interface After {
  readonly outcome: Outcome;
  readonly finishedAt: string;
  readonly reasons: readonly string[];
  readonly tier: string;
  readonly signals: readonly string[];
  /** The fit that has learned from the run, and how its belief about this way of working moved. */
  readonly fit: string;
  readonly moved: Moved;
}

/** The second half: what came, how the forecast held, and what it taught. */
export function afterDocument(
  predicted: StoredPrediction,
  { outcome, finishedAt, reasons, tier, signals, fit, moved }: After,
): JsonObject {
  const { costUsd, tokens, isAccepted, reliability, rounds } = outcome;
  return {
    after: {
      cost_usd: costUsd ?? null,
      tokens: tokens ?? null,
      z: isAccepted === undefined ? null : isAccepted ? 1 : 0,
      q: isAccepted === undefined ? null : reliability,
      tier,
      reasons: [...reasons],
      rounds,
      signals: [...signals],
      finished_at: finishedAt,
      fit_after: fit,
      moved: { p_success: { ...moved.chance }, cost_usd: { ...moved.costUsd } },
    },
    scored: scoredDocument(scoreOf(predicted, outcome)),
  };
}

export function scoredDocument(score: Score): JsonObject {
  return {
    cost_in_interval: score.isCostInside ?? null,
    tokens_in_interval: score.isTokensInside ?? null,
    surprise: score.surprise ?? null,
    cost_share: score.costShare ?? null,
    log_score_z: score.logScore ?? null,
  };
}

/** The document with a receipt in place of the one it had. */
export function withReceipt(document: OcpDocument, receipt: JsonObject): OcpDocument {
  const ext = { ...document.run.ext, [RECEIPT_EXT]: receipt };
  return { ...document, run: { ...document.run, ext } };
}
