import type { TestResult } from "../types.ts";

/** What one run of a test runner said, with files relative to the checkout. */
export interface TestRun {
  readonly results: readonly TestResult[];
  /** Files the runner named but could not load, or that hold no test. */
  readonly brokenFiles: readonly string[];
  readonly source: "file" | "stdout";
}

/** The texts that a run left behind. `file` is the report at the path we chose, when there is one. */
export interface ReportTexts {
  readonly file: string | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ReportContext {
  /** The checkout, so that absolute paths and names with paths in them mean the same in every checkout. */
  readonly root: string;
  /** Module line of go.mod, for go. */
  readonly goModule?: string;
}

/** Undefined when the text is no report of this kind. */
export type ParseReport = (texts: ReportTexts, context: ReportContext) => Promise<TestRun | undefined>;

/** A path relative to the checkout, with slashes; one outside stays absolute. */
export function relativeTo(root: string, path: string): string {
  const plain = path.replace(/^file:\/\//, "").replaceAll("\\", "/");
  if (plain.startsWith(`${root}/`)) return plain.slice(root.length + 1);
  return plain.replace(/^(\.\/)+/, "");
}

/** A test name that does not depend on where the checkout is. */
export function portableName(root: string, name: string): string {
  return name.replaceAll(root, ".");
}
