import type { Command, ResolvedCommand, RunnerName } from "./command.ts";
import { matcher } from "./globs.ts";
import { parseCargoText, parseNextestText } from "./reports/cargo-text.ts";
import { parseGoJson } from "./reports/go-json.ts";
import { parseJestJson } from "./reports/jest-json.ts";
import { parseJunit } from "./reports/junit.ts";
import { parseMochaJson } from "./reports/mocha-json.ts";
import { parseNodeLines } from "./reports/node-lines.ts";
import { parseRspecJson } from "./reports/rspec-json.ts";
import { parseTap } from "./reports/tap.ts";
import type { ParseReport } from "./reports/types.ts";
import { quoted, simpleWords } from "./shell-words.ts";

/** Where a run writes: outside every checkout, at paths that nobody can guess beforehand. */
export interface ReportPaths {
  readonly report: string;
  /** Our reporter module for node:test. */
  readonly reporter: string;
}

type Injection =
  /** Arguments after everything else, through package scripts too. */
  | { readonly kind: "append"; readonly args: (paths: ReportPaths) => readonly string[] }
  /** Arguments right after the runner's own verb; only where we see the runner's words ourselves. */
  | {
      readonly kind: "insert";
      readonly after: string;
      readonly args: readonly string[];
      readonly needed: boolean;
    }
  | { readonly kind: "env"; readonly env: (paths: ReportPaths) => Readonly<Record<string, string>> };

interface Runner {
  readonly injection: Injection;
  readonly parse: ParseReport;
  /** The report is on stdout, or partly so. */
  readonly onStreams?: true;
  /** A command that already asks for a report of this kind keeps it, and gives us none. */
  readonly conflicts?: RegExp;
  /** Test files by the runner's own defaults. */
  readonly files: readonly string[];
}

const JS = "{js,jsx,ts,tsx,mjs,cjs,mts,cts}";
const SPEC_FILES = [`**/*.{test,spec}.${JS}`];

