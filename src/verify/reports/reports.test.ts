import { describe, expect, test } from "vitest";
import { parseCargoText, parseNextestText } from "./cargo-text.ts";
import { reportParser } from "./formats.ts";
import { goOutput, parseGoJson } from "./go-json.ts";
import { parseJestJson } from "./jest-json.ts";
import { parseJunit } from "./junit.ts";
import { parseMochaJson } from "./mocha-json.ts";
import { parseNodeLines } from "./node-lines.ts";
import { parseTap } from "./tap.ts";
import type { TestRun } from "./types.ts";

const context = { root: "/room" };
const EMPTY = { file: undefined, stdout: "", stderr: "" };

function shown(run: TestRun | undefined): readonly string[] | undefined {
  return run?.results.map(({ id, status }) => `${status}: ${[id.file, ...id.suite, id.name].join(" > ")}`);
}

describe("node:test", () => {
  test("gives suite paths by nesting and files without tests apart", async () => {
    const lines = [
      ["start", "outer", 0, "/room/a.test.js", false, false, false],
      ["start", "in /room/x", 1, "/room/a.test.js", false, false, false],
      ["pass", "in /room/x", 1, "/room/a.test.js", false, false, false],
      ["start", "later", 1, "/room/a.test.js", false, false, false],
      ["pass", "later", 1, "/room/a.test.js", true, false, false],
      ["fail", "outer", 0, "/room/a.test.js", false, false, true],
      ["start", "/room/b.test.js", 0, "/room/b.test.js", false, false, false],
      ["fail", "/room/b.test.js", 0, "/room/b.test.js", false, false, false],
    ];
    const run = await parseNodeLines(
      { ...EMPTY, file: lines.map((line) => JSON.stringify(line)).join("\n") },
      context,
    );
    expect(shown(run)).toEqual(["passed: a.test.js > outer > in ./x", "skipped: a.test.js > outer > later"]);
    expect(run?.brokenFiles).toEqual(["b.test.js"]);
  });

  test("with a line that is not ours is no report", async () => {
    expect(await parseNodeLines({ ...EMPTY, file: "hello\n" }, context)).toBeUndefined();
  });
});

describe("Jest and Vitest", () => {
  test("give files relative to the checkout and files that could not be loaded apart", async () => {
    const file = JSON.stringify({
      testResults: [
        {
          name: "/room/src/a.test.ts",
          assertionResults: [
            { ancestorTitles: ["o", "i"], title: "w", status: "passed" },
            { ancestorTitles: [], title: "s", status: "pending" },
            { ancestorTitles: [], title: "t", status: "todo" },
            { ancestorTitles: [], title: "f", status: "failed" },
          ],
        },
        { name: "/room/src/b.test.ts", assertionResults: [] },
      ],
    });
    const run = await parseJestJson({ ...EMPTY, file }, context);
    expect(shown(run)).toEqual([
      "passed: src/a.test.ts > o > i > w",
      "skipped: src/a.test.ts > s",
      "todo: src/a.test.ts > t",
      "failed: src/a.test.ts > f",
    ]);
    expect(run?.brokenFiles).toEqual(["src/b.test.ts"]);
  });
});

describe("Mocha", () => {
  test("may print its report when it cannot write it", async () => {
    const report = {
      stats: {},
      passes: [{ title: "b", fullTitle: "a b", file: "/room/test/a.js" }],
      failures: [],
      pending: [{ title: "c", fullTitle: "a c", file: "/room/test/a.js" }],
    };
    const run = await parseMochaJson(
      { ...EMPTY, stdout: `noise\n${JSON.stringify(report, null, 2)}` },
      context,
    );
    expect(shown(run)).toEqual(["passed: test/a.js > a b", "skipped: test/a.js > a c"]);
    expect(run?.source).toBe("stdout");
  });
});

describe("JUnit XML", () => {
  test("of pytest keeps expected failures as todo and collection errors as broken files", async () => {
    const file = `<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest">
      <testcase classname="tests.test_a.TestC" name="test_m" file="tests/test_a.py"/>
      <testcase classname="tests.test_a" name="test_s" file="tests/test_a.py"><skipped type="pytest.skip"/></testcase>
      <testcase classname="tests.test_a" name="test_x" file="tests/test_a.py"><skipped type="pytest.xfail"/></testcase>
      <testcase classname="tests.test_a" name="test_f[1&lt;2]" file="tests/test_a.py"><failure message="m">&lt;</failure></testcase>
      <testcase classname="" name="tests.test_b" file="tests/test_b.py"><error message="collection failure">x</error></testcase>
      </testsuite></testsuites>`;
    const run = await parseJunit({ ...EMPTY, file }, context);
    expect(shown(run)).toEqual([
      "passed: tests/test_a.py > tests.test_a.TestC > test_m",
      "skipped: tests/test_a.py > tests.test_a > test_s",
      "todo: tests/test_a.py > tests.test_a > test_x",
      "failed: tests/test_a.py > tests.test_a > test_f[1<2]",
    ]);
    expect(run?.brokenFiles).toEqual(["tests/test_b.py"]);
  });

  test("takes file and path from the enclosing suites where the test has none", async () => {
    const file = `<testsuite name="all" file="a.test.ts"><testsuite name="s"><testcase name="n"/></testsuite></testsuite>`;
    expect(shown(await parseJunit({ ...EMPTY, file }, context))).toEqual(["passed: a.test.ts > s > n"]);
  });

  test("that is cut off or something else is no report", async () => {
    for (const file of ["<testsuites><testsuite>", "<html></html>", "", "plain"]) {
      expect(await parseJunit({ ...EMPTY, file }, context)).toBeUndefined();
    }
  });
});

