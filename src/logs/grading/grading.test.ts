import fc from "fast-check";
import { expect, test } from "vitest";
import { assistant } from "../../testing/claude-lines.ts";
import { bytesOf } from "../../testing/memory-logs.ts";
import { checkName, checkResult, isCheck } from "./check-text.ts";
import { type GradedWork, gradeSessions } from "./grade.ts";
import { SignalReader, type Signals } from "./signals.ts";

test.each([
  ["5 passed in 0.1s", "pass"],
  ["12 tests passed, 0 failed", "pass"],
  ["Tests: 1 failed, 4 passed", "fail"],
  ["FAILED test_x.py::test_y", "fail"],
  ["Traceback (most recent call last):", "fail"],
  ["failures: 0, errors: 0\nOK", "pass"],
  ["5 passed\nexit code 1", "fail"],
  ['{"output":"...","metadata":{"exit_code":0}}', "pass"],
  ["0 passed", undefined],
  ["compiling", undefined],
])("a check that printed %j came to %s", (output, result) => {
  expect(checkResult(output, false)).toBe(result);
});

test("where a check says nothing the tool's own word counts", () => {
  expect(checkResult("", true)).toBe("fail");
});

test.each([
  ["npm test -- --watch=false", true],
  ["cd a && npx vitest run", true],
  ["cargo test", true],
  ["cat pytest.ini", false],
  ["echo latest", false],
])("%s is a check: %s", (command, is) => {
  expect(isCheck(command)).toBe(is);
});

test("a check is the same one however its output was cut", () => {
  expect(checkName("NPM  test 2>&1 | tail -20")).toBe(checkName("npm test"));
});

let serial = 0;
function check(command: string, output: string): object[] {
  serial += 1;
  const id = `t${serial}`;
  return [
    assistant({ stop: "tool_use", content: [{ type: "tool_use", id, name: "Bash", input: { command } }] }),
    {
      type: "user",
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: output }] },
    },
  ];
}

function signalsIn(...lines: readonly unknown[]): Signals {
  const reader = new SignalReader();
  reader.push(bytesOf(lines));
  return reader.finish();
}

const SAYS = (text: string): object => assistant({ content: [{ type: "text", text }] });

test("a check that failed and then passed has turned green", () => {
  const signals = signalsIn(...check("npm test", "1 failed"), ...check("npm test | tail -5", "9 passed"));
  expect(signals).toMatchObject({ hasTurnedGreen: true, lastCheck: "pass" });
});

test("a check that was never run is not observed, which is not a failure", () => {
  expect(signalsIn(SAYS("All done."))).toEqual({
    hasTurnedGreen: false,
    hasEndedCleanly: true,
    claimsSuccess: true,
  });
});

test("a check that the user broke off says nothing", () => {
  expect(signalsIn(...check("npm test", "[Request interrupted by user]"))).not.toHaveProperty("lastCheck");
});

test("a reviewer that was asked gives its verdict", () => {
  const call = { type: "tool_use", id: "r", name: "Task", input: { subagent_type: "code-reviewer" } };
  const result = {
    type: "tool_result",
    tool_use_id: "r",
    content: [{ type: "text", text: "Changes requested." }],
  };
  const lines = [
    assistant({ content: [call] }),
    { type: "user", message: { role: "user", content: [result] } },
  ];
  expect(signalsIn(...lines).review).toBe("rejected");
});

test("Codex ends cleanly with the end of its last task, and its exit codes are read", () => {
  const item = (payload: object): object => ({ type: "response_item", payload });
  const event = (type: string): object => ({ type: "event_msg", payload: { type } });
  const signals = signalsIn(
    event("task_started"),
    item({
      type: "function_call",
      call_id: "c",
      name: "shell",
      arguments: '{"command":["bash","-lc","go test ./..."]}',
    }),
    item({
      type: "function_call_output",
      call_id: "c",
      output: '{"output":"ok","metadata":{"exit_code":0}}',
    }),
    event("task_complete"),
  );
  expect(signals).toMatchObject({ lastCheck: "pass", hasEndedCleanly: true });
});

const HOUR = 3_600_000;
const NOTHING: Signals = { hasTurnedGreen: false, claimsSuccess: false };
const CLEAN: Signals = { ...NOTHING, hasEndedCleanly: true };

function work(session: string, startMs: number, more: Partial<GradedWork> = {}): GradedWork {
  return {
    session,
    cwd: "/p",
    startMs,
    endMs: startMs + 600_000,
    signals: CLEAN,
    wrote: new Set(["/p/a"]),
    ...more,
  };
}

function grades(nowMs: number, ...entries: readonly GradedWork[]): unknown {
  return gradeSessions(entries, nowMs).map(({ grade, outcome }) => `${grade} ${outcome}`);
}

test("a check beats a review, a review beats what happened next, and that beats a claim", () => {
  const signals = { ...CLEAN, claimsSuccess: true };
  expect(
    grades(
      9 * HOUR,
      work("a", 0, { signals: { ...signals, lastCheck: "pass", review: "rejected" } }),
      work("b", 0, { signals: { ...signals, review: "rejected" } }),
      work("c", 0, { signals }),
      work("d", 0, { signals, wrote: new Set() }),
      work("e", 0, { signals: NOTHING }),
    ),
  ).toEqual([
    "verified accepted",
    "reported rejected",
    "heuristic accepted",
    "asserted unknown",
    "ungraded unknown",
  ]);
});

test("work whose files the next session in its folder writes again within the hour did not stand", () => {
  const again = work("b", HOUR);
  expect(grades(9 * HOUR, work("a", 0), again)).toEqual(["heuristic rejected", "heuristic accepted"]);
  const other = work("b", HOUR, { wrote: new Set(["/p/b"]) });
  expect(grades(9 * HOUR, work("a", 0), other)).toEqual(["heuristic accepted", "heuristic accepted"]);
});

test("while the hour is not over work is open", () => {
  expect(grades(HOUR, work("a", 0))).toEqual(["ungraded unknown"]);
});

test("a session of less than a minute that shows nothing is too short to tell", () => {
  expect(grades(9 * HOUR, work("a", 0, { endMs: 30_000, signals: NOTHING }))).toEqual(["censored unknown"]);
});

test("work whose last check failed is not taken as standing", () => {
  expect(grades(9 * HOUR, work("a", 0, { signals: { ...CLEAN, lastCheck: "fail" } }))).toEqual([
    "ungraded unknown",
  ]);
});

test("no output makes the reader of checks throw or hang", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."0 1 failed passed:=\n(OK)".split("")) }), (output) => {
      checkResult(output, false);
      checkName(output);
      isCheck(output);
    }),
  );
});
