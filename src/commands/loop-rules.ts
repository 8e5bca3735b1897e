import type { Loop, LoopCheck, LoopRule } from "../formats/loop/index.ts";
import { CHECK_TIMEOUT_MS } from "../run/defaults.ts";
import type { ApprovalRule, SessionRule } from "../run/spec.ts";
import type { StartRequest } from "../run/start.ts";
import type { Check } from "../verify/types.ts";

/** Entry rules as what is looked at before anything runs. A loop that stops can be resumed, whatever word stops it. */
export function entryOf({ entries }: Loop): StartRequest["entry"] {
  if (entries.length === 0) return undefined;
  return {
    checks: entries.flatMap((rule) => ruleCheck(rule.id, rule, true)),
    rules: entries.map((rule) => ({
      check: rule.id,
      statement: rule.statement,
      onFail: rule.onFail === "warn" ? "warn" : "stop",
    })),
  };
}

/** What a person is asked, and the detectors that may answer instead. A file may switch both off; in production it may not. */
export function approvalsOf({ approvals, features }: Loop): {
  readonly checks: readonly Check[];
  readonly rules: readonly ApprovalRule[];
} {
  if (!features.humanApproval) return { checks: [], rules: [] };
  return {
    checks: approvals.flatMap(({ detector, ...rule }) =>
      detector === undefined ? [] : ruleCheck(rule.id, { ...rule, detector }, true),
    ),
    rules: approvals.map(({ id, statement, onFail }) => ({
      id,
      statement,
      ...(onFail === "pause" && { onNo: "paused" }),
      ...(onFail === "escalate" && { onNo: "escalated" }),
      ...(onFail === "warn" && { warns: true }),
    })),
  };
}

/** Rollback rules as checks of the gate, and what their no does. */
export function rollbacksOf({ rollbacks, checks }: Loop): {
  readonly checks: readonly Check[];
  readonly rules: readonly SessionRule[];
} {
  const taken = new Set(checks.map(({ name }) => name));
  const nameOf = ({ id }: LoopRule): string => (taken.has(id) ? `rule ${id}` : id);
  return {
    checks: rollbacks.flatMap((rule) => ruleCheck(nameOf(rule), rule, rule.onFail !== "warn")),
    rules: rollbacks.map((rule) => ({
      check: nameOf(rule),
      statement: rule.statement,
      onFail: rule.onFail === "warn" || rule.onFail === "rollback" ? rule.onFail : "stop",
    })),
  };
}

function ruleCheck(name: string, { statement, detector }: LoopRule, blocking: boolean): readonly Check[] {
  return runnableCheck({ name, target: "overall", statement, blocking, detector });
}

/** The check that code runs; none where a judge decides: its verdict is read by a piece of its own. */
export function runnableCheck(check: Omit<LoopCheck, "mode">): readonly Check[] {
  const { name, target, statement, blocking, detector, timeoutMs } = check;
  if (detector.type === "judge") return [];
  return [{ name, target, statement, blocking, detector, timeoutMs: timeoutMs ?? CHECK_TIMEOUT_MS }];
}
