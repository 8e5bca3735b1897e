import type { TestResult, TestStatus } from "../types.ts";
import { type ParseReport, portableName, relativeTo } from "./types.ts";

interface Suite {
  readonly name: string;
  readonly file: string;
}
interface OpenCase {
  readonly file: string;
  readonly suite: readonly string[];
  readonly name: string;
  readonly status: TestStatus;
  /** pytest could not load the file: the case stands for it. */
  readonly collection: boolean;
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
  const suites: Suite[] = [];
  let current: OpenCase | undefined;
  let seen = false;
  parser.on("opentag", ({ name, attributes }) => {
    const attribute = (key: string): string => String(attributes[key] ?? "");
    if (name === "testsuites" || name === "testsuite") seen = true;
    if (name === "testsuite")
      suites.push({ name: attribute("name"), file: attribute("file") || inherited(suites) });
    else if (name === "testcase") current = opened(attribute, suites, root);
    else if (current !== undefined) current = marked(current, name, attribute);
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

type Attribute = (key: string) => string;

function inherited(suites: readonly Suite[]): string {
  return suites.at(-1)?.file ?? "";
}

function opened(attribute: Attribute, suites: readonly Suite[], root: string): OpenCase {
  const className = attribute("classname");
  const path = className === "" ? suites.slice(1).map((suite) => suite.name) : [className];
  return {
    file: relativeTo(root, attribute("file") || inherited(suites)),
    suite: path.map((part) => portableName(root, part)),
    name: portableName(root, attribute("name")),
    status: "passed",
    collection: false,
  };
}

/** What an element inside a test case says about it. */
function marked(test: OpenCase, element: string, attribute: Attribute): OpenCase {
  switch (element) {
    case "failure":
      return { ...test, status: "failed" };
    case "error":
      return { ...test, status: "failed", collection: attribute("message").includes("collection failure") };
    case "skipped":
      return { ...test, status: attribute("type") === "pytest.xfail" ? "todo" : "skipped" };
    default:
      return test;
  }
}
