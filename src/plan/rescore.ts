import type { JsonObject } from "../core/canonical-json.ts";
import type { OcpDocument, OutcomeTier } from "../formats/ocp/index.ts";
import { receiptIn } from "../formats/recommendation/read-receipt.ts";
import { readRun } from "../learn/index.ts";
import { outcomeOfRun, scoreOf } from "./receipt.ts";
import { scoredDocument, withReceipt } from "./receipt-document.ts";

export interface Judgement {
  readonly z: 0 | 1 | null;
  readonly tier: OutcomeTier;
  readonly reasons: readonly string[];
}

/**
 * The document with its receipt scored by what is said of the run now; what it said before is kept. The same document
 * when it has no receipt, or when nothing is said anew. What the run cost does not change with its verdict.
 */
export function rescored(document: OcpDocument, judged: Judgement, at: string): OcpDocument {
  const receipt = receiptIn(document);
  const after = receipt?.after;
  if (receipt === undefined || after === undefined) return document;
  const outcome = outcomeOfRun(readRun({ document, ...judged }, Date.parse(at)));
  const z = judged.z;
  const q = z === null ? null : outcome.reliability;
  if (after.z === z && after.q === q) return document;
  const was = {
    at,
    before: { z: after.z, q: after.q, tier: after["tier"] ?? null },
    reasons: [...judged.reasons],
  };
  const earlier = Array.isArray(receipt["rescored"]) ? receipt["rescored"] : [];
  const signals = (document.run.signals ?? []).map(({ id }) => id);
  const next = {
    ...receipt,
    after: { ...after, z, q, tier: judged.tier, reasons: [...judged.reasons], signals },
    scored: scoredDocument(scoreOf(receipt.before.predicted, outcome)),
    rescored: [...earlier, was],
  };
  return withReceipt(document, plain(next));
}

function plain(receipt: object): JsonObject {
  return JSON.parse(JSON.stringify(receipt));
}
