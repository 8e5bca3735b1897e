import * as v from "valibot";
import type { TestResult, TestStatus } from "../types.ts";
import { readJson } from "./json-text.ts";
import { type ParseReport, portableName } from "./types.ts";

const Line = v.object({ Action: v.string(), Package: v.optional(v.string()), Test: v.optional(v.string()) });
const STATUS: Readonly<Record<string, TestStatus>> = { pass: "passed", fail: "failed", skip: "skipped" };

/**
 * `go test -json` on stdout. go names packages, not files: the file of an id is the package's folder in the module,
 * "." for the root. A package that fails without a test (it does not build) is a broken file.
 */
export const parseGoJson: ParseReport = async ({ stdout }, { root, goModule }) => {
  const results: TestResult[] = [];
  const ended = new Map<string, string>();
  let lines = 0;
  for (const raw of stdout.split("\n")) {
    const line = raw.startsWith("{") ? readJson(Line, raw) : undefined;
    if (line === undefined) continue;
    lines += 1;
    const status = STATUS[line.Action];
    if (line.Package === undefined || status === undefined) continue;
    const file = folder(line.Package, goModule);
    if (line.Test === undefined) {
      ended.set(file, line.Action);
      continue;
    }
    const path = portableName(root, line.Test).split("/");
    results.push({ id: { file, suite: path.slice(0, -1), name: path.at(-1) ?? "" }, status });
  }
  if (lines === 0) return undefined;
  const withTests = new Set(results.map((result) => result.id.file));
  const brokenFiles = [...ended]
    .filter(([file, how]) => how === "fail" && !withTests.has(file))
    .map(([file]) => file);
  return { results, brokenFiles, source: "stdout" };
};

function folder(name: string, goModule: string | undefined): string {
  if (goModule === undefined) return name;
  if (name === goModule) return ".";
  return name.startsWith(`${goModule}/`) ? name.slice(goModule.length + 1) : name;
}

const Output = v.object({ Output: v.string() });

/** What people would have read without `-json`. */
export function goOutput(stdout: string): string {
  return stdout
    .split("\n")
    .map((raw) =>
      raw.startsWith("{") ? (readJson(Output, raw)?.Output ?? "") : raw === "" ? "" : `${raw}\n`,
    )
    .join("");
}
