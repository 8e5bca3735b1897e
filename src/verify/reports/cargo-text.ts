import type { TestResult, TestStatus } from "../types.ts";
import type { ParseReport } from "./types.ts";

const STATUS: Readonly<Record<string, TestStatus>> = { ok: "passed", FAILED: "failed", ignored: "skipped" };

/**
 * The text of stable `cargo test`. Binaries are named on stderr, their tests printed on stdout, both in order: the n-th
 * name belongs to the n-th block. When the counts differ the file is unknown and left empty.
 */
export const parseCargoText: ParseReport = async ({ stdout, stderr }) => {
  const blocks: TestResult[][] = [];
  for (const line of stdout.split(/\r?\n/)) {
    if (/^running \d+ tests?$/.test(line)) blocks.push([]);
    const match = /^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)\b/.exec(line);
    const status = STATUS[match?.[2] ?? ""];
    if (match?.[1] === undefined || status === undefined) continue;
    const path = match[1].split("::");
    blocks.at(-1)?.push({ id: { file: "", suite: path.slice(0, -1), name: path.at(-1) ?? "" }, status });
  }
  if (blocks.length === 0) return undefined;
  const names = binaries(stderr);
  const files = names.length === blocks.length ? names : [];
  const results = blocks.flatMap((block, index) =>
    block.map((result) => ({ ...result, id: { ...result.id, file: files[index] ?? "" } })),
  );
  return { results, brokenFiles: [], source: "stdout" };
};

/** `tests/it.rs`; for unit tests the crate and its root file, as `foo:src/lib.rs`; for doc tests `doc:foo`. */
function binaries(stderr: string): readonly string[] {
  const names: string[] = [];
  for (const line of stderr.split(/\r?\n/)) {
    const unit = /^\s+Running unittests (\S+) \(.*?([^/\\]+)-[0-9a-f]+(?:\.exe)?\)/.exec(line);
    const file = /^\s+Running (?!unittests)(\S+) \(/.exec(line);
    const doc = /^\s+Doc-tests (\S+)/.exec(line);
    if (unit !== null) names.push(`${unit[2]}:${unit[1]}`);
    else if (file?.[1] !== undefined) names.push(file[1]);
    else if (doc !== null) names.push(`doc:${doc[1]}`);
  }
  return names;
}

const NEXTEST_LINE =
  /^\s*(PASS|FAIL|TIMEOUT|ABORT|SIG[A-Z]+|LEAK|FLAKY \S+)\s+\[[^\]]*\]\s+(?:\(\s*\d+\/\d+\)\s+)?(\S+)\s+(\S+)\s*$/;

/** The text of `cargo nextest run` on stderr, up to its summary, which names failed tests again. */
export const parseNextestText: ParseReport = async ({ stderr }) => {
  const results: TestResult[] = [];
  const summary = /^\s*Summary \[/m.exec(stderr);
  if (summary === null) return undefined;
  for (const line of stderr.slice(0, summary.index).split(/\r?\n/)) {
    const match = NEXTEST_LINE.exec(line);
    if (match?.[1] === undefined || match[2] === undefined) continue;
    const path = (match[3] ?? "").split("::");
    const passed = match[1] === "PASS" || match[1] === "LEAK" || match[1].startsWith("FLAKY");
    results.push({
      id: { file: match[2], suite: path.slice(0, -1), name: path.at(-1) ?? "" },
      status: passed ? "passed" : "failed",
    });
  }
  return { results, brokenFiles: [], source: "stdout" };
};
