import { checkPattern } from "./check-checks.ts";
import type { Findings } from "./map-reader.ts";
import type { Loop } from "./types.ts";

const STOP = "safety.gates.stop";

/** Rules about when a loop ends. */
export function checkStop({ stop }: Loop, findings: Findings): void {
  if (stop.maxIterations === 0) findings.rule(`${STOP}.max_iterations`, "must be at least 1");
  if (stop.maxIterations > 100) findings.warn(`${STOP}.max_iterations`, "more than 100 iterations");
  if (stop.noProgressIterations === 0) {
    findings.warn(`${STOP}.no_progress_iterations`, "0 lets a loop that gets nowhere go on");
  }
  const hasCeiling =
    stop.maxTokens !== undefined || stop.maxCostMicroUsd !== undefined || stop.maxWallClockMs !== undefined;
  if (!hasCeiling) {
    findings.warn(STOP, "no ceiling on tokens, cost or time", "set max_cost_usd or max_wall_clock_seconds");
  }
}

/** Rules about who does the work. */
export function checkProviders(loop: Loop, findings: Findings): void {
  const { providers, cascade } = loop;
  const path = (index: number) => `execution.providers.providers[${index}]`;
  findings.unique(
    providers.map(({ id }) => id),
    (index) => `${path(index)}.id`,
  );
  for (const [index, provider] of providers.entries()) {
    if (provider.id.trim() === "") findings.rule(`${path(index)}.id`, "must not be blank");
    if (provider.command.trim() === "") findings.rule(`${path(index)}.command`, "must not be blank");
    if (provider.usageRegex !== undefined) {
      checkPattern(provider.usageRegex, `${path(index)}.usage_regex`, findings);
    }
  }
  for (const [tier, ids] of Object.entries(cascade)) {
    for (const [at, id] of ids.entries()) {
      if (providers.some((provider) => provider.id === id)) continue;
      findings.error("unknown-provider", `execution.providers.cascade.${tier}[${at}]`, `no provider "${id}"`);
    }
  }
  if (providers.length === 0) findings.warn("execution.providers", "no provider is named");
  else if (loop.enforceJudgeIndependence && new Set(providers.map(({ id }) => id)).size < 2) {
    findings.warn("execution.providers", "with one provider no judge is independent of the builder");
  }
}

/** Rules about questions to a person. */
export function checkGates({ approvals }: Loop, findings: Findings): void {
  const path = (index: number) => `safety.gates.approval[${index}]`;
  findings.unique(
    approvals.map(({ id }) => id),
    (index) => `${path(index)}.id`,
  );
  for (const [index, { id, onFail }] of approvals.entries()) {
    if (id.trim() === "") findings.rule(`${path(index)}.id`, "must not be blank");
    if (onFail === "rollback") {
      findings.warn(
        `${path(index)}.on_fail`,
        "nothing has happened yet that could be rolled back; the run stops",
      );
    }
  }
}
