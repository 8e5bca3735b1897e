import * as v from "valibot";
import type { TestResult, TestStatus } from "../types.ts";
import { readJson } from "./json-text.ts";
import { type ParseReport, portableName, relativeTo } from "./types.ts";

/**
 * The reporter that node:test is given, as the text of a module. One JSON list a line:
 * [start|pass|fail, name, nesting, file, skipped, todo, suite]. It takes the reporter's settings out of the environment
 * first, so that a test which runs node:test itself does not write into our report.
 */
export const NODE_REPORTER_SOURCE = `const kept = process.env.LOOPWRIGHT_NODE_OPTIONS;
if (kept) process.env.NODE_OPTIONS = kept;
else delete process.env.NODE_OPTIONS;
delete process.env.LOOPWRIGHT_NODE_OPTIONS;
export default async function* report(source) {
  for await (const { type, data } of source) {
    const kind = { "test:start": "start", "test:pass": "pass", "test:fail": "fail" }[type];
    if (kind === undefined) continue;
    const flag = (value) => value !== undefined && value !== false;
    yield JSON.stringify([kind, String(data.name), data.nesting, String(data.file ?? ""), flag(data.skip), flag(data.todo), data.details?.type === "suite"]) + "\\n";
  }
}
`;

const Line = v.tuple([
  v.picklist(["start", "pass", "fail"]),
  v.string(),
  v.pipe(v.number(), v.integer(), v.minValue(0)),
  v.string(),
  v.boolean(),
  v.boolean(),
  v.boolean(),
]);

/** Lines come in the order in which tests are defined, so the suite path is a stack by nesting. */
export const parseNodeLines: ParseReport = async ({ file: text }, { root }) => {
  if (text === undefined) return undefined;
  const results: TestResult[] = [];
  const brokenFiles: string[] = [];
  const stack: string[] = [];
  for (const raw of text.split("\n")) {
    if (raw === "") continue;
    const line = readJson(Line, raw);
    if (line === undefined) return undefined;
    const [kind, rawName, nesting, rawFile, skipped, todo, suite] = line;
    const name = portableName(root, rawName);
    if (kind === "start") {
      stack.length = nesting;
      stack[nesting] = name;
      continue;
    }
    const file = relativeTo(root, rawFile);
    if (suite) continue;
    // A file without a single test, or one that cannot be loaded, is reported as a test named like the file.
    if (nesting === 0 && relativeTo(root, rawName) === file) brokenFiles.push(file);
    else
      results.push({
        id: { file, suite: stack.slice(0, nesting), name },
        status: status(kind, skipped, todo),
      });
  }
  return { results, brokenFiles, source: "file" };
};

function status(kind: "pass" | "fail", skipped: boolean, todo: boolean): TestStatus {
  if (skipped) return "skipped";
  if (todo) return "todo";
  return kind === "pass" ? "passed" : "failed";
}
