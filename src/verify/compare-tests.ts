import type { TestRun } from "./reports/types.ts";
import type { TestId, TestResult } from "./types.ts";

/** What the base run said about its tests, as far as it could say anything. */
export interface BaseTests {
  readonly tests: readonly TestResult[];
  /** Files that the runner named but could not load. */
  readonly brokenFiles: readonly string[];
  /** Test files of the base tree by convention: they stand in when the base run gave no ids at all. */
  readonly expectedFiles: readonly string[];
}

export interface TestComparison {
  /** Undefined when every demand is met. */
  readonly why?: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Ids of the base run that are not there any more, or are skipped now; files that executed nothing. */
  readonly missing: readonly string[];
  /** Ids that passed in the base run and fail now. */
  readonly newlyFailing: readonly string[];
}

const NONE: TestComparison = { passed: 0, failed: 0, skipped: 0, missing: [], newlyFailing: [] };

/**
 * Holds a run against the base run. Ids that passed or failed there, with multiplicity, must be there and pass;
 * skipped and todo ones may stay so; no test may fail. A file that gave no ids in the base run must execute at least
 * one test and skip none. No report is a failure. Linear in the number of results.
 */
export function compareTests(base: BaseTests, now: TestRun | undefined): TestComparison {
  if (now === undefined) return { ...NONE, why: "the run gave no test report" };
  const before = countById(base.tests);
  const after = countById(now.results);
  const missing: string[] = [];
  const newlyFailing: string[] = [];
  for (const [key, { id, counts }] of before) {
    const required = counts.passed + counts.failed;
    const present = after.get(key)?.counts ?? NO_COUNTS;
    if (present.failed > 0) {
      if (counts.passed > 0) newlyFailing.push(showTestId(id));
    } else if (present.passed < required) missing.push(showTestId(id));
  }
  const files = base.tests.length === 0 ? [...base.expectedFiles, ...base.brokenFiles] : base.brokenFiles;
  for (const file of new Set(files)) {
    const lack = lackOf(file, now);
    if (lack !== undefined) missing.push(lack);
  }
  const tally = { ...totals(now), missing, newlyFailing };
  const why = complaint(tally, now);
  return why === undefined ? tally : { ...tally, why };
}

/** `file > suite > name`. */
export function showTestId(id: TestId): string {
  return [id.file, ...id.suite, id.name].filter((part) => part !== "").join(" > ");
}

interface Counts {
  readonly passed: number;
  readonly failed: number;
}
const NO_COUNTS: Counts = { passed: 0, failed: 0 };

function countById(
  results: readonly TestResult[],
): ReadonlyMap<string, { readonly id: TestId; readonly counts: Counts }> {
  const counted = new Map<string, { readonly id: TestId; readonly counts: Counts }>();
  for (const { id, status } of results) {
    const key = JSON.stringify([id.file, id.suite, id.name]);
    const counts = counted.get(key)?.counts ?? NO_COUNTS;
    counted.set(key, {
      id,
      counts: {
        passed: counts.passed + (status === "passed" ? 1 : 0),
        failed: counts.failed + (status === "failed" ? 1 : 0),
      },
    });
  }
  return counted;
}

function lackOf(file: string, now: TestRun): string | undefined {
  if (now.brokenFiles.some((broken) => sameFile(broken, file))) return `${file} (executed no test)`;
  const results = now.results.filter((result) => sameFile(result.id.file, file));
  if (!results.some((result) => result.status === "passed" || result.status === "failed")) {
    return `${file} (executed no test)`;
  }
  return results.some((result) => result.status === "skipped") ? `${file} (skips a test)` : undefined;
}

/** Reports name files relative to the checkout or to a package inside it. */
function sameFile(a: string, b: string): boolean {
  return a === b || (a !== "" && b.endsWith(`/${a}`)) || (b !== "" && a.endsWith(`/${b}`));
}

function totals(run: TestRun): Pick<TestComparison, "passed" | "failed" | "skipped"> {
  const count = (...statuses: readonly string[]) =>
    run.results.filter((result) => statuses.includes(result.status)).length;
  return { passed: count("passed"), failed: count("failed"), skipped: count("skipped", "todo") };
}

function complaint(tally: TestComparison, now: TestRun): string | undefined {
  if (tally.newlyFailing.length > 0) return `tests that passed before fail now: ${few(tally.newlyFailing)}`;
  if (tally.failed > 0) {
    const failing = now.results
      .filter((result) => result.status === "failed")
      .map((result) => showTestId(result.id));
    return `${tally.failed} of ${now.results.length} tests fail: ${few(failing)}`;
  }
  if (tally.missing.length > 0) return `tests of the base run are missing: ${few(tally.missing)}`;
  if (tally.passed === 0) return "no test was executed";
  return undefined;
}

const SHOWN = 5;

/** The first few of a list, and how many more there are. */
export function few(items: readonly string[]): string {
  const rest = items.length > SHOWN ? ` and ${items.length - SHOWN} more` : "";
  return `${items.slice(0, SHOWN).join(", ")}${rest}`;
}
