import { addCost, type CostSum, NO_COST } from "../core/money.ts";
import type { OcpDocument } from "../formats/ocp/index.ts";

const JUDGE_COST_EXT = "dev.loopwright.judge_cost";

/** What asking judges about a run cost. It was spent, and it is no attempt of the run's way of working. */
export function judgeCost({ run }: OcpDocument): CostSum {
  const { usd, unknown_parts: unknown = 0 } = Object(run.ext?.[JUDGE_COST_EXT]);
  const known =
    typeof usd === "number"
      ? addCost(NO_COST, { kind: "known", microUsd: Math.round(usd * 1e6), basis: "measured" })
      : NO_COST;
  return { ...known, unknownParts: Number(unknown) };
}

/** The document with a further such cost. Of a comparison one member carries it, so that it is counted once. */
export function withJudgeCost(document: OcpDocument, spend: CostSum): OcpDocument {
  const before = judgeCost(document);
  const isKnown = before.basis !== undefined || spend.basis !== undefined;
  const cost = {
    ...(isKnown && { usd: (before.microUsd + spend.microUsd) / 1e6 }),
    unknown_parts: before.unknownParts + spend.unknownParts,
  };
  return { ...document, run: { ...document.run, ext: { ...document.run.ext, [JUDGE_COST_EXT]: cost } } };
}
