import type { FailureClass, Loop, RecoveryAction } from "../formats/loop/index.ts";
import type { Limits, Retries, SessionSpec, SettableOutcome } from "../run/spec.ts";

type Outcomes = NonNullable<SessionSpec["outcomes"]>;

/** How often and after what delay a failed call is tried again. */
export function retriesOf({ recovery }: Loop): Partial<Limits> {
  const { count, baseMs, backoff } = retriesFrom(recovery.transient_error);
  const tool = retriesFrom(recovery.tool_unavailable);
  return {
    transientRetries: count,
    ...(count > 0 && { retryBaseMs: baseMs }),
    ...(backoff !== undefined && { retryBackoff: backoff }),
    ...(tool.count > 0 && { toolRetries: tool }),
  };
}

function retriesFrom(answer: RecoveryAction): Retries {
  switch (answer.action) {
    case "retry":
      return {
        count: Math.max(0, answer.maxAttempts - 1),
        baseMs: answer.baseDelayMs,
        ...(answer.backoff !== "exponential" && { backoff: answer.backoff }),
      };
    case "revise":
      return { count: Math.max(0, answer.maxAttempts - 1), baseMs: 0 };
    case "fallback":
    case "escalate":
    case "pause":
    case "restore_checkpoint":
    case "stop":
      return { count: 0, baseMs: 0 };
  }
}

/** How often a judge is asked whose words do not count, or that another is asked then. */
export function answersOf({ recovery: { invalid_output: answer } }: Loop): Partial<Limits> {
  if (answer.action === "fallback") return { answerFallback: true };
  return "maxAttempts" in answer ? { answerAttempts: Math.max(1, answer.maxAttempts) } : {};
}

/**
 * What becomes of a session that reaches a ceiling, wears its pieces out, or oversteps; and that meets a failure which
 * the file wants it to end for.
 */
export function outcomesOf({ recovery }: Loop): Outcomes {
  const transient = outcomeOf(recovery.transient_error);
  const tool = outcomeOf(recovery.tool_unavailable);
  const invalid = outcomeOf(recovery.invalid_output);
  return {
    ceiling: outcomeOf(recovery.resource_exhaustion) ?? "paused",
    spent: outcomeOf(recovery.repeated_failure) ?? "escalated",
    forbidden: outcomeOf(recovery.safety_violation) ?? "failed",
    ...(transient !== undefined && { transient }),
    ...(tool !== undefined && { tool }),
    ...(invalid !== undefined && { invalid }),
  };
}

function outcomeOf({ action }: RecoveryAction): SettableOutcome | undefined {
  switch (action) {
    case "pause":
      return "paused";
    case "escalate":
      return "escalated";
    case "stop":
      return "failed";
    case "restore_checkpoint":
      return "rolled_back";
    case "retry":
    case "revise":
    case "fallback":
      return undefined;
  }
}

const ENDS = ["escalate", "pause", "stop", "restore_checkpoint"] as const;

/** What the engine can do about each class of failure. */
const ANSWERS: Readonly<Record<FailureClass, readonly RecoveryAction["action"][]>> = {
  transient_error: ["retry", "revise", "fallback", ...ENDS],
  invalid_output: ["revise", "retry", "fallback", ...ENDS],
  tool_unavailable: ["retry", "revise", "fallback", ...ENDS],
  repeated_failure: ENDS,
  safety_violation: ENDS,
  resource_exhaustion: ENDS,
  corrupted_state: ["restore_checkpoint"],
};

/** Classes whose answer in the file is one that the engine does not give. */
export function unansweredFailures({ recovery }: Loop): readonly FailureClass[] {
  return (Object.keys(ANSWERS) as FailureClass[]).filter(
    (failure) => !ANSWERS[failure].includes(recovery[failure].action),
  );
}
