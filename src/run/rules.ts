import { ok, type Problem, type Result } from "../core/result.ts";
import type { TreeId } from "../ports/workspace.ts";
import { runBaseline } from "../verify/baseline.ts";
import type { Baseline, FrozenGate, GateResult } from "../verify/types.ts";
import type { SessionEvent } from "./events.ts";
import type { SessionRun } from "./session-run.ts";
import type { SessionRule } from "./spec.ts";
import type { SessionState } from "./state.ts";
import { verifyPorts } from "./verify-ports.ts";

/** Looks at the folder as it is now; the problem is the first rule that does not hold and is no mere warning. */
export async function entryStep(run: SessionRun): Promise<Problem | undefined> {
  const { entry } = run.state.spec;
  if (entry === undefined) return undefined;
  const failed = await entryFailures(run, entry);
  if (!failed.ok) return failed.problem;
  const warned = failed.value.filter(({ onFail }) => onFail === "warn");
  if (warned.length > 0) {
    await run.chain.commit(() => ({ events: warned.map(ruleNotice) }));
  }
  const halting = failed.value.find(({ onFail }) => onFail !== "warn");
  if (halting === undefined) return undefined;
  return {
    code: "entry-rule",
    message: `the entry rule ${halting.check} does not hold: ${halting.statement}`,
    hint: "put it right, then `loopwright loop resume`",
  };
}

async function entryFailures(
  run: SessionRun,
  { gate, rules }: NonNullable<SessionState["spec"]["entry"]>,
): Promise<Result<readonly SessionRule[]>> {
  const looked = await lookNow(run, gate);
  if (!looked.ok) return looked;
  const { checks } = looked.value;
  // What cannot be looked at does not hold.
  const holds = ({ check }: SessionRule): boolean =>
    checks.some((seen) => seen.check === check && seen.verdict === "pass");
  return { ok: true, value: rules.filter((rule) => !holds(rule)) };
}

/** What the checks say of the folder as it is at this moment. */
export async function lookNow(run: SessionRun, gate: FrozenGate): Promise<Result<Baseline>> {
  const now = await run.workspace.snapshot(run.workDir);
  if (!now.ok) return now;
  return runBaseline(
    verifyPorts(run),
    { ...gate, base: now.value },
    { workspace: run.workspace, workDir: run.workDir, scratch: run.ports.files.scratchDir(run.session) },
  );
}

function ruleNotice({ check, statement }: SessionRule): SessionEvent {
  return { type: "workspace:noticed", data: { notice: "rule", rule: check, statement, attempt: null } };
}

/**
 * What the rules say to a round that the gate has judged: puts the files back to where it began, or ends the session. The
 * folder is put back before anything is recorded, so that nothing can be dispatched in between; what somebody else
 * changed there meanwhile stays.
 */
export async function ruleOnRound(run: SessionRun, result: GateResult): Promise<readonly SessionEvent[]> {
  const broken = brokenRules(run.state, result);
  const halting = broken.find(({ onFail }) => onFail === "stop");
  const undone = await undoFor(run, result.tree, broken);
  if (!undone.ok) return [stopped(undone.problem)];
  if (halting === undefined) return undone.value;
  const problem: Problem = {
    code: "rollback-rule",
    message: `the rule ${halting.check} does not hold: ${halting.statement}`,
    hint: "see `loopwright status --why`, put it right, then `loopwright loop resume`",
  };
  return [...undone.value, stopped(problem)];
}

function stopped(problem: Problem): SessionEvent {
  return { type: "session:stopped", data: { reason: { why: "problem", problem } } };
}

function brokenRules({ spec }: SessionState, { checks }: GateResult): readonly SessionRule[] {
  return (spec.rollbacks ?? []).filter(({ check, onFail }) =>
    checks.some((seen) => seen.check === check && seen.verdict !== "pass" && onFail !== "warn"),
  );
}

async function undoFor(
  run: SessionRun,
  from: TreeId,
  broken: readonly SessionRule[],
): Promise<Result<readonly SessionEvent[]>> {
  const rules = broken.filter(({ onFail }) => onFail === "rollback").map(({ check }) => check);
  return rules.length === 0 ? { ok: true, value: [] } : undoRound(run, rules, from);
}

/** Puts the files back to where the round began, from the tree that `from` names or what is there now. */
export async function undoRound(
  run: SessionRun,
  rules: readonly string[],
  judged?: TreeId,
): Promise<Result<readonly SessionEvent[]>> {
  const found = judged === undefined ? await run.workspace.snapshot(run.workDir) : ok(judged);
  if (!found.ok) return found;
  const from = found.value;
  const to = roundBegan(run.state);
  if (to === from) return ok([]);
  const kept = await run.workspace.update(run.workDir, from, to);
  if (!kept.ok) return kept;
  const { iteration } = run.state;
  return ok([{ type: "work:rolled-back", data: { iteration, from, to, rules, kept: kept.value } }]);
}

function roundBegan({ attempts, iteration, spec }: SessionState): TreeId {
  return attempts.find((attempt) => attempt.iteration === iteration)?.before ?? spec.gate.base;
}
