import { ok, type Result } from "../core/result.ts";
import type { OcpDocument } from "../formats/ocp/index.ts";
import { receiptIn } from "../formats/recommendation/read-receipt.ts";
import { calibrationOf, type Foretold, type Held, receiptsOf } from "../plan/receipts.ts";
import { ExitCode } from "./exit-codes.ts";
import { readFlags } from "./flag-values.ts";
import { learn } from "./learned.ts";
import type { CommandContext, CommandInput, CommandOutput } from "./types.ts";

export async function runReport(
  context: CommandContext,
  input: CommandInput,
): Promise<Result<CommandOutput>> {
  const flags = readFlags(input);
  const priorFile = flags.text("prior");
  const learned = await learn(context, {
    isWithoutPrior: flags.is("noPrior"),
    ...(priorFile !== undefined && { priorFile }),
  });
  if (!learned.ok) return learned;
  const { belief, rows, prior } = learned.value;
  const startedAt = new Map(rows.map((row) => [row.run, row.startedAt] as const));
  const order = [...belief.runs].sort((a, b) => {
    const [left, right] = [Date.parse(startedAt.get(a.id) ?? ""), Date.parse(startedAt.get(b.id) ?? "")];
    return left - right || (a.id < b.id ? -1 : 1);
  });
  const foretold = foretoldOf(learned.value.documents);
  const { success, cost } = calibrationOf(receiptsOf(order, prior, foretold));
  return ok({
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.report/1",
      ok: true,
      runs: order.length,
      foretold: foretold.size,
      success: {
        scored: success.scored,
        mean_log_score: success.logScore ?? null,
        base_rate_log_score: success.baseRateLogScore ?? null,
        brier: success.brier ?? null,
        calibrated: heldWord(success.held),
        bins: success.bins.map((bin) => ({ ...bin, to: bin.from + 0.2 })),
      },
      cost: {
        scored: cost.scored,
        level: 0.8,
        inside: cost.inside,
        coverage: cost.coverage?.mean ?? null,
        coverage_lo: cost.coverage?.lo ?? null,
        coverage_hi: cost.coverage?.hi ?? null,
        calibrated: heldWord(cost.held),
        predicted_mean_usd: cost.predictedMeanUsd ?? null,
        realized_mean_usd: cost.realizedMeanUsd ?? null,
      },
    },
  });
}

/** Runs that were foretold at their time, by the receipts that they carry. */
function foretoldOf(documents: readonly OcpDocument[]): ReadonlyMap<string, Foretold> {
  return new Map(
    documents.flatMap((document) => {
      const predicted = receiptIn(document)?.before.predicted;
      if (predicted === undefined) return [];
      const { p_success, cost_usd } = predicted;
      const { mean, lo, hi } = cost_usd;
      return [[document.run.id, { successProb: p_success.mean, costUsd: { mean, lo, hi } }] as const];
    }),
  );
}

function heldWord(held: Held): string | null {
  return held === "too-few" ? null : held === "held" ? "yes" : "no";
}
