import type { BaselineCheck } from "../verify/types.ts";
import type { SessionEvent } from "./events.ts";
import { movesTo } from "./moves.ts";
import { lookNow } from "./rules.ts";
import type { SessionRun } from "./session-run.ts";
import type { ApprovalRule } from "./spec.ts";

export type Looked = "answered" | { readonly why: string };

/**
 * Lets the detector of an approval rule answer in a person's place, who can only be spared a question: it holds, or it
 * warns and plainly does not. In all other cases there is a reason to ask, also when nothing could be looked at.
 * Undefined for what has no detector.
 */
export async function lookAtApproval(run: SessionRun, id: string): Promise<Looked | undefined> {
  const { approvals, approvalGate: gate } = run.state.spec;
  const rule = approvals.find((one) => one.id === id);
  const check = gate?.checks.find(({ name }) => name === id);
  if (rule === undefined || gate === undefined || check === undefined) return undefined;
  const looked = await lookNow(run, { ...gate, checks: [check] });
  if (!looked.ok) return { why: looked.problem.message };
  const seen = looked.value.checks.find((one) => one.check === id);
  if (!isAnswer(rule, seen)) return { why: reasonOf(seen) };
  const { statement } = rule;
  const answered: SessionEvent = {
    type: "rule:answered",
    data: { rule: id, holds: seen?.verdict === "pass", statement, tree: looked.value.tree },
  };
  await run.chain.commit(({ lifecycle }) => ({
    events: [
      answered,
      ...(lifecycle === "awaiting_approval" ? movesTo(lifecycle, "running", "answered by its detector") : []),
    ],
  }));
  return "answered";
}

function isAnswer({ warns }: ApprovalRule, seen: BaselineCheck | undefined): boolean {
  return seen?.verdict === "pass" || (seen?.verdict === "fail" && warns === true);
}

function reasonOf(seen: BaselineCheck | undefined): string {
  if (seen === undefined) return "its detector says nothing";
  const why = seen.why ?? (seen.exitCode === undefined ? seen.verdict : `exit code ${seen.exitCode}`);
  return seen.verdict === "uncheckable"
    ? `its detector cannot be run: ${why}`
    : `its detector says no: ${why}`;
}
