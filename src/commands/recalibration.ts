import type { OcpDocument } from "../formats/ocp/index.ts";
import { receiptIn, type StoredReceipt } from "../formats/recommendation/read-receipt.ts";
import { type Foreseen, type Recalibration, recalibrationOf } from "../plan/recalibrate.ts";
import { type CostRecalibration, costRecalibrationOf, type ForeseenCost } from "../plan/recalibrate-cost.ts";

/** How chances are corrected by the receipts of these runs. */
export function recalibrationBy(documents: readonly OcpDocument[]): Recalibration | undefined {
  const seen = receiptsInOrder(documents).flatMap(({ before, after }): readonly Foreseen[] => {
    const z = after?.z ?? null;
    const { mean, uncorrected } = before.predicted.p_success;
    return z === null ? [] : [{ prob: uncorrected ?? mean, isAccepted: z === 1 }];
  });
  return recalibrationOf(seen);
}

/** How ranges of a run's cost are. What is not known is not counted. */
export function costRecalibrationBy(documents: readonly OcpDocument[]): CostRecalibration | undefined {
  const seen = receiptsInOrder(documents).flatMap(({ before, after }): readonly ForeseenCost[] => {
    const usd = after?.cost_usd ?? null;
    const { quantiles, uncorrected } = before.predicted.cost_usd;
    return usd === null ? [] : [{ quantiles: uncorrected ?? quantiles, usd }];
  });
  return costRecalibrationOf(seen);
}

function receiptsInOrder(documents: readonly OcpDocument[]): readonly StoredReceipt[] {
  return documents
    .flatMap((document) => {
      const receipt = receiptIn(document);
      const atMs = Date.parse(document.run.ended_at ?? "");
      return receipt === undefined ? [] : [{ receipt, atMs: Number.isNaN(atMs) ? 0 : atMs }];
    })
    .sort((a, b) => a.atMs - b.atMs)
    .map(({ receipt }) => receipt);
}
