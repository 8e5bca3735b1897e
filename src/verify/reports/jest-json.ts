import * as v from "valibot";
import type { TestResult, TestStatus } from "../types.ts";
import { readJson } from "./json-text.ts";
import { type ParseReport, portableName, relativeTo } from "./types.ts";

const Report = v.object({
  testResults: v.array(
    v.object({
      name: v.string(),
      assertionResults: v.array(
        v.object({ ancestorTitles: v.array(v.string()), title: v.string(), status: v.string() }),
      ),
    }),
  ),
});

/** The JSON report of Jest, which Vitest writes too. */
export const parseJestJson: ParseReport = async ({ file: text }, { root }) => {
  const report = readJson(Report, text);
  if (report === undefined) return undefined;
  const results: TestResult[] = [];
  const brokenFiles: string[] = [];
  for (const suite of report.testResults) {
    const file = relativeTo(root, suite.name);
    if (suite.assertionResults.length === 0) brokenFiles.push(file);
    for (const test of suite.assertionResults) {
      const path = test.ancestorTitles.map((title) => portableName(root, title));
      results.push({
        id: { file, suite: path, name: portableName(root, test.title) },
        status: status(test.status),
      });
    }
  }
  return { results, brokenFiles, source: "file" };
};

function status(word: string): TestStatus {
  switch (word) {
    case "passed":
      return "passed";
    case "pending":
    case "skipped":
    case "disabled":
      return "skipped";
    case "todo":
      return "todo";
    default:
      return "failed";
  }
}
