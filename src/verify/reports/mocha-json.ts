import * as v from "valibot";
import type { TestResult, TestStatus } from "../types.ts";
import { readJson } from "./json-text.ts";
import { type ParseReport, portableName, relativeTo } from "./types.ts";

const Test = v.object({ title: v.string(), fullTitle: v.string(), file: v.optional(v.nullable(v.string())) });
const Report = v.object({ passes: v.array(Test), failures: v.array(Test), pending: v.array(Test) });

/** Mocha's JSON report. It has the full title only, so the suite path is a part of the name. Older ones print it. */
export const parseMochaJson: ParseReport = async ({ file, stdout }, { root }) => {
  const written = readJson(Report, file);
  const report = written ?? readJson(Report, stdout.slice(Math.max(0, stdout.indexOf("{\n"))));
  if (report === undefined) return undefined;
  const of = (tests: readonly v.InferOutput<typeof Test>[], status: TestStatus): TestResult[] =>
    tests.map((test) => ({
      id: { file: relativeTo(root, test.file ?? ""), suite: [], name: portableName(root, test.fullTitle) },
      status,
    }));
  return {
    results: [
      ...of(report.passes, "passed"),
      ...of(report.failures, "failed"),
      ...of(report.pending, "skipped"),
    ],
    brokenFiles: [],
    source: written === undefined ? "stdout" : "file",
  };
};