describe("go test -json", () => {
  const lines = [
    { Action: "run", Package: "example.com/m", Test: "TestA" },
    { Action: "output", Package: "example.com/m", Test: "TestA", Output: "=== RUN TestA\n" },
    { Action: "pass", Package: "example.com/m", Test: "TestA/sub" },
    { Action: "pass", Package: "example.com/m", Test: "TestA" },
    { Action: "skip", Package: "example.com/m/p", Test: "TestS" },
    { Action: "fail", Package: "example.com/m/broken" },
    { Action: "pass", Package: "example.com/m" },
  ];
  const stdout = `go: downloading x\n${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;

  test("names packages by their folder, and packages that do not build apart", async () => {
    const run = await parseGoJson({ ...EMPTY, stdout }, { ...context, goModule: "example.com/m" });
    expect(shown(run)).toEqual(["passed: . > TestA > sub", "passed: . > TestA", "skipped: p > TestS"]);
    expect(run).toMatchObject({ brokenFiles: ["broken"], source: "stdout" });
  });

  test("reads as it would without -json", () => {
    expect(goOutput(stdout)).toBe("go: downloading x\n=== RUN TestA\n");
  });
});

describe("cargo", () => {
  const stdout = `
running 2 tests
test tests::ig ... ignored
test tests::one ... ok

test result: ok. 1 passed

running 1 test
test it_works - should panic ... FAILED
`;

  test("test gives the binary of each block from the names on stderr", async () => {
    const stderr = `   Compiling foo
     Running unittests src/lib.rs (target/debug/deps/foo-28a01a7770d7ff1d)
     Running tests/it.rs (target/debug/deps/it-7608d861dbef0eaf)
`;
    expect(shown(await parseCargoText({ ...EMPTY, stdout, stderr }, context))).toEqual([
      "skipped: foo:src/lib.rs > tests > ig",
      "passed: foo:src/lib.rs > tests > one",
      "failed: tests/it.rs > it_works",
    ]);
  });

  test("test with names that do not fit the blocks leaves the file open rather than guess", async () => {
    const run = await parseCargoText({ ...EMPTY, stdout, stderr: "" }, context);
    expect(run?.results.map((result) => result.id.file)).toEqual(["", "", ""]);
  });

  test("nextest is read up to its summary", async () => {
    const stderr = `    Starting 2 tests
        PASS [   0.004s] (1/2) foo::it a::works
        FAIL [   0.010s] (2/2) foo b
     Summary [   0.010s] 2 tests run
        FAIL [   0.010s] (2/2) foo b
`;
    expect(shown(await parseNextestText({ ...EMPTY, stderr }, context))).toEqual([
      "passed: foo::it > a > works",
      "failed: foo > b",
    ]);
  });
});

describe("TAP", () => {
  test("puts tests under the test that follows them", async () => {
    const file = `TAP version 14
# Subtest: outer
    ok 1 - works
    not ok 2 - later # TODO soon
    1..2
ok 1 - outer # time=3ms
ok 2 - gone # SKIP no reason
not ok 3 - fails
1..3
`;
    expect(shown(await parseTap({ ...EMPTY, file }, context))).toEqual([
      "passed:  > outer > works",
      "todo:  > outer > later",
      "passed:  > outer",
      "skipped:  > gone",
      "failed:  > fails",
    ]);
  });

  test("that is no TAP is no report", async () => {
    expect(await parseTap({ ...EMPTY, file: "hello" }, context)).toBeUndefined();
  });
});

test("a JSON report is recognised by its shape", async () => {
  const parse = reportParser("json");
  const rspec = { examples: [{ full_description: "a b", status: "pending", file_path: "./spec/a_spec.rb" }] };
  expect(shown(await parse({ ...EMPTY, file: JSON.stringify(rspec) }, context))).toEqual([
    "skipped: spec/a_spec.rb > a b",
  ]);
  expect(await parse({ ...EMPTY, file: `{"ok":true}` }, context)).toBeUndefined();
});
