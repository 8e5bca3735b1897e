import { assertNever, type Problem } from "../core/result.ts";
import { formatDuration } from "../core/time.ts";
import type { GateLevel } from "../ports/check-rooms.ts";
import type { TreeId } from "../ports/workspace.ts";
import { type BaseTests, compareTests, few, type TestComparison } from "./compare-tests.ts";
import type { CheckJob, CheckRun } from "./run-check.ts";
import type { CheckVerdict, Evidence } from "./types.ts";

export interface JudgeContext {
  /** The tree as the work left it, and the one that was judged. */
  readonly tree: TreeId;
  readonly judged: TreeId;
  readonly level: GateLevel;
  /** Absent in the base run itself. */
  readonly base?: BaseTests;
  /** The base run could run this check: a command that is missing or too slow now is the work's doing. */
  readonly ranBefore: boolean;
}

/** How the reason begins when a check changed what is judged. */
export const VOID = "altered_by_check";

const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;

/** The verdict on one run of a check. Pure. */
export function judgeRun(job: CheckJob, run: CheckRun, context: JudgeContext): CheckVerdict {
  const { name, blocking } = job.check;
  if (run.kind === "problem") return { verdict: "uncheckable", check: name, blocking, problem: run.problem };
  const comparison = comparisonOf(run, context);
  const evidence = evidenceOf(job, run, context, comparison);
  const obstacle = obstacleOf(job, run);
  if (obstacle !== undefined) {
    return context.ranBefore
      ? { verdict: "fail", check: name, blocking, why: obstacle.message, evidence }
      : { verdict: "uncheckable", check: name, blocking, problem: obstacle, evidence };
  }
  const why = endFault(job, run, comparison) ?? comparison?.why;
  return why === undefined
    ? { verdict: "pass", check: name, blocking, evidence }
    : { verdict: "fail", check: name, blocking, why, evidence };
}

type Ran = Extract<CheckRun, { readonly kind: "ran" }>;

/** Without a base there is nothing to hold the run against but itself. */
function comparisonOf(run: Ran, context: JudgeContext): TestComparison | undefined {
  if (!run.reportWanted) return undefined;
  const base = context.base ?? { tests: [], brokenFiles: [], expectedFiles: [] };
  return compareTests(base, run.report);
}

/** What keeps a run from saying anything about the work, when the base run had the same. */
function obstacleOf(job: CheckJob, run: Ran): Problem | undefined {
  const { end } = run.outcome;
  const name = job.check.name;
  if (run.altered.length > 0) {
    return {
      code: "checks-uncheckable",
      message: `${VOID}: check "${name}" changed ${few(run.altered)}, so its verdict is void`,
      hint: "let the check write to ignored or temporary files only",
    };
  }
  switch (end.kind) {
    case "timed-out":
      return {
        code: "checks-uncheckable",
        message: `check "${name}" timed out after ${formatDuration(end.wallMs)}`,
        hint: "raise the check's time-out, or give a faster check",
      };
    case "canceled":
    case "stalled":
      return { code: "checks-uncheckable", message: `check "${name}" was stopped before it ended` };
    case "exited": {
      if (end.exitCode === expectedExit(job)) return undefined;
      if (end.exitCode !== NOT_FOUND && end.exitCode !== NOT_EXECUTABLE) return undefined;
      const what = end.exitCode === NOT_FOUND ? "a command is missing" : "a command cannot be executed";
      return {
        code: "command-not-found",
        message: `check "${name}" ended with exit code ${end.exitCode}: ${what} (${lastLine(run.tail)})`,
        hint: "install what is missing or correct the check's command",
      };
    }
    case "signalled":
      return undefined;
    default:
      return assertNever(end);
  }
}

function endFault(job: CheckJob, run: Ran, comparison: TestComparison | undefined): string | undefined {
  const { end } = run.outcome;
  if (end.kind === "signalled") return `ended by ${end.signal}`;
  if (end.kind !== "exited" || end.exitCode === expectedExit(job)) return undefined;
  const told = comparison !== undefined && comparison.failed > 0 ? comparison.why : undefined;
  return told ?? `exit code ${end.exitCode}, expected ${expectedExit(job)}: ${lastLine(run.tail)}`;
}

function expectedExit(job: CheckJob): number {
  return job.check.detector.type === "script" ? job.check.detector.expectExit : 0;
}

function lastLine(tail: string): string {
  return (
    tail
      .split("\n")
      .findLast((line) => line.trim() !== "")
      ?.trim() ?? "no output"
  );
}

/** How the note begins that shows what the work added to the dependencies. */
export const ADDED_DEPENDENCIES = "dependencies added: ";

const MAX_LISTED = 50;

function evidenceOf(
  job: CheckJob,
  run: Ran,
  context: JudgeContext,
  tests: TestComparison | undefined,
): Evidence {
  const { end } = run.outcome;
  const metrics = Object.keys(run.metrics.values).length > 0;
  return {
    check: job.check.name,
    tree: context.tree,
    judged: context.judged,
    level: run.room.level,
    ...(end.kind === "exited" ? { exitCode: end.exitCode } : {}),
    durationMs: run.outcome.durationMs,
    tail: run.tail,
    report: run.report?.source ?? "none",
    notes: [
      ...(run.reportWanted ? [] : ["exit code only"]),
      ...(run.report?.source === "stdout" ? ["report: stdout"] : []),
      ...(run.outcome.containment === "group" ? ["containment: group"] : []),
      ...(run.outcome.escaped > 0 ? [`${run.outcome.escaped} processes escaped`] : []),
      ...(run.room.dependencyChange.kind === "additions"
        ? [`${ADDED_DEPENDENCIES}${few(run.room.dependencyChange.added)}`]
        : []),
      ...run.metrics.notes,
    ],
    ...(tests === undefined || run.report === undefined
      ? {}
      : {
          tests: {
            passed: tests.passed,
            failed: tests.failed,
            skipped: tests.skipped,
            missing: tests.missing.slice(0, MAX_LISTED),
            newlyFailing: tests.newlyFailing.slice(0, MAX_LISTED),
          },
        }),
    ...(metrics ? { metrics: run.metrics.values } : {}),
    setupHash: run.room.setupHash,
  };
}
