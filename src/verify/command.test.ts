import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { resolveCommand } from "./command.ts";
import { expectedTestFiles, planReport } from "./runners.ts";
import { quoted, simpleWords } from "./shell-words.ts";

const PATHS = { report: "/out/report", reporter: "/out/reporter.mjs" };

function runnerOf(line: string, scripts: Readonly<Record<string, string>> = {}): string | undefined {
  return resolveCommand({ line }, scripts).runner;
}
function plannedLine(line: string, scripts: Readonly<Record<string, string>> = {}): string | undefined {
  const plan = planReport({ line }, resolveCommand({ line }, scripts), PATHS);
  return plan === undefined || "argv" in plan.command ? undefined : plan.command.line;
}

describe("the words of a command line", () => {
  test("are read only when it is one simple command", () => {
    for (const line of [
      "a && b",
      "a | b",
      "a; b",
      "a > b",
      "a $(b)",
      "a `b`",
      "a\nb",
      "a # b",
      "(a)",
      "! a",
      "a &",
      "",
      "'a",
    ]) {
      expect([line, simpleWords(line)]).toEqual([line, undefined]);
    }
  });

  test("come unquoted, with variables and globs as written", () => {
    const words = simpleWords(`A=1 'b c' "d \\" e" f\\ g "$HOME/x" test/*.js a#b`);
    expect(words?.map((word) => word.text)).toEqual([
      "A=1",
      "b c",
      `d " e`,
      "f g",
      "$HOME/x",
      "test/*.js",
      "a#b",
    ]);
  });

  test("survive quoting", () => {
    const word = fc.string({ minLength: 1 }).filter((text) => !/[\n\r\0]/.test(text));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), (words) => {
        const line = ["run", ...words].map(quoted).join(" ");
        expect(simpleWords(line)?.map((entry) => entry.text)).toEqual(["run", ...words]);
      }),
    );
  });
});

describe("a command", () => {
  test("is followed through package scripts to what runs in the end", () => {
    const scripts = { test: "npm run unit", unit: "vitest run" };
    expect(resolveCommand({ line: "npm test" }, scripts)).toMatchObject({
      text: "vitest run",
      via: ["npm test", "npm run unit"],
      runner: "vitest",
    });
  });

  test("that calls itself ends", () => {
    expect(resolveCommand({ line: "npm test" }, { test: "npm test" }).via.length).toBeLessThan(10);
  });

  test.each([
    ["node --test", "node:test"],
    ["node --import tsx --test test/*.ts", "node:test"],
    ["npx vitest run", "vitest"],
    ["npx --no-install jest --ci", "jest"],
    ["pnpm vitest run", "vitest"],
    ["yarn jest", "jest"],
    ["./node_modules/.bin/mocha", "mocha"],
    ["NODE_ENV=test cross-env A=b mocha -r x", "mocha"],
    ["c8 node --test", "node:test"],
    ["bun test", "bun"],
    ["deno test -A", "deno"],
    ["pytest -q", "pytest"],
    ["python3 -m pytest tests", "pytest"],
    ["uv run pytest", "pytest"],
    ["poetry run python -m pytest", "pytest"],
    ["go test ./...", "go"],
    ["cargo test --workspace", "cargo"],
    ["cargo nextest run", "nextest"],
    ["bundle exec rspec", "rspec"],
    ["vendor/bin/phpunit", "phpunit"],
  ])("%s is seen to run %s", (line, runner) => {
    expect(runnerOf(line)).toBe(runner);
  });

  test.each([
    "npm run build && node --test",
    "make test",
    "bash -c 'node --test'",
    "node test.js",
    "vitest bench",
    "cargo build",
    "npm --prefix web test",
    "npm run test --workspaces",
  ])("%s is judged by its exit code", (line) => {
    expect(runnerOf(line, { test: "node --test", build: "tsc" })).toBeUndefined();
  });
});

describe("a report", () => {
  test("is asked for behind the runner's own arguments, through one -- for each npm on the way", () => {
    const asked = "--reporter=default --reporter=json --outputFile.json=/out/report";
    expect(plannedLine("npx vitest run")).toBe(`npx vitest run ${asked}`);
    expect(plannedLine("npm test", { test: "vitest run" })).toBe(`npm test -- ${asked}`);
    expect(plannedLine("npm test", { test: "npm run u", u: "vitest run" })).toBe(`npm test -- -- ${asked}`);
    expect(plannedLine("npm test -- --bail", { test: "vitest run" })).toBe(`npm test -- --bail ${asked}`);
    expect(plannedLine("pnpm test", { test: "vitest run" })).toBe(`pnpm test ${asked}`);
  });

  test("is asked for right after the verb where the rest belongs to the tests", () => {
    expect(plannedLine("go test ./... -run X")).toBe("go test -json ./... -run X");
    expect(plannedLine("cargo test -- --nocapture")).toBe("cargo test --no-fail-fast -- --nocapture");
  });

  test("is asked for through the environment where that reaches the runner", () => {
    const command = { argv: ["python", "-m", "pytest"] };
    const plan = planReport(command, resolveCommand(command, {}), PATHS);
    expect(plan).toMatchObject({
      command,
      env: { PYTEST_ADDOPTS: "--junitxml=/out/report -o junit_family=xunit1" },
    });
  });

  test("is not asked for where the command asks for one of its own or ends its options", () => {
    expect(plannedLine("vitest run --reporter=dot")).toBeUndefined();
    expect(plannedLine("jest -- a")).toBeUndefined();
    expect(plannedLine("npm test", { test: "go test ./..." })).toBeUndefined();
  });
});

describe("expected test files", () => {
  const paths = ["a.test.ts", "src/b.test.ts", "src/b.ts", "e2e/c.test.ts", "pkg/x_test.go", "y_test.go"];

  test("are those of the runner, below the paths that the command names", () => {
    expect(expectedTestFiles(resolveCommand({ line: "vitest run" }, {}), paths)).toEqual(
      paths.filter((path) => path.endsWith(".test.ts")),
    );
    expect(expectedTestFiles(resolveCommand({ line: "vitest run src/" }, {}), paths)).toEqual([
      "src/b.test.ts",
    ]);
  });

  test("are folders for go", () => {
    expect(expectedTestFiles(resolveCommand({ line: "go test ./..." }, {}), paths)).toEqual(["pkg", "."]);
  });
});