const RUNNERS: Readonly<Record<RunnerName, Runner>> = {
  "node:test": {
    injection: {
      kind: "env",
      env: ({ report, reporter }) => ({
        NODE_OPTIONS: [
          `--test-reporter=${reporter}`,
          `--test-reporter-destination=${report}`,
          "--test-reporter=spec",
          "--test-reporter-destination=stdout",
        ].join(" "),
      }),
    },
    parse: parseNodeLines,
    conflicts: /^--test-reporter/,
    files: [
      `**/*.test.${JS}`,
      `**/*{-,_}test.${JS}`,
      `**/test-*.${JS}`,
      `**/test.${JS}`,
      `**/test/**/*.${JS}`,
    ],
  },
  vitest: {
    injection: {
      kind: "append",
      args: ({ report }) => ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`],
    },
    parse: parseJestJson,
    conflicts: /^--(outputFile|reporter)\b/,
    files: SPEC_FILES,
  },
  jest: {
    injection: { kind: "append", args: ({ report }) => ["--json", `--outputFile=${report}`] },
    parse: parseJestJson,
    conflicts: /^--(outputFile|json)\b/,
    files: [...SPEC_FILES, `**/__tests__/**/*.${JS}`],
  },
  mocha: {
    injection: {
      kind: "append",
      args: ({ report }) => ["--reporter", "json", "--reporter-option", `output=${report}`],
    },
    parse: parseMochaJson,
    onStreams: true,
    conflicts: /^(--reporter(-options?)?|-R|-O)\b/,
    files: ["test/*.{js,cjs,mjs}"],
  },
  ava: {
    injection: { kind: "append", args: () => ["--tap"] },
    parse: parseTap,
    onStreams: true,
    conflicts: /^--?(tap|t)$/,
    files: [],
  },
  bun: {
    injection: {
      kind: "append",
      args: ({ report }) => ["--reporter=junit", `--reporter-outfile=${report}`],
    },
    parse: parseJunit,
    conflicts: /^--reporter/,
    files: [`**/*{.,_}{test,spec}.${JS}`],
  },
  deno: {
    injection: { kind: "append", args: ({ report }) => [`--junit-path=${report}`] },
    parse: parseJunit,
    conflicts: /^--(junit-path|reporter)/,
    files: [`**/*{.,_}test.${JS}`, `**/test.${JS}`],
  },
  pytest: {
    // The classic family is the one that names the file of each test.
    injection: {
      kind: "env",
      env: ({ report }) => ({ PYTEST_ADDOPTS: `--junitxml=${report} -o junit_family=xunit1` }),
    },
    parse: parseJunit,
    conflicts: /^--junit-?xml|junit_family/,
    files: ["**/test_*.py", "**/*_test.py"],
  },
  go: {
    injection: { kind: "insert", after: "test", args: ["-json"], needed: true },
    parse: parseGoJson,
    onStreams: true,
    conflicts: /^-(json|c|list)$/,
    files: ["**/*_test.go"],
  },
  cargo: {
    injection: { kind: "insert", after: "test", args: ["--no-fail-fast"], needed: false },
    parse: parseCargoText,
    onStreams: true,
    conflicts: /^--(no-run|no-fail-fast|list|message-format)/,
    files: ["**/tests/*.rs"],
  },
  nextest: {
    injection: { kind: "insert", after: "run", args: ["--no-fail-fast"], needed: false },
    parse: parseNextestText,
    onStreams: true,
    conflicts: /^--(no-run|no-fail-fast|message-format)/,
    files: [],
  },
  phpunit: {
    injection: { kind: "append", args: ({ report }) => ["--log-junit", report] },
    parse: parseJunit,
    conflicts: /^--log-junit/,
    files: ["**/*Test.php"],
  },
  rspec: {
    injection: {
      kind: "append",
      args: ({ report }) => ["--format", "progress", "--format", "json", "--out", report],
    },
    parse: parseRspecJson,
    conflicts: /^(--format|-f|--out|-o)/,
    files: ["**/*_spec.rb"],
  },
};

/** How a check is started so that a machine report appears. */
export interface ReportPlan {
  readonly runner: RunnerName;
  readonly command: Command;
  readonly env: Readonly<Record<string, string>>;
  readonly parse: ParseReport;
  /** Whether `parse` reads stdout and stderr. */
  readonly onStreams: boolean;
}

/**
 * The command with the arguments and environment that make its runner report to `paths`; undefined when the runner
 * is unknown or cannot be reached. Pure.
 */
export function planReport(
  command: Command,
  resolved: ResolvedCommand,
  paths: ReportPaths,
): ReportPlan | undefined {
  const { runner: name, words } = resolved;
  if (name === undefined || words === undefined) return undefined;
  const runner = RUNNERS[name];
  if (words.some((word) => runner.conflicts?.test(word))) return undefined;
  const { parse, onStreams = false } = runner;
  const plan = { runner: name, parse, onStreams, command, env: {} };
  switch (runner.injection.kind) {
    case "env":
      return { ...plan, env: runner.injection.env(paths) };
    case "append": {
      // What follows a bare `--` is not read as options by the runner.
      if (words.includes("--")) return undefined;
      return {
        ...plan,
        command: appended(command, [...resolved.separators, ...runner.injection.args(paths)]),
      };
    }
    case "insert": {
      if (resolved.via.length > 0) return runner.injection.needed ? undefined : plan;
      return { ...plan, command: inserted(command, runner.injection.after, runner.injection.args) };
    }
  }
}

function appended(command: Command, args: readonly string[]): Command {
  if ("argv" in command) return { argv: [...command.argv, ...args] };
  return { line: [command.line.trimEnd(), ...args.map(quoted)].join(" ") };
}

function inserted(command: Command, after: string, args: readonly string[]): Command {
  if ("argv" in command) {
    const at = command.argv.indexOf(after) + 1;
    return at === 0 ? command : { argv: [...command.argv.slice(0, at), ...args, ...command.argv.slice(at)] };
  }
  const end = simpleWords(command.line)?.find((word) => word.text === after)?.end;
  if (end === undefined) return command;
  return { line: `${command.line.slice(0, end)} ${args.map(quoted).join(" ")}${command.line.slice(end)}` };
}

/**
 * The test files that a run must report on when the base run gave no ids: those of the base tree by the runner's
 * defaults, below the paths that the command names if it names any. For go they are folders.
 */
export function expectedTestFiles(
  resolved: ResolvedCommand,
  basePaths: readonly string[],
): readonly string[] {
  if (resolved.runner === undefined) return [];
  const files = basePaths
    .filter(matcher(RUNNERS[resolved.runner].files))
    .filter((path) => !/(^|\/)node_modules\//.test(path));
  const named = (resolved.words ?? [])
    .slice(1)
    .filter((word) => !word.startsWith("-") && /[./*]/.test(word))
    .map((word) =>
      word
        .replace(/^(\.\/)+/, "")
        .replace(/\/?\.\.\.$/, "")
        .replace(/::.*$/, ""),
    )
    .filter((word) => word !== "" && word !== ".");
  const inside = matcher(named);
  const chosen = named.length === 0 ? files : files.filter(inside);
  const scoped = chosen.length === 0 ? files : chosen;
  if (resolved.runner !== "go") return scoped;
  return [
    ...new Set(scoped.map((path) => (path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "."))),
  ];
}
