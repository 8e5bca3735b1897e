import type { GateLevel } from "../ports/check-rooms.ts";
import { few, showTestId } from "./compare-tests.ts";
import { normalisedLastLines } from "./output.ts";
import type { TestRun } from "./reports/types.ts";
import type { CheckRun } from "./run-check.ts";

/**
 * How a run in a checkout differs from one elsewhere, as the end of a sentence; undefined when they say the same: exit
 * code, failing tests, or without a report the last lines with what changes from run to run taken out. A run that did
 * not happen says nothing. Pure.
 */
export function describeDifference(level: GateLevel, here: CheckRun, there: CheckRun): string | undefined {
  if (here.kind !== "ran" || there.kind !== "ran") return undefined;
  const [endHere, endThere] = [endOf(here), endOf(there)];
  if (endHere !== endThere)
    return `ends with ${endHere} in the ${level} checkout and with ${endThere} in place`;
  if (here.report !== undefined && there.report !== undefined) {
    const [mine, theirs] = [failing(here.report), failing(there.report)];
    const only = [...mine].filter((id) => !theirs.has(id));
    const other = [...theirs].filter((id) => !mine.has(id));
    if (only.length > 0) return `fails only in the ${level} checkout: ${few(only)}`;
    return other.length > 0 ? `fails only in place: ${few(other)}` : undefined;
  }
  const lines = normalisedLastLines(here.tail, here.room.dir);
  const others = normalisedLastLines(there.tail, there.room.dir);
  return lines === others
    ? undefined
    : `prints something else in the ${level} checkout: ${firstDifference(lines, others)}`;
}

/**
 * Whether a run reached tests that another of the same files did not: the other then lacks something, such as
 * packages that were never installed there, and cannot be the measure. Pure.
 */
export function gotFurther(here: CheckRun, there: CheckRun): boolean {
  return reached(here) > reached(there);
}

/** Tests that ran to an answer; a file that could not even be loaded has none. */
function reached(run: CheckRun): number {
  if (run.kind !== "ran" || run.report === undefined) return 0;
  return run.report.results.filter(({ status }) => status === "passed" || status === "failed").length;
}

function endOf({ outcome: { end } }: Extract<CheckRun, { readonly kind: "ran" }>): string {
  return end.kind === "exited" ? `exit code ${end.exitCode}` : end.kind;
}

function failing(report: TestRun): ReadonlySet<string> {
  const tests = report.results
    .filter((result) => result.status === "failed")
    .map((result) => showTestId(result.id));
  return new Set([...tests, ...report.brokenFiles]);
}

function firstDifference(text: string, other: string): string {
  const known = new Set(other.split("\n"));
  return text.split("\n").find((line) => !known.has(line)) ?? "fewer lines";
}
