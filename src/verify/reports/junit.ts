import type { TestResult, TestStatus } from "../types.ts";
import { type ParseReport, portableName, relativeTo } from "./types.ts";

interface OpenCase {
  readonly file: string;
  readonly suite: readonly string[];
  readonly name: string;
  status: TestStatus;
  collection: boolean;
}

/**
 * JUnit XML as pytest, Bun, Deno, PHPUnit, Maven and others write it. The suite path of an id is the class name, or the
 * names of the enclosing suites below the first. pytest's expected failures count as todo.
 */
export const parseJunit: ParseReport = async ({ file: text }, { root }) => {
  if (text === undefined) return undefined;
  const { SaxesParser } = await import("saxes");
  const parser = new SaxesParser();
  const results: TestResult[] = [];
  const brokenFiles: string[] = [];
  const suites: { readonly name: string; readonly file: string }[] = [];
  let current: OpenCase | undefined;
  let seen = false;
  parser.on("opentag", ({ name, attributes }) => {
    const attribute = (key: string): string => String(attributes[key] ?? "");
    if (name === "testsuites" || name === "testsuite") seen = true;
    if (name === "testsuite") {
      suites.push({ name: attribute("name"), file: attribute("file") || (suites.at(-1)?.file ?? "") });
    } else if (name === "testcase") {
      const file = attribute("file") || (suites.at(-1)?.file ?? "");
      const className = attribute("classname");
      const path = className === "" ? suites.slice(1).map((suite) => suite.name) : [className];
      current = {
        file: relativeTo(root, file),
        suite: path.map((part) => portableName(root, part)),
        name: portableName(root, attribute("name")),
        status: "passed",
        collection: false,
      };
    } else if (current !== undefined) {
      if (name === "failure" || name === "error") current.status = "failed";
      if (name === "error" && /collection failure/.test(attribute("message"))) current.collection = true;
      if (name === "skipped") current.status = attribute("type") === "pytest.xfail" ? "todo" : "skipped";
    }
  });
  parser.on("closetag", ({ name }) => {
    if (name === "testsuite") suites.pop();
    if (name !== "testcase" || current === undefined) return;
    const { file, suite, status, collection } = current;
    if (collection) brokenFiles.push(file === "" ? `${current.name.replaceAll(".", "/")}.py` : file);
    else results.push({ id: { file, suite, name: current.name }, status });
    current = undefined;
  });
  try {
    parser.write(text).close();
  } catch {
    return undefined;
  }
  return seen ? { results, brokenFiles, source: "file" } : undefined;
};
