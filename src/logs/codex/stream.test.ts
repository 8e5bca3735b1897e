import { expect, test } from "vitest";
import type { FinishedStream, SpentBefore } from "../../ports/agent-stream.ts";
import type { ProviderEvent } from "../../ports/provider.ts";
import { counter } from "../../testing/codex-lines.ts";
import { bytesOf } from "../../testing/memory-logs.ts";
import { codexStream } from "./stream.ts";

function run(...lines: readonly unknown[]): {
  readonly events: readonly ProviderEvent[];
  readonly finished: FinishedStream;
} {
  const stream = codexStream("gpt-5.5");
  const events = [...stream.push(bytesOf(lines))];
  return { events, finished: stream.finish() };
}
const started = { type: "thread.started", thread_id: "t1" };
const item = (type: string, more: object): object => ({
  type: "item.completed",
  item: { id: "i", type, ...more },
});
const completed = (input: number, output: number): object => ({
  type: "turn.completed",
  usage: counter({ input, output }),
});

function own(line: object, before?: SpentBefore): unknown {
  const report = codexStream().attributable(run(started, line).finished, before);
  if (report.kind === "unknown") return report.why;
  return report.models.map((entry) => [entry.model, entry.usage.inputTokens]);
}
const before = [{ model: "gpt-5.1", usage: { inputTokens: 100, cacheReadTokens: 0, outputTokens: 10 } }];

test("thread, commands, messages and the counter are told while the agent works", () => {
  const command = { type: "item.started", item: { type: "command_execution", command: "npm test" } };
  const { events, finished } = run(
    started,
    command,
    item("agent_message", { text: "Done." }),
    completed(10, 5),
  );
  expect(events).toEqual([
    { kind: "session", id: "t1" },
    { kind: "activity", what: "command execution npm test" },
    { kind: "text", text: "Done." },
    { kind: "usage", usage: expect.objectContaining({ inputTokens: 10, outputTokens: 5 }) },
    { kind: "result" },
  ]);
  expect(finished).toMatchObject({ session: "t1", summary: "Done.", isError: false, sawResult: true });
});

test("a failed turn is an error with its message and status", () => {
  const failed = { type: "turn.failed", error: { message: "unexpected status 429 Too Many Requests" } };
  expect(run(started, { type: "error", message: "retrying" }, failed).finished).toMatchObject({
    isError: true,
    errorStatus: 429,
    errorText: "unexpected status 429 Too Many Requests",
    terminalReason: "turn.failed",
  });
});

test("an error that a later turn overcame is no error", () => {
  expect(run(started, { type: "error", message: "retrying" }, completed(1, 1)).finished).toMatchObject({
    isError: false,
  });
});

test("an end without a finished turn is an error, with the text that was printed", () => {
  expect(run("Error: no rollout found").finished).toMatchObject({
    isError: true,
    sawResult: false,
    errorText: "Error: no rollout found",
  });
});

test("the thread's counter is the turn's own only beyond what was there before, whatever the model was", () => {
  expect(own(completed(130, 13))).toEqual([["gpt-5.5", 130]]);
  expect(own(completed(130, 13), before)).toEqual([["gpt-5.5", 30]]);
});

test("a counter that fell, or that holds foreign turns, leaves the spend unknown", () => {
  expect(own(completed(30, 3), before)).toBe("the thread's total is lower than before");
  expect(own(completed(30, 3), "unknown")).toContain("earlier turns");
});

test("a failed turn states no usage, so its spend is unknown", () => {
  expect(own({ type: "turn.failed", error: { message: "no" } })).toBe("no finished turn states its usage");
});

test("a turn without a total leaves the spend unknown, whatever an earlier turn said", () => {
  const later = [{ type: "turn.completed" }, { type: "turn.completed", usage: { input_tokens: -1 } }];
  for (const line of later) {
    const { finished } = run(started, completed(30, 3), line);
    expect(codexStream().attributable(finished)).toMatchObject({ kind: "unknown" });
  }
});
