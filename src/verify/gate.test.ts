import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createCheckFiles } from "../adapters/check-files/index.ts";
import { createProcessRunner } from "../adapters/process/index.ts";
import type { Digest } from "../core/hash.ts";
import { must } from "../core/result.ts";
import { systemClock } from "../testing/process-lab.ts";
import { type TempRooms, type TempRoomsOptions, tempRooms } from "../testing/temp-rooms.ts";
import { type TreeFiles, type TreeWorkspace, treeWorkspace } from "../testing/tree-workspace.ts";
import { runBaseline } from "./baseline.ts";
import { type FreezeRequest, freezeGate } from "./freeze.ts";
import { evaluateGate, type GatePorts, type GateRequest } from "./gate.ts";
import type { Baseline, Check, CheckVerdict, Detector, FrozenGate, GateResult } from "./types.ts";

const PATH = process.env["PATH"] ?? "";
const runner = createProcessRunner({ clock: systemClock, host: "here", toolPath: PATH });

let scratch = "";
beforeEach(() => {
  scratch = realpathSync(mkdtempSync(join(tmpdir(), "loopwright-gate-")));
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

interface Bench {
  readonly workspace: TreeWorkspace;
  readonly rooms: TempRooms;
  readonly frozen: FrozenGate;
  readonly ports: GatePorts;
  baseline(): Promise<Baseline>;
  judge(found: TreeFiles, more?: Partial<GateRequest>): Promise<GateResult>;
}

interface BenchOptions extends Partial<FreezeRequest> {
  readonly rooms?: TempRoomsOptions;
  readonly ports?: Partial<GatePorts>;
}

async function bench(base: TreeFiles, checks: readonly Check[], options: BenchOptions = {}): Promise<Bench> {
  const { rooms: roomOptions, ports: morePorts, ...freeze } = options;
  const workspace = treeWorkspace();
  const rooms = tempRooms(workspace, roomOptions);
  const baseTree = workspace.tree(base);
  const { gate } = must(
    await freezeGate(workspace, {
      base: baseTree,
      checks,
      goals: [...new Set(checks.map((check) => check.target))].filter((target) => target !== "overall"),
      environment: { base: baseTree, snapshots: [], envFiles: [], setup: [] },
      protect: [],
      unprotect: [],
      allowTests: false,
      guard: false,
      flakyRetries: 0,
      toolPath: PATH,
      ...freeze,
    }),
  );
  let seed = 0;
  const ports: GatePorts = {
    process: runner,
    rooms,
    clock: systemClock,
    entropy: { bytes: (count) => Uint8Array.from({ length: count }, () => (seed = (seed * 31 + 7) % 251)) },
    checkFiles: createCheckFiles(),
    ...morePorts,
  };
  let known: Baseline | undefined;
  const baseline = async (): Promise<Baseline> => {
    known ??= must(await runBaseline(ports, gate, { workspace, workDir: "/nowhere", scratch }));
    return known;
  };
  return {
    workspace,
    rooms,
    frozen: gate,
    ports,
    baseline,
    judge: async (found, more = {}) =>
      must(
        await evaluateGate(ports, gate, {
          workspace,
          workDir: "/nowhere",
          found: workspace.tree(found),
          baseline: await baseline(),
          scratch,
          approvedDependencyChange: false,
          ...more,
        }),
      ),
  };
}

function check(name: string, detector: Detector, more: Partial<Check> = {}): Check {
  return { name, target: "goal", statement: name, blocking: true, timeoutMs: 20_000, detector, ...more };
}

function script(line: string, expectExit = 0): Detector {
  return { type: "script", command: { line }, expectExit };
}

function only(result: GateResult): CheckVerdict {
  const first = result.checks[0];
  if (first === undefined) throw new Error("no verdict");
  return first;
}

const SUM_TEST = `
import { test } from "node:test";
import assert from "node:assert";
import { sum } from "./sum.mjs";
test("adds", () => assert.equal(sum(1, 2), 3));
test("keeps zero", () => assert.equal(sum(0, 0), 0));
`;
const BROKEN = "export const sum = (a, b) => a - b;\n";
const FIXED = "export const sum = (a, b) => a + b;\n";
const PROJECT: TreeFiles = {
  "package.json": JSON.stringify({ name: "demo", type: "module", scripts: { test: "node --test" } }),
  "sum.mjs": BROKEN,
  "sum.test.mjs": SUM_TEST,
};
const NPM_TEST = check("tests", script("npm test"));
const NODE_TEST = check("tests", script("node --test"));
const GREP = check("greps", script("grep -q 2 a.txt"));
/** Spares the comparison of checkout and working folder. */
const HERE = { level: "in-place" } as const;

describe("a test run", () => {
  test("is red before the work and satisfied by a real fix, with ids from the runner's own report", async () => {
    const { baseline, judge } = await bench(PROJECT, [NPM_TEST]);
    const before = await baseline();
    expect(before).toMatchObject({
      state: "red",
      level: "clean",
      checks: [{ check: "tests", verdict: "fail" }],
    });
    expect(before.checks[0]?.tests?.map((result) => [result.id.name, result.status])).toEqual([
      ["adds", "failed"],
      ["keeps zero", "passed"],
    ]);
    const result = await judge({ ...PROJECT, "sum.mjs": FIXED });
    expect(result).toMatchObject({ satisfied: true, touchedProtected: [], level: "clean" });
    expect(only(result)).toMatchObject({
      verdict: "pass",
      evidence: { exitCode: 0, report: "file", tests: { passed: 2, failed: 0, missing: [] } },
    });
  });

  test("is judged with the test files of the base tree, and says so when the changed ones would pass", async () => {
    const { judge } = await bench(PROJECT, [NODE_TEST], HERE);
    const result = await judge({ ...PROJECT, "sum.test.mjs": `import "node:test";\n` });
    expect(result.satisfied).toBe(false);
    expect(result.touchedProtected).toEqual(["sum.test.mjs"]);
    expect(only(result).verdict).toBe("fail");
  });

  test("that passes only with a weakened test is named with the path", async () => {
    const { judge } = await bench(PROJECT, [NODE_TEST], HERE);
    const weakened = `import { test } from "node:test";\ntest("adds", () => {});\n`;
    const result = await judge({ ...PROJECT, "sum.test.mjs": weakened });
    expect(result.satisfied).toBe(false);
    expect(result.restoredButWouldPass).toEqual(["tests: sum.test.mjs"]);
  });

  test("cannot be replaced through the scripts of package.json", async () => {
    const { judge } = await bench(PROJECT, [NPM_TEST], HERE);
    const manifest = JSON.stringify({
      name: "demo",
      type: "module",
      scripts: { test: "true" },
      dependencies: {},
    });
    const result = await judge({ ...PROJECT, "package.json": manifest });
    expect(result.satisfied).toBe(false);
    expect(result.restoredButWouldPass).toEqual(["tests: package.json"]);
  });

  test("fails with the reason when a changed manifest cannot be parsed", async () => {
    const { judge } = await bench(PROJECT, [NPM_TEST], HERE);
    const result = await judge({ ...PROJECT, "sum.mjs": FIXED, "package.json": "{ nonsense" });
    expect(result.satisfied).toBe(false);
    expect(only(result)).toMatchObject({
      verdict: "fail",
      why: expect.stringContaining("package.json cannot be parsed"),
    });
  });

  test("that ends early with exit code 0 lacks its tests and fails", async () => {
    const { judge } = await bench(PROJECT, [NODE_TEST], HERE);
    const cheat = `${FIXED}setTimeout(() => {}, 0); process.exit(0);\n`;
    const result = await judge({ ...PROJECT, "sum.mjs": cheat });
    expect(result.satisfied).toBe(false);
    expect(only(result)).toMatchObject({ verdict: "fail", evidence: { exitCode: 0 } });
  });

  test("runs added tests apart, for information only", async () => {
    const { judge } = await bench(PROJECT, [NODE_TEST], HERE);
    const failing = `import { test } from "node:test";\ntest("new", () => { throw new Error("no"); });\n`;
    const result = await judge({ ...PROJECT, "sum.mjs": FIXED, "new.test.mjs": failing });
    expect(result.satisfied).toBe(true);
    expect(result.checks.map((verdict) => [verdict.check, verdict.verdict, verdict.blocking])).toEqual([
      ["tests", "pass", true],
      ["tests (with added tests)", "fail", false],
    ]);
  });

  test("counts added tests when they are allowed, and still judges old ones as they were", async () => {
    const { judge } = await bench(PROJECT, [NODE_TEST], { ...HERE, allowTests: true });
    const added = `import { test } from "node:test";\ntest("new", () => { throw new Error("no"); });\n`;
    const result = await judge({ ...PROJECT, "sum.mjs": FIXED, "new.test.mjs": added, "sum.test.mjs": "" });
    expect(result.satisfied).toBe(false);
    expect(result.needsApproval).toEqual(["sum.test.mjs"]);
    expect(only(result)).toMatchObject({ evidence: { tests: { passed: 2, failed: 1 } } });
  });

  test("of a base tree that does not load must execute every test file of it", async () => {
    const base = { ...PROJECT, "sum.mjs": "export const sum = ;\n" };
    const { baseline, judge } = await bench(base, [NODE_TEST], HERE);
    expect((await baseline()).checks[0]).toMatchObject({ tests: [], brokenFiles: ["sum.test.mjs"] });
    expect((await judge({ ...base, "sum.mjs": FIXED })).satisfied).toBe(true);
  });
});

describe("a check", () => {
  test("that changes what is judged has no verdict", async () => {
    const { judge } = await bench({ "a.txt": "1", "b.txt": "1" }, [
      check("writes", script("grep -q 2 b.txt && echo 3 > a.txt")),
    ]);
    const result = await judge({ "a.txt": "1", "b.txt": "2" });
    expect(only(result)).toMatchObject({ verdict: "fail", why: expect.stringContaining("altered_by_check") });
  });

  test("without a known runner rests on its exit code, and the evidence says so", async () => {
    const { judge } = await bench({ "a.txt": "1" }, [check("greps", script("grep -q 2 a.txt"))]);
    const result = await judge({ "a.txt": "2" });
    expect(only(result)).toMatchObject({
      verdict: "pass",
      evidence: { notes: ["exit code only"], report: "none" },
    });
  });

  test("that is too slow after the work fails", async () => {
    const slow = check("slow", script("if grep -q 2 a.txt; then sleep 30; fi; false"), { timeoutMs: 300 });
    const { judge } = await bench({ "a.txt": "1" }, [slow]);
    expect(only(await judge({ "a.txt": "2" }))).toMatchObject({
      verdict: "fail",
      why: expect.stringContaining("timed out"),
    });
  });

  test("that is advisory holds nothing", async () => {
    const { judge } = await bench({ "a.txt": "1" }, [
      check("greps", script("grep -q 2 a.txt")),
      check("style", script("false"), { blocking: false }),
    ]);
    expect((await judge({ "a.txt": "2" })).satisfied).toBe(true);
  });

  test("that flips on one tree passes only with retries, and the evidence counts the runs", async () => {
    const flips = (file: string) =>
      script(`grep -q 2 a.txt && { test -e ${file} || { touch ${file}; false; }; }`);
    const strict = await bench({ "a.txt": "1" }, [check("flips", flips(join(scratch, "one")))]);
    expect((await strict.judge({ "a.txt": "2" })).satisfied).toBe(false);
    const lenient = await bench({ "a.txt": "1" }, [check("flips", flips(join(scratch, "two")))], {
      flakyRetries: 1,
    });
    expect(only(await lenient.judge({ "a.txt": "2" }))).toMatchObject({
      verdict: "pass",
      evidence: { flakyRuns: 2 },
    });
  });

  test("sees a metric only from the command that measures it, never from a file of the tree", async () => {
    const checks = [
      check("bench", script(`cp measured.json "$LOOPWRIGHT_METRICS"`), { blocking: false }),
      check("fast", { type: "threshold", metric: "ms", op: "lt", value: 50, producer: "bench" }),
      check("orphan", { type: "threshold", metric: "ms", op: "lt", value: 50 }, { target: "other" }),
    ];
    const { judge } = await bench({ "measured.json": `{"ms": 80}`, "metrics.json": `{"ms": 1}` }, checks);
    const result = await judge({ "measured.json": `{"ms": 20}`, "metrics.json": `{"ms": 1}` });
    expect(result.checks.map((verdict) => verdict.verdict)).toEqual(["pass", "pass", "uncheckable"]);
    expect(result.satisfied).toBe(false);
    expect(result.targets.map((target) => [target.target, target.satisfied])).toEqual([
      ["goal", true],
      ["other", false],
    ]);
  });

  test("takes a metric from the JSON on its stdout", async () => {
    const checks = [
      check("bench", script(`echo noise; cat measured.json`), { blocking: false }),
      check("fast", { type: "threshold", metric: "time.ms", op: "lte", value: 50, producer: "bench" }),
    ];
    const { judge } = await bench({ "measured.json": `{"time":{"ms":80}}` }, checks);
    expect((await judge({ "measured.json": `{"time":{"ms":50}}` })).satisfied).toBe(true);
  });

  test("that reads a report file never reads one that the tree held already", async () => {
    const junit = `<testsuites><testsuite name="s"><testcase classname="c" name="n"/></testsuite></testsuites>`;
    const report: Detector = {
      type: "test_report",
      command: { line: "grep -q 2 a.txt && cat a.xml > out.xml; true" },
      format: "junit",
      path: "out.xml",
    };
    const base = { "a.txt": "1", "a.xml": junit, "out.xml": junit };
    const { baseline, judge } = await bench(base, [check("report", report)]);
    expect((await baseline()).state).toBe("red");
    expect((await judge({ ...base, "a.txt": "2" })).satisfied).toBe(true);
    expect((await judge({ ...base, "other.txt": "2" })).satisfied).toBe(false);
  });

  test("that only looks at files looks at the tree as the work left it", async () => {
    const { judge } = await bench({ "src/a.txt": "1" }, [
      check("made", { type: "file_exists", path: "src/new.test.mjs", nonEmpty: true }),
      check("says", { type: "regex_match", artifact: "src/new.test.mjs", pattern: "^test\\(" }),
      check("inside", { type: "diff", allow: ["src/**"], deny: ["src/secret/**"] }),
    ]);
    expect((await judge({ "src/a.txt": "1", "src/new.test.mjs": "test(" })).satisfied).toBe(true);
    expect((await judge({ "src/a.txt": "1", "src/new.test.mjs": "test(", "b.txt": "" })).satisfied).toBe(
      false,
    );
    expect((await judge({ "src/a.txt": "1" })).satisfied).toBe(false);
  });
});

describe("the gate", () => {
  test("takes satisfied back when what satisfied it is gone", async () => {
    const { judge } = await bench({ "a.txt": "1" }, [GREP], HERE);
    expect((await judge({ "a.txt": "2" })).satisfied).toBe(true);
    expect((await judge({ "a.txt": "1" })).satisfied).toBe(false);
  });

  test("as a guard needs green checks and a changed tree, and the evidence says guard only", async () => {
    const base = { "a.txt": "2", "sum.test.mjs": "x" };
    const { baseline, judge } = await bench(base, [GREP], { ...HERE, guard: true });
    expect((await baseline()).state).toBe("green");
    expect((await judge(base)).satisfied).toBe(false);
    expect((await judge({ ...base, "sum.test.mjs": "" })).satisfied).toBe(false);
    const result = await judge({ ...base, "readme.md": "hello" });
    expect(result.satisfied).toBe(true);
    expect(only(result)).toMatchObject({ evidence: { notes: ["exit code only", "guard only"] } });
  });

  test("reuses a verdict on the same judged tree, and none of a check that measures", async () => {
    const kept = new Map<Digest, CheckVerdict>();
    const cache = {
      get: async (key: Digest) => kept.get(key),
      put: async (key: Digest, verdict: CheckVerdict) => void kept.set(key, verdict),
    };
    const { judge, rooms } = await bench({ "a.txt": "1" }, [GREP], { ...HERE, ports: { cache } });
    await judge({ "a.txt": "2" });
    const before = rooms.opened.length;
    const again = await judge({ "a.txt": "2" });
    expect(rooms.opened.length).toBe(before);
    expect(again.satisfied).toBe(true);
    expect(only(again)).toMatchObject({ evidence: { cached: true } });
  });

  test("runs checks in place one at a time, and in separate rooms otherwise", async () => {
    const checks = [check("one", script("test -e x")), check("two", script("test -e x"))];
    const apart = await bench({ a: "1" }, checks, { level: "snapshot" });
    await apart.judge({ a: "1", x: "" });
    expect(new Set(apart.rooms.opened.map((room) => room.instance))).toEqual(new Set([0, 1]));
    const inPlace = await bench({ a: "1" }, checks, { level: "in-place" });
    await inPlace.judge({ a: "1", x: "" });
    expect(new Set(inPlace.rooms.opened.map((room) => room.instance))).toEqual(new Set([0]));
  });

  test("answers uncheckable, never pass, when its room cannot be had any more", async () => {
    const made = await bench({ "a.txt": "1" }, [GREP], HERE);
    await made.baseline();
    const rooms = tempRooms(made.workspace, { unavailable: { "in-place": "the disk is full" } });
    const result = must(
      await evaluateGate({ ...made.ports, rooms }, made.frozen, {
        workspace: made.workspace,
        workDir: "/nowhere",
        found: made.workspace.tree({ "a.txt": "2" }),
        baseline: await made.baseline(),
        scratch,
        approvedDependencyChange: false,
      }),
    );
    expect(result.satisfied).toBe(false);
    expect(only(result)).toMatchObject({ verdict: "uncheckable", problem: { message: "the disk is full" } });
  });
});

describe("the base run", () => {
  test("falls to a weaker level when a stronger one cannot be had, and says why", async () => {
    const rooms = { unavailable: { clean: "npm ci failed", snapshot: "no node_modules" } };
    const { baseline } = await bench({ "a.txt": "1" }, [GREP], { rooms });
    expect(await baseline()).toMatchObject({
      level: "in-place",
      state: "red",
      notes: [
        expect.stringContaining("clean: cannot be checked here: greps (npm ci failed)"),
        expect.stringContaining("snapshot:"),
      ],
    });
  });

  test("keeps to a level that was asked for", async () => {
    const { baseline } = await bench({ "a.txt": "1" }, [GREP], {
      level: "clean",
      rooms: { unavailable: { clean: "npm ci failed" } },
    });
    expect(await baseline()).toMatchObject({ level: "clean", state: "uncheckable" });
  });

  test("uses the weaker level when the environment is what fails, and says what was missing", async () => {
    const besides = { "in-place": { "secret.env": "x" }, snapshot: { "secret.env": "x" } };
    const { baseline } = await bench({ a: "1" }, [check("c", script("cat secret.env && grep -q 2 a"))], {
      rooms: { besides },
    });
    const before = await baseline();
    expect(before).toMatchObject({ level: "snapshot", state: "red" });
    expect(before.notes).toEqual([
      expect.stringMatching(/^clean: check "c" prints something else.*secret\.env/),
    ]);
  });

  test("takes a check that does not agree with itself for flaky, not for an environment that differs", async () => {
    const count = join(scratch, "count");
    const line = `echo x >> ${count}; test $(wc -l < ${count}) -gt 1`;
    const { baseline } = await bench({ a: "1" }, [check("flips", script(line))]);
    expect(await baseline()).toMatchObject({ level: "clean", state: "red", checks: [{ flaky: true }] });
  });

  test("with a missing command is uncheckable at every level and names what is missing", async () => {
    const { baseline } = await bench({ a: "1" }, [check("c", script("no-such-tool-here --now"))]);
    const before = await baseline();
    expect(before.state).toBe("uncheckable");
    expect(before.problem?.message).toContain("no-such-tool-here");
  });

  test("of a runner that cannot report here falls back to the exit code for good", async () => {
    const fake = {
      mode: "executable",
      text: `#!/bin/sh\ncase "$*" in *junit*) exit 4;; esac\ngrep -q 2 a\n`,
    } as const;
    const base = { a: "1", phpunit: fake };
    const { baseline, judge } = await bench(base, [check("c", script("./phpunit"))]);
    expect((await baseline()).checks[0]).toMatchObject({ verdict: "fail", exitCode: 1, exitCodeOnly: true });
    const result = await judge({ ...base, a: "2" });
    expect(only(result)).toMatchObject({ verdict: "pass", evidence: { notes: ["exit code only"] } });
  });

  test("of a check that changes what is judged is uncheckable: no work could ever satisfy it", async () => {
    const { baseline } = await bench({ "a.txt": "1" }, [check("writes", script("echo 2 > a.txt"))], HERE);
    expect(await baseline()).toMatchObject({
      state: "uncheckable",
      problem: { message: expect.stringContaining("altered_by_check"), hint: expect.any(String) },
    });
  });

  test("is green when every blocking check passes already", async () => {
    const { baseline } = await bench({ "a.txt": "2" }, [GREP]);
    expect((await baseline()).state).toBe("green");
  });
});

describe("freezing", () => {
  const freeze = (
    files: Readonly<Record<string, string>>,
    one: Check,
    unprotect: readonly string[] = [],
  ): ReturnType<typeof freezeGate> => {
    const workspace = treeWorkspace();
    const base = workspace.tree(files);
    return freezeGate(workspace, {
      base,
      checks: [one],
      goals: ["goal"],
      environment: { base, snapshots: [], envFiles: [], setup: [] },
      protect: [],
      unprotect,
      allowTests: false,
      guard: false,
      flakyRetries: 0,
      toolPath: PATH,
    });
  };

  test("refuses a goal without a blocking check", async () => {
    const refused = await freeze({ a: "1" }, check("c", script("true"), { blocking: false }));
    expect(refused).toMatchObject({ ok: false, problem: { code: "missing-check" } });
  });

  test("refuses a check by a package script that is not there and that no work could add", async () => {
    const files = { "package.json": '{"scripts":{"test":"npm run unit","lint":"true"}}' };
    for (const line of ["npm run tset", "npm run -s tset -- x", "npm test"]) {
      expect(await freeze(files, check("c", script(line)))).toMatchObject({
        problem: {
          code: "bad-input",
          message: expect.stringMatching(/no script "(tset|unit)" \(it has test, lint\)/),
        },
      });
    }
    for (const line of ["npm run lint", "npm run env", "npm run tset --if-present", "npm run tset || true"])
      expect(await freeze(files, check("c", script(line)))).toMatchObject({ ok: true });
    expect(await freeze(files, check("c", script("npm run tset")), ["package.json"])).toMatchObject({
      ok: true,
    });
    expect(await freeze({ a: "1" }, check("c", script("npm run tset")))).toMatchObject({ ok: true });
  });

  test("protects a script that a check reaches through another script", async () => {
    const base = {
      "scripts/check.sh": "#!/bin/sh\n. scripts/lib/rules.sh\n",
      "scripts/lib/rules.sh": "exit 1\n",
      "app.sh.txt": "product",
    };
    const { frozen } = await bench(base, [check("c", script("sh scripts/check.sh"))]);
    expect(frozen.protection.paths).toEqual(["scripts/check.sh", "scripts/lib/rules.sh"]);
  });
});
