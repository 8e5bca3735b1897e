import * as v from "valibot";
import { fail, ok, type Result } from "../../core/result.ts";
import type { OcpConfiguration, OcpTask } from "../ocp/index.ts";
import type { AcceptanceRule } from "../rule/index.ts";

const INTERVAL = v.looseObject({ mean: v.number(), lo: v.number(), hi: v.number() });
const QUANTILES = v.record(v.string(), v.number());
const AMOUNT = v.looseObject({
  ...INTERVAL.entries,
  quantiles: QUANTILES,
  uncorrected: v.optional(QUANTILES),
});
export const PREDICTED = v.looseObject({
  p_success: v.looseObject({ ...INTERVAL.entries, uncorrected: v.optional(v.number()) }),
  cost_usd: AMOUNT,
  tokens: AMOUNT,
  rounds: v.looseObject({ mean: v.number() }),
});
export type StoredPrediction = v.InferOutput<typeof PREDICTED>;

/** A prediction of our own making in the form in which it is kept. */
export function readPredicted(document: unknown): StoredPrediction {
  return v.parse(PREDICTED, document);
}

const OPTION = v.looseObject({
  option: v.number(),
  key: v.string(),
  propensity: v.nullable(v.number()),
  members: v.array(
    v.looseObject({
      config: v.string(),
      name: v.string(),
      source: v.picklist(["usual", "alternative", "exploration"]),
      predicted: PREDICTED,
    }),
  ),
  gain_per_run_usd: v.nullable(v.number()),
  price_usd: v.nullable(v.number()),
  payback_runs: v.nullable(v.number()),
});

/** Was a part of a valid document when it was written; the document that it goes into is checked as a whole. */
function part<T extends object>(): v.GenericSchema<T> {
  return v.custom<T>((value) => typeof value === "object" && value !== null);
}
const STORED = v.looseObject({
  rec: v.string(),
  created_at: v.string(),
  task: part<OcpTask>(),
  rule: part<AcceptanceRule>(),
  fit: v.looseObject({ id: v.string(), runs: v.number() }),
  options: v.array(OPTION),
  configurations: v.record(v.string(), part<OcpConfiguration>()),
});

export type StoredOption = v.InferOutput<typeof OPTION>;
export type StoredRecommendation = v.InferOutput<typeof STORED>;

/** A recommendation as it was kept; `store-damaged` when it is not what we once wrote. */
export function readStored(text: string): Result<StoredRecommendation> {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), STORED), text);
  return parsed.success ? ok(parsed.output) : fail("store-damaged", "a kept recommendation cannot be read");
}
