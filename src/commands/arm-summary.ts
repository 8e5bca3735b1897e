import { betaQuantile } from "../learn/kernels/beta.ts";
import type { ArmRun } from "../verify/experiments/index.ts";

/** What the runs of one arm came to by themselves. Null: not known. */
export interface ArmSummary {
  readonly arm: string;
  readonly runs: number;
  /** Runs with a verdict. */
  readonly judged: number;
  readonly accepted: number;
  /** With its 80 % interval (Clopper and Pearson, 1934). */
  readonly acceptance: { readonly mean: number; readonly lo: number; readonly hi: number } | null;
  readonly mean_cost_usd: number | null;
  /** Of the runs with a verdict; null while one of them has no price. */
  readonly cost_per_accepted_usd: number | null;
}

export function armSummary(runs: readonly ArmRun[], arm: string): ArmSummary {
  const judged = runs.filter(({ isAccepted }) => isAccepted !== undefined);
  const accepted = judged.filter(({ isAccepted }) => isAccepted === true).length;
  const [all, spent] = [sumOf(runs), sumOf(judged)];
  return {
    arm,
    runs: runs.length,
    judged: judged.length,
    accepted,
    acceptance: judged.length === 0 ? null : shareOf(accepted, judged.length),
    mean_cost_usd: all === undefined || runs.length === 0 ? null : all / runs.length,
    cost_per_accepted_usd: spent === undefined || accepted === 0 ? null : spent / accepted,
  };
}

/** Unknown when a part is. */
function sumOf(runs: readonly ArmRun[]): number | undefined {
  return runs.reduce<number | undefined>(
    (sum, { costUsd }) => (sum === undefined || costUsd === undefined ? undefined : sum + costUsd),
    0,
  );
}

function shareOf(accepted: number, runs: number): NonNullable<ArmSummary["acceptance"]> {
  const missed = runs - accepted;
  return {
    mean: accepted / runs,
    lo: accepted === 0 ? 0 : betaQuantile(0.1, accepted, missed + 1),
    hi: missed === 0 ? 1 : betaQuantile(0.9, accepted + 1, missed),
  };
}
