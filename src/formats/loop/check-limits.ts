import { checkDetector } from "./check-checks.ts";
import type { Findings } from "./findings.ts";
import type { LoopPaths } from "./grammar.ts";
import type { Loop } from "./types.ts";

const STOP = "safety.gates.stop";

/** Rules about when a loop ends. */
export function checkStop({ stop }: Loop, findings: Findings): void {
  if (stop.maxIterations === 0) findings.rule(`${STOP}.max_iterations`, "must be at least 1");
  if (stop.maxIterations > 100) findings.warn(`${STOP}.max_iterations`, "more than 100 iterations");
  if (stop.noProgressIterations === 0) {
    findings.warn(`${STOP}.no_progress_iterations`, "0 lets a loop that gets nowhere go on");
  }
  checkPerturbation({ stop }, findings);
  const hasCeiling =
    stop.maxTokens !== undefined || stop.maxCostMicroUsd !== undefined || stop.maxWallClockMs !== undefined;
  if (!hasCeiling) {
    findings.warn(STOP, "no ceiling on tokens, cost or time", "set max_cost_usd or max_wall_clock_seconds");
  }
}

function checkPerturbation({ stop }: Pick<Loop, "stop">, findings: Findings): void {
  const path = `${STOP}.no_progress_iterations_randomness`;
  const after = stop.perturbAfterIterations;
  if (after === undefined) return;
  if (after === 0) findings.rule(path, "must be at least 1");
  else if (stop.noProgressIterations === 0) {
    findings.rule(path, "needs no_progress_iterations, which is 0");
  } else if (after >= stop.noProgressIterations) {
    const message = `the loop stops after ${stop.noProgressIterations} iterations without progress, so ${after} is never reached`;
    findings.rule(path, message, `use less than ${stop.noProgressIterations}`);
  }
}

/** Rules about what must hold before, and what is asked of a person. */
export function checkGates(loop: Loop, findings: Findings): void {
  const { entries, approvals, rollbacks, features, environment } = loop;
  const lists = [
    ["entry", entries],
    ["approval", approvals],
    ["rollback", rollbacks],
  ] as const;
  for (const [kind, rules] of lists) {
    const path = (index: number) => `safety.gates.${kind}[${index}]`;
    findings.unique(
      rules.map(({ id }) => id),
      (index) => `${path(index)}.id`,
    );
    for (const [index, { detector, onFail }] of rules.entries()) {
      if (detector !== undefined) {
        checkDetector(detector, loop.checks, `${path(index)}.detector`, findings);
      }
      if (kind === "rollback" || onFail !== "rollback") continue;
      const message = "nothing has happened yet that could be rolled back; the run stops";
      findings.warn(`${path(index)}.on_fail`, message);
    }
  }
  if (approvals.length === 0 || features.humanApproval) return;
  const message = "approval rules that features.human_approval switches off";
  if (environment === "prod") findings.rule("safety.gates.approval", message);
  else findings.warn("safety.gates.approval", message);
}

export function checkLimits(
  { pieces, pieceLimits }: Loop,
  { pieceLimitsPath }: LoopPaths,
  findings: Findings,
): void {
  for (const id of pieceLimits.keys()) {
    if (pieces.some((piece) => piece.id === id)) continue;
    findings.rule(`${pieceLimitsPath}.${id}`, `no piece "${id}"`, undefined, "unknown-piece");
  }
}
