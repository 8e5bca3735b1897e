import type { OcpDocument } from "../formats/ocp/index.ts";
import { receiptIn } from "../formats/recommendation/read-receipt.ts";
import { type Foreseen, type Recalibration, recalibrationOf } from "../plan/recalibrate.ts";

/** How chances are corrected by the receipts of these runs. */
export function recalibrationBy(documents: readonly OcpDocument[]): Recalibration | undefined {
  const seen = documents.flatMap((document): readonly (Foreseen & { readonly atMs: number })[] => {
    const receipt = receiptIn(document);
    const z = receipt?.after?.z ?? null;
    if (receipt === undefined || z === null) return [];
    const { mean, uncorrected } = receipt.before.predicted.p_success;
    const atMs = Date.parse(document.run.ended_at ?? "");
    return [{ prob: uncorrected ?? mean, isAccepted: z === 1, atMs: Number.isNaN(atMs) ? 0 : atMs }];
  });
  return recalibrationOf(seen.sort((a, b) => a.atMs - b.atMs));
}
