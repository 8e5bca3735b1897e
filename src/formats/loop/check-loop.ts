/**
 * Rules across the parts of a loop. A part that could not be read is stood in for, so nothing here reports it
 * twice.
 */

import { findCycle, levelsOf } from "../order.ts";
import { checkChecks } from "./check-checks.ts";
import { checkGates, checkProviders, checkStop } from "./check-limits.ts";
import type { Findings } from "./map-reader.ts";
import type { Loop, LoopPiece } from "./types.ts";

export interface LoopPaths {
  readonly piecesPath: string;
  readonly pieceLimitsPath: string;
}

export function checkLoop(loop: Loop, paths: LoopPaths, findings: Findings): void {
  if (loop.name.trim() === "") findings.rule("name", "must not be blank");
  checkGoals(loop, findings);
  checkPieces(loop, paths, findings);
  checkChecks(loop, findings);
  checkStop(loop, findings);
  checkProviders(loop, findings);
  checkGates(loop, findings);
}

function checkGoals({ goals }: Loop, findings: Findings): void {
  const path = (index: number) => `intent.goals[${index}]`;
  if (goals.length === 0) findings.error("missing-goal", "intent.goals", "a loop needs at least one goal");
  findings.unique(
    goals.map(({ name }) => name),
    (index) => `${path(index)}.name`,
  );
  const names = new Set(goals.map(({ name }) => name));
  for (const [index, goal] of goals.entries()) {
    if (goal.name.trim() === "") findings.rule(`${path(index)}.name`, "must not be blank");
    if (goal.name === "overall") {
      findings.rule(`${path(index)}.name`, `"overall" stands for all goals together; choose another name`);
    }
    if (goal.description.trim().length < 12) {
      findings.warn(`${path(index)}.description`, "very short; say what is true when the goal is reached");
    }
    for (const [at, dependency] of goal.dependsOn.entries()) {
      if (names.has(dependency) && dependency !== goal.name) continue;
      const why = dependency === goal.name ? "a goal cannot depend on itself" : `no goal "${dependency}"`;
      findings.error("missing-goal", `${path(index)}.depends_on[${at}]`, why);
    }
  }
  const cycle = findCycle(goals.map(({ name, dependsOn }) => ({ id: name, dependsOn })));
  if (cycle.length > 1) reportCycle("goals", cycle, "intent.goals", findings);
}

function reportCycle(what: string, cycle: readonly string[], path: string, findings: Findings): void {
  const circle = [...cycle, cycle[0] ?? ""].join(" -> ");
  findings.error("graph-cycle", path, `${what} wait for each other: ${circle}`);
}

/** Ids become parts of file names, of other ids and of command lines. */
const ID = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/;

function checkPieces(loop: Loop, { piecesPath, pieceLimitsPath }: LoopPaths, findings: Findings): void {
  const { pieces } = loop;
  const ids = new Set(pieces.map(({ id }) => id));
  if (pieces.length === 0) findings.rule(piecesPath, "a loop without pieces does nothing");
  findings.unique(
    pieces.map(({ id }) => id),
    (index) => `${piecesPath}[${index}].id`,
  );
  for (const [index, piece] of pieces.entries())
    checkPiece(piece, ids, loop, `${piecesPath}[${index}]`, findings);
  const cycle = findCycle(pieces);
  if (cycle.length > 1) {
    const index = pieces.findIndex(({ id }) => id === cycle[0]);
    reportCycle("pieces", cycle, `${piecesPath}[${index}]`, findings);
  }
  for (const id of loop.pieceLimits.keys()) {
    if (!ids.has(id)) findings.error("unknown-piece", `${pieceLimitsPath}.${id}`, `no piece "${id}"`);
  }
  const { concurrency, join } = loop;
  if (concurrency.mode === "fixed" && concurrency.maxParallel < 1) {
    findings.rule("execution.graph.concurrency.max_parallel", "must be at least 1");
  }
  if (join.strategy === "quorum" && join.count < 1) {
    findings.rule("execution.graph.join.count", "must be at least 1");
  }
  warnSharedWriters(loop, piecesPath, findings);
}

function checkPiece(
  piece: LoopPiece,
  ids: ReadonlySet<string>,
  loop: Loop,
  path: string,
  findings: Findings,
): void {
  if (piece.id !== "" && !ID.test(piece.id)) {
    findings.error("bad-id", `${path}.id`, "letters, digits, `_`, `.` and `-` only, at most 100");
  }
  if (piece.weight <= 0) findings.rule(`${path}.weight`, "must be above 0");
  if (piece.instruction.trim().length < 16) {
    findings.warn(`${path}.instruction`, "very short; an agent reads nothing else about its job");
  }
  for (const [at, dependency] of piece.dependsOn.entries()) {
    if (ids.has(dependency) && dependency !== piece.id) continue;
    const why = dependency === piece.id ? "a piece cannot depend on itself" : `no piece "${dependency}"`;
    findings.error("unknown-piece", `${path}.depends_on[${at}]`, why);
  }
  for (const [at, goal] of piece.goals.entries()) {
    if (loop.goals.some(({ name }) => name === goal)) continue;
    findings.error("missing-goal", `${path}.goals[${at}]`, `no goal "${goal}"`);
  }
  if (piece.provider !== undefined && !loop.providers.some(({ id }) => id === piece.provider)) {
    findings.error("unknown-provider", `${path}.provider`, `no provider "${piece.provider}"`);
  }
}

/** Builders that may write in one folder at the same time. */
function warnSharedWriters({ concurrency, pieces }: Loop, piecesPath: string, findings: Findings): void {
  const levels = levelsOf(pieces);
  if (concurrency.mode === "sequential" || levels === undefined) return;
  const byLevel = new Map<number, string[]>();
  for (const { id, role, isolation } of pieces) {
    const level = levels.get(id) ?? 0;
    if (role === "builder" && isolation === "none") byLevel.set(level, [...(byLevel.get(level) ?? []), id]);
  }
  for (const [level, ids] of [...byLevel].sort(([a], [b]) => a - b)) {
    if (ids.length < 2) continue;
    const index = pieces.findIndex(({ id }) => id === ids[1]);
    const message = `${ids.join(" and ")} may write in one folder at the same time (wave ${level + 1})`;
    findings.warn(`${piecesPath}[${index}].isolation`, message, "give each `isolation: {mode: worktree}`");
  }
}
