import * as v from "valibot";
import type { OcpDocument } from "../ocp/index.ts";
import { PREDICTED } from "./read-stored.ts";
import { RECEIPT_EXT } from "./receipt-ext.ts";

const BEFORE = v.looseObject({
  rec: v.nullable(v.string()),
  fit: v.string(),
  made_at: v.string(),
  predicted: PREDICTED,
});
const AFTER = v.looseObject({
  cost_usd: v.nullable(v.number()),
  z: v.nullable(v.number()),
  q: v.nullable(v.number()),
});
const RECEIPT = v.looseObject({ before: BEFORE, after: v.optional(AFTER) });
export type StoredReceipt = v.InferOutput<typeof RECEIPT>;

/** The receipt that a run document carries; undefined when there is none, or one of another make. */
export function receiptIn({ run }: OcpDocument): StoredReceipt | undefined {
  const parsed = v.safeParse(RECEIPT, run.ext?.[RECEIPT_EXT]);
  return parsed.success ? parsed.output : undefined;
}
