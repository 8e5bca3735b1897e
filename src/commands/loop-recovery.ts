import type { FailureClass, Loop, RecoveryAction } from "../formats/loop/index.ts";
import type { Limits, SessionSpec, SettableOutcome } from "../run/spec.ts";

type Outcomes = NonNullable<SessionSpec["outcomes"]>;

/** How often and after what delay a failed call is tried again. */
export function retriesOf({ recovery }: Loop): Partial<Limits> {
  const answer = recovery.transient_error;
  switch (answer.action) {
    case "retry":
      return {
        transientRetries: Math.max(0, answer.maxAttempts - 1),
        retryBaseMs: answer.baseDelayMs,
        ...(answer.backoff !== "exponential" && { retryBackoff: answer.backoff }),
      };
    case "revise":
      return { transientRetries: Math.max(0, answer.maxAttempts - 1), retryBaseMs: 0 };
    case "fallback":
      return { transientRetries: 0 };
    case "escalate":
    case "pause":
    case "restore_checkpoint":
    case "stop":
      return {};
  }
}

/** How often a judge is asked whose words do not count. */
export function answersOf({ recovery: { invalid_output: answer } }: Loop): Partial<Limits> {
  return answer.action === "revise" ? { answerAttempts: Math.max(1, answer.maxAttempts) } : {};
}

/** What becomes of a session that reaches a ceiling, wears its pieces out, or oversteps. */
export function outcomesOf({ recovery }: Loop): Outcomes {
  return {
    ceiling: outcomeOf(recovery.resource_exhaustion, "paused"),
    spent: outcomeOf(recovery.repeated_failure, "escalated"),
    forbidden: outcomeOf(recovery.safety_violation, "failed"),
  };
}

function outcomeOf({ action }: RecoveryAction, otherwise: SettableOutcome): SettableOutcome {
  switch (action) {
    case "pause":
      return "paused";
    case "escalate":
      return "escalated";
    case "stop":
      return "failed";
    case "retry":
    case "revise":
    case "fallback":
    case "restore_checkpoint":
      return otherwise;
  }
}

/** What the engine can do about each class of failure. */
const ANSWERS: Readonly<Record<FailureClass, readonly RecoveryAction["action"][]>> = {
  transient_error: ["retry", "revise", "fallback"],
  invalid_output: ["revise"],
  tool_unavailable: ["fallback"],
  repeated_failure: ["escalate", "pause", "stop"],
  safety_violation: ["escalate", "pause", "stop"],
  resource_exhaustion: ["escalate", "pause", "stop"],
  corrupted_state: ["restore_checkpoint"],
};

/** Classes whose answer in the file is one that the engine does not give. */
export function unansweredFailures({ recovery }: Loop): readonly FailureClass[] {
  return (Object.keys(ANSWERS) as FailureClass[]).filter(
    (failure) => !ANSWERS[failure].includes(recovery[failure].action),
  );
}
