/**
 * Rules across the parts of a loop. A part that could not be read is stood in for, so nothing here reports it twice.
 */

import { findCycle } from "../order.ts";
import { checkChecks, checkSuccess } from "./check-checks.ts";
import { checkGates, checkLimits, checkStop } from "./check-limits.ts";
import { checkPhases } from "./check-phases.ts";
import { checkPieces, reportCycle } from "./check-pieces.ts";
import { checkAlerts, checkEvolution, checkMemory, checkRecovery } from "./check-policy.ts";
import { checkProviders } from "./check-providers.ts";
import { checkTriggers } from "./check-triggers.ts";
import type { Findings } from "./findings.ts";
import type { LoopPaths } from "./grammar.ts";
import type { Loop } from "./types.ts";

export function checkLoop(loop: Loop, paths: LoopPaths, findings: Findings): void {
  if (loop.name.trim() === "") findings.rule("name", "must not be blank");
  checkPrerequisites(loop, findings);
  checkGoals(loop, findings);
  checkSuccess(loop, findings);
  checkPieces(loop, paths, findings);
  checkPhases(loop, paths, findings);
  checkProviders(loop, paths, findings);
  checkMemory(loop, findings);
  checkTriggers(loop, findings);
  checkChecks(loop, findings);
  checkStop(loop, findings);
  checkGates(loop, findings);
  checkLimits(loop, paths, findings);
  checkRecovery(loop, findings);
  checkAlerts(loop, findings);
  checkEvolution(loop, findings);
}

/** What a person does by hand first is never done by a fresh file: so none runs unseen. */
function checkPrerequisites({ prerequisites }: Loop, findings: Findings): void {
  const path = "intent.prerequisites";
  if (prerequisites.length === 0) {
    findings.warn(path, "none; do the task once by hand and write down here what has to be there first");
  }
  const open = prerequisites.filter(({ isDone }) => !isDone).map(({ step }) => step);
  if (open.length === 0) return;
  const hint = "do them, then set `done: true`";
  findings.error("bad-input", path, `${open.length} step(s) not marked done: ${open.join("; ")}`, hint);
}

function checkGoals({ goals }: Loop, findings: Findings): void {
  const path = (index: number) => `intent.goals[${index}]`;
  if (goals.length === 0)
    findings.rule("intent.goals", "a loop needs at least one goal", undefined, "missing-goal");
  findings.unique(
    goals.map(({ name }) => name),
    (index) => `${path(index)}.name`,
  );
  const names = new Set(goals.map(({ name }) => name));
  for (const [index, goal] of goals.entries()) {
    if (goal.name === "overall") {
      findings.rule(`${path(index)}.name`, `"overall" stands for all goals together; choose another name`);
    }
    if (goal.description.trim().length < 12) {
      findings.warn(`${path(index)}.description`, "very short; say what is true when the goal is reached");
    }
    for (const [at, dependency] of goal.dependsOn.entries()) {
      if (names.has(dependency) && dependency !== goal.name) continue;
      const why = dependency === goal.name ? "a goal cannot depend on itself" : `no goal "${dependency}"`;
      findings.rule(`${path(index)}.depends_on[${at}]`, why, undefined, "missing-goal");
    }
  }
  const cycle = findCycle(goals.map(({ name, dependsOn }) => ({ id: name, dependsOn })));
  if (cycle.length > 1) reportCycle("goals", cycle, "intent.goals", findings);
}
