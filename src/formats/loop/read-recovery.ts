import { SECOND_MS } from "../../core/time.ts";
import type { Fields } from "./fields.ts";
import type { FailureClass, LoopRecovery, RecoveryAction } from "./policy-types.ts";

/** What is done about a failure that the file says nothing about. */
const DEFAULTS: Readonly<Record<FailureClass, RecoveryAction["action"]>> = {
  transient_error: "retry",
  invalid_output: "revise",
  tool_unavailable: "fallback",
  repeated_failure: "escalate",
  safety_violation: "stop",
  resource_exhaustion: "pause",
  corrupted_state: "restore_checkpoint",
};

/** A repeat of unusable words is dearer than one of a failed call: fewer tries unless the file says otherwise. */
const INVALID_OUTPUT_ATTEMPTS = 2;
const ATTEMPTS = 3;

export function readRecovery(fields: Fields): LoopRecovery {
  const answer = (failure: FailureClass): RecoveryAction => {
    const attempts =
      failure === "invalid_output" && !fields.has(failure) ? INVALID_OUTPUT_ATTEMPTS : ATTEMPTS;
    return fields.map(failure, (action) => readAction(action, DEFAULTS[failure], attempts));
  };
  return {
    transient_error: answer("transient_error"),
    invalid_output: answer("invalid_output"),
    tool_unavailable: answer("tool_unavailable"),
    repeated_failure: answer("repeated_failure"),
    safety_violation: answer("safety_violation"),
    resource_exhaustion: answer("resource_exhaustion"),
    corrupted_state: answer("corrupted_state"),
  };
}

function readAction(fields: Fields, fallback: RecoveryAction["action"], attempts: number): RecoveryAction {
  return fields.variant<RecoveryAction["action"], RecoveryAction>(
    "action",
    {
      retry: (retry) => ({
        action: "retry",
        maxAttempts: retry.whole("max_attempts", attempts),
        baseDelayMs: retry.number("base_delay_seconds", 2, { atLeast: 0 }) * SECOND_MS,
        backoff: retry.word("backoff", ["fixed", "linear", "exponential"], "exponential"),
      }),
      revise: (revise) => ({ action: "revise", maxAttempts: revise.whole("max_attempts", attempts) }),
      fallback: () => ({ action: "fallback" }),
      escalate: () => ({ action: "escalate" }),
      pause: () => ({ action: "pause" }),
      restore_checkpoint: () => ({ action: "restore_checkpoint" }),
      stop: () => ({ action: "stop" }),
    },
    fallback,
  );
}
