import type { GateResult } from "../verify/types.ts";
import type { RecordedEvaluation } from "./session-record.ts";

/**
 * A gate's result as the record has it. Without a single no, what could not be checked makes it uncheckable.
 */
export function recordedEvaluation(
  result: GateResult,
  where: Pick<RecordedEvaluation, "gate" | "round" | "startedAt" | "at" | "threat">,
): RecordedEvaluation {
  const blocking = result.checks.filter((check) => check.blocking);
  const isUncheckable =
    blocking.some(({ verdict }) => verdict === "uncheckable") &&
    blocking.every(({ verdict }) => verdict !== "fail");
  return {
    ...where,
    verdict: result.satisfied ? "pass" : isUncheckable ? "uncheckable" : "fail",
    tree: result.tree,
    level: result.level,
    checks: result.checks.map(({ check, blocking: isBlocking, verdict, evidence }) => ({
      name: check,
      blocking: isBlocking,
      verdict,
      ...(evidence?.exitCode !== undefined && { exitCode: evidence.exitCode }),
      isTestRun: evidence?.tests !== undefined,
    })),
  };
}
