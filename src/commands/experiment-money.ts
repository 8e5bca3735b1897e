import { fail, ok, type Result } from "../core/result.ts";
import type { RunRow, Store } from "../ports/store.ts";
import type { PlannedPair } from "./experiment-standing.ts";

/** What a test has spent, and what that leaves of its budget. */
export interface Spent {
  readonly leftMicroUsd: number | undefined;
  /** Another pair at the mean cost of those before would exceed the budget. */
  readonly isShort: boolean;
}

/** Problem `unknown-cost`: with a budget every run must say what it cost; the message names those that do not. */
export async function ledger(
  store: Pick<Store, "runs">,
  plan: readonly PlannedPair[],
  budgetMicroUsd: number | undefined,
): Promise<Result<Spent>> {
  if (budgetMicroUsd === undefined) return ok({ leftMicroUsd: undefined, isShort: false });
  const runs: RunRow[] = [];
  let whole = 0;
  for (const { slate } of plan) {
    const rows = await store.runs({ slate });
    if (!rows.ok) return rows;
    if (rows.value.length === 0) continue;
    runs.push(...rows.value);
    if (rows.value.length > 1) whole += 1;
  }
  const unpriced = runs.filter(({ unknownCosts }) => unknownCosts > 0).map(({ run }) => run);
  if (unpriced.length > 0) {
    return fail("unknown-cost", `a budget needs every cost, and that of ${unpriced.join(", ")} is unknown`, {
      hint: "leave --budget out: then outcomes decide and the cost reads unknown",
    });
  }
  const spent = runs.reduce((sum, { costMicroUsd }) => sum + costMicroUsd, 0);
  return ok(afterSpending(budgetMicroUsd, spent, whole));
}

/** Pure part of `ledger`. A budget of nothing buys no pair. */
export function afterSpending(budgetMicroUsd: number, spentMicroUsd: number, pairs: number): Spent {
  const leftMicroUsd = Math.max(0, budgetMicroUsd - spentMicroUsd);
  const expected = pairs === 0 ? 0 : spentMicroUsd / pairs;
  return { leftMicroUsd, isShort: leftMicroUsd <= 0 || expected > leftMicroUsd };
}
