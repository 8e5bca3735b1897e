import type { Check, CheckVerdict, TargetVerdict } from "./types.ts";

export interface TargetRequest {
  readonly checks: readonly Pick<Check, "name" | "target" | "blocking">[];
  readonly goals: readonly string[];
  readonly verdicts: readonly Pick<CheckVerdict, "check" | "verdict">[];
  /** The checks are a guard: satisfied needs a changed tree as well. */
  readonly guard: boolean;
  readonly changed: boolean;
}

export interface Assessment {
  readonly targets: readonly TargetVerdict[];
  /** Every goal and `overall`, so far as it has blocking checks; nothing blocking uncheckable or unanswered. */
  readonly satisfied: boolean;
}

const OVERALL = "overall";

/**
 * Which targets are satisfied. Pure; goals in declared order, then other targets of checks. A target without a
 * blocking check is never satisfied, a check without a verdict fails, advisory checks hold nothing.
 */
export function assessTargets(request: TargetRequest): Assessment {
  const declared = [...request.goals, ...request.checks.map((check) => check.target)];
  const targets = [...new Set(declared)].map((target) => assess(target, request));
  const counted = targets.filter((target) => target.target !== OVERALL || hasBlocking(OVERALL, request));
  return { targets, satisfied: counted.length > 0 && counted.every((target) => target.satisfied) };
}

function hasBlocking(target: string, { checks }: TargetRequest): boolean {
  return checks.some((check) => check.target === target && check.blocking);
}

function assess(target: string, request: TargetRequest): TargetVerdict {
  const blocking = request.checks.filter((check) => check.target === target && check.blocking);
  const answers = blocking.map((check) => request.verdicts.find((verdict) => verdict.check === check.name));
  const named = (verdict: CheckVerdict["verdict"]) =>
    blocking
      .filter((_check, index) => (answers[index]?.verdict ?? "fail") === verdict)
      .map((check) => check.name);
  const passed = named("pass");
  const failed = named("fail");
  const uncheckable = named("uncheckable");
  const open = [...failed, ...uncheckable.map((name) => `${name} (uncheckable)`)];
  const reason =
    blocking.length === 0
      ? "nothing to satisfy: no blocking check"
      : open.length > 0
        ? `not passed: ${open.join(", ")}`
        : request.guard && !request.changed
          ? "the checks are a guard, and nothing has changed"
          : `all ${blocking.length} blocking checks passed`;
  return {
    target,
    satisfied: blocking.length > 0 && open.length === 0 && (!request.guard || request.changed),
    passed: passed.length,
    failed: failed.length,
    uncheckable: uncheckable.length,
    reason,
  };
}
