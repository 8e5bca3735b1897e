import { assertNever } from "../../core/result.ts";
import type { CheckVerdict, Detector } from "../types.ts";
import { type Assessed, pass, refuse } from "./types.ts";

type Threshold = Extract<Detector, { readonly type: "threshold" }>;

/**
 * A metric of a check that has run and passed here. Fails when no check produces it, when that check has no passing
 * verdict, or when it gave no such number: a missing metric is never a pass.
 */
export function assessThreshold(detector: Threshold, verdicts: readonly CheckVerdict[]): Assessed {
  if (detector.producer === undefined) {
    return {
      verdict: "uncheckable",
      problem: {
        code: "metric-without-producer",
        message: `metric has no producer: no check gives "${detector.metric}"`,
        hint: "name the check that measures it; a metrics file in the tree is never read",
      },
    };
  }
  const producer = verdicts.find((verdict) => verdict.check === detector.producer);
  if (producer?.verdict !== "pass") {
    return refuse(`"${detector.producer}", which measures ${detector.metric}, has not passed`);
  }
  const measured = producer.evidence.metrics?.[detector.metric];
  if (measured === undefined) return refuse(`"${detector.producer}" gave no number ${detector.metric}`);
  const sentence = `${detector.metric} is ${measured}, wanted ${SIGN[detector.op]} ${detector.value}`;
  return holds(detector, measured) ? pass(sentence) : refuse(sentence);
}

const SIGN = { gt: ">", gte: ">=", lt: "<", lte: "<=", eq: "=" } as const;

function holds({ op, value }: Threshold, measured: number): boolean {
  switch (op) {
    case "gt":
      return measured > value;
    case "gte":
      return measured >= value;
    case "lt":
      return measured < value;
    case "lte":
      return measured <= value;
    case "eq":
      return Math.abs(measured - value) <= Number.EPSILON * Math.max(1, Math.abs(measured), Math.abs(value));
    default:
      return assertNever(op);
  }
}
