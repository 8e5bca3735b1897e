import type { Findings } from "./findings.ts";
import type { Loop } from "./types.ts";

export function checkMemory({ memory, providers }: Loop, findings: Findings): void {
  const { summaryProvider } = memory;
  if (summaryProvider === undefined || providers.some(({ id }) => id === summaryProvider)) return;
  const path = "execution.memory.summary_provider";
  findings.rule(path, `no provider "${summaryProvider}"`, undefined, "unknown-provider");
}

/** A breach of safety is answered by no second try. */
const NO_ANSWER_TO_A_BREACH: readonly string[] = ["retry", "revise", "fallback"];

export function checkRecovery({ recovery }: Loop, findings: Findings): void {
  for (const [failure, answer] of Object.entries(recovery)) {
    const path = `safety.recovery.${failure}`;
    if ("maxAttempts" in answer && answer.maxAttempts <= 1) {
      findings.warn(`${path}.max_attempts`, "counts the first dispatch too, so nothing is tried again");
    }
    if (failure === "safety_violation" && NO_ANSWER_TO_A_BREACH.includes(answer.action)) {
      const hint = "use stop, escalate, pause or restore_checkpoint";
      findings.rule(`${path}.action`, `a breach of safety cannot be answered by ${answer.action}`, hint);
    }
  }
}

export function checkAlerts({ alerts }: Loop, findings: Findings): void {
  const path = (index: number) => `safety.alerts[${index}]`;
  findings.unique(
    alerts.map(({ id }) => id),
    (index) => `${path(index)}.id`,
  );
  for (const [index, { metric, above, below }] of alerts.entries()) {
    if (above === undefined && below === undefined) {
      findings.rule(path(index), "needs `above` or `below`");
    }
    if (above !== undefined && below !== undefined && below >= above) {
      findings.warn(path(index), "below is not less than above, so every value alerts");
    }
    const isOutside = [above, below].some((bound) => bound !== undefined && (bound < 0 || bound > 1));
    if (metric === "validation_pass_rate" && isOutside) {
      findings.warn(path(index), "a pass rate lies between 0 and 1");
    }
  }
}

export function checkEvolution({ evolution, features, environment }: Loop, findings: Findings): void {
  if (evolution.isEnabled && features.selfEvolution && evolution.baseline === undefined) {
    findings.warn("evolution.baseline", "none, so no change can be shown to be better");
  }
  if (environment === "prod" && !evolution.requireApproval) {
    findings.rule("evolution.require_approval", "must be true in prod");
  }
}
