import { ok, type Result } from "../core/result.ts";
import { prepareGate } from "./gate.ts";
import { type GatePorts, type GateRequest, judgeTree } from "./judge-tree.ts";
import type { CheckVerdict, FrozenGate, GateResult } from "./types.ts";

const PASSES_THERE =
  " (in the working folder the same files pass: this needs something that is not among them, such as an ignored file or a variable)";

/** What a check that failed said, without what was found out about the working folder. */
export function plainWhy(verdict: CheckVerdict | undefined): string | undefined {
  return verdict?.verdict === "fail" ? verdict.why.replace(PASSES_THERE, "") : undefined;
}

export function isKnownToPassInPlace(verdict: CheckVerdict | undefined): boolean {
  return verdict?.verdict === "fail" && verdict.why.endsWith(PASSES_THERE);
}

/** The result with a word on each of these failing checks that says yes to the judged files in the working folder. */
export async function tryInPlace(
  ports: GatePorts,
  frozen: FrozenGate,
  request: GateRequest,
  result: GateResult,
  names: readonly string[],
): Promise<Result<GateResult>> {
  if (names.length === 0) return ok(result);
  const prepared = await prepareGate(ports, frozen, request);
  if (!prepared.ok) return prepared;
  const { judged, jobs } = prepared.value;
  if (judged.kind === "unusable") return ok(result);
  const there = await judgeTree(
    { ...prepared.value, level: "in-place" },
    judged.tree,
    jobs.filter(({ check }) => names.includes(check.name)),
    0,
  );
  if (!there.ok) return there;
  const passing = there.value.verdicts.filter(({ verdict }) => verdict === "pass");
  return ok({
    ...notePassing(
      result,
      passing.map(({ check }) => check),
    ),
    keptEdits: [...result.keptEdits, ...there.value.keptEdits],
  });
}

export function notePassing(result: GateResult, names: readonly string[]): GateResult {
  const checks = result.checks.map((verdict) =>
    verdict.verdict === "fail" && names.includes(verdict.check)
      ? { ...verdict, why: `${verdict.why}${PASSES_THERE}` }
      : verdict,
  );
  return { ...result, checks };
}
