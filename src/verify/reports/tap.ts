import type { TestResult, TestStatus } from "../types.ts";
import { type ParseReport, portableName } from "./types.ts";

/**
 * TAP 12 to 14, from the report file or else stdout. The path of a nested test are its parents, which TAP names after
 * their children; TAP has no files.
 */
export const parseTap: ParseReport = async ({ file, stdout }, { root }) => {
  const text = file ?? stdout;
  if (!/^\s*(TAP version \d+|1\.\.\d+|(not )?ok\b)/m.test(text)) return undefined;
  const open: { readonly depth: number; readonly result: TestResult }[] = [];
  for (const line of text.split(/\r?\n/)) {
    const match = /^(\s*)(not ok|ok)\b(?:\s+\d+)?\s*(?:-\s*)?(.*)$/.exec(line);
    if (match === null) continue;
    const depth = (match[1] ?? "").length;
    const directive = /\s*(?<!\\)#\s*(skip|todo|time)\b.*$/i.exec(match[3] ?? "");
    const name = portableName(
      root,
      (match[3] ?? "")
        .slice(0, directive?.index)
        .replace(/\s*\{\s*$/, "")
        .trim(),
    );
    adopt(open, depth, name);
    const status = tapStatus(match[2] === "ok", directive?.[1]?.toLowerCase());
    open.push({ depth, result: { id: { file: "", suite: [], name }, status } });
  }
  return {
    results: open.map((entry) => entry.result),
    brokenFiles: [],
    source: file === undefined ? "stdout" : "file",
  };
};

/** A line at a lower depth is the parent of the deeper ones that stand right before it. */
function adopt(open: { readonly depth: number; result: TestResult }[], depth: number, parent: string): void {
  for (let index = open.length - 1; index >= 0; index -= 1) {
    const entry = open[index];
    if (entry === undefined || entry.depth <= depth) return;
    const { id, status } = entry.result;
    entry.result = { id: { ...id, suite: [parent, ...id.suite] }, status };
  }
}

function tapStatus(isOk: boolean, directive: string | undefined): TestStatus {
  if (directive === "skip") return "skipped";
  if (directive === "todo") return "todo";
  return isOk ? "passed" : "failed";
}
