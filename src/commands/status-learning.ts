import type { JsonObject } from "../core/canonical-json.ts";
import { ok, type Result } from "../core/result.ts";
import { calibrationOf, type Held } from "../plan/receipts.ts";
import type { Store } from "../ports/store.ts";
import type { SessionState } from "../run/state.ts";
import { budgetPace } from "./budget.ts";
import { latestReceipts } from "./forecast-finding.ts";
import { CHOICE_EXT } from "./keep-recommendation.ts";
import { experimentUnderWay } from "./open-experiment.ts";
import type { CommandContext } from "./types.ts";

/** What is being learned: by this run, by experiments, at which pace; and how what was learned held so far. */
export async function learningStanding(
  context: CommandContext,
  store: Store | undefined,
  state: SessionState | undefined,
): Promise<Result<JsonObject>> {
  const totals = await store?.runTotals({ state: "finished" });
  if (totals?.ok === false) return totals;
  const receipts = await latestReceipts(context);
  if (!receipts.ok) return receipts;
  const rows = await store?.runs({ state: "finished", source: "exploration", limit: 500 });
  if (rows?.ok === false) return rows;
  const budget = await budgetPace(context, store);
  if (!budget.ok) return budget;
  const { success, cost } = calibrationOf(receipts.value);
  return ok({
    finished_runs: totals?.value.runs ?? 0,
    follows: followsOf(state?.spec.followed),
    forecasts: {
      runs: receipts.value.length,
      costs: cost.scored,
      costs_inside: cost.inside,
      chances: success.scored,
      held: heldOf([cost.held, success.held]),
    },
    experiment: experimentUnderWay(rows?.value ?? []) ?? null,
    budget: budget.value,
  });
}

/** Null while there are too few of both to say. */
function heldOf(both: readonly Held[]): "yes" | "no" | null {
  if (both.includes("failed")) return "no";
  return both.includes("held") ? "yes" : null;
}

function followsOf(followed: SessionState["spec"]["followed"]): JsonObject | null {
  if (followed === undefined) return null;
  const { key } = Object(followed.ext[CHOICE_EXT]);
  return {
    rec: followed.recommendation,
    choice: typeof key === "string" ? key : null,
    source: followed.pick,
  };
}
