import { expect, test } from "vitest";
import type { FinishedStream, SpentBefore } from "../../ports/agent-stream.ts";
import type { ProviderEvent, UsageReport } from "../../ports/provider.ts";
import { bytesOf } from "../../testing/memory-logs.ts";
import { claudeStream } from "./stream.ts";

function run(...lines: readonly unknown[]): {
  readonly events: readonly ProviderEvent[];
  readonly finished: FinishedStream;
} {
  const stream = claudeStream();
  const events = [...stream.push(bytesOf(lines))];
  return { events, finished: stream.finish() };
}

const usage = (input: number, output: number): object => ({ input_tokens: input, output_tokens: output });
const spent = (input: number, output: number, usd: number): object => ({
  opus: { inputTokens: input, outputTokens: output, costUSD: usd },
});
const result = (more: object = {}): object => ({
  type: "result",
  subtype: "success",
  is_error: false,
  session_id: "s1",
  result: "done",
  ...more,
});
const init = (version: string): object => ({
  type: "system",
  subtype: "init",
  session_id: "s1",
  model: "opus",
  claude_code_version: version,
});

/** Input tokens and stated micro-dollars of the run alone, or why they are unknown. */
function own(line: object, before?: SpentBefore, version = "2.1.332"): unknown {
  const report: UsageReport = claudeStream().attributable(run(init(version), line).finished, before);
  if (report.kind === "unknown") return report.why;
  return report.models.map((entry) => [entry.usage.inputTokens, entry.statedMicroUsd]);
}
const before = [{ model: "opus", usage: { inputTokens: 100, outputTokens: 10 }, statedMicroUsd: 500 }];

test("session, model, text and tools are told while the agent works", () => {
  const content = [
    { type: "text", text: "I look." },
    { type: "tool_use", name: "Bash", input: { command: "npm test" } },
  ];
  const { events } = run(init("2.1.332"), { type: "assistant", session_id: "s1", message: { content } });
  expect(events).toEqual([
    { kind: "session", id: "s1" },
    { kind: "model", model: "opus" },
    { kind: "text", text: "I look." },
    { kind: "activity", what: "Bash npm test" },
  ]);
});

test("a subagent's text is not the agent's last message", () => {
  const say = (text: string, parent: string | null): object => ({
    type: "assistant",
    parent_tool_use_id: parent,
    message: { content: [{ type: "text", text }] },
  });
  expect(run(say("mine", null), say("theirs", "t1")).finished.summary).toBe("mine");
});

test("usage on assistant events is that of the stream's start and never billed", () => {
  const { events } = run({ type: "assistant", message: { content: [], usage: usage(10, 1) } });
  expect(events).toEqual([]);
});

test("success is is_error false, whatever the subtype says", () => {
  const refused = run(result({ is_error: true, api_error_status: 400, terminal_reason: "prompt_too_long" }));
  expect(refused.finished).toMatchObject({
    isError: true,
    errorStatus: 400,
    errorText: "done",
    terminalReason: "prompt_too_long",
    sawResult: true,
  });
  expect(run(result()).finished.isError).toBe(false);
});

test("errors of a run that has no result text are told", () => {
  const stopped = result({
    is_error: true,
    subtype: "error_max_turns",
    result: undefined,
    errors: ["too many turns"],
  });
  expect(run(stopped).finished).toMatchObject({
    errorText: "too many turns",
    terminalReason: "error_max_turns",
  });
});

test("an end without a result line is an error, with the text that was printed", () => {
  expect(run("Error: Session ID s1 is already in use.").finished).toMatchObject({
    isError: true,
    sawResult: false,
    errorText: "Error: Session ID s1 is already in use.",
  });
});

test("text between the lines does not disturb them", () => {
  const { finished } = run("warning: something", result(), '{"type":"resu');
  expect(finished).toMatchObject({ isError: false, summary: "done" });
});

test("an output that is one list of messages is read like lines", () => {
  expect(run([init("2.1.332"), result()]).finished).toMatchObject({
    session: "s1",
    model: "opus",
    sawResult: true,
  });
});

test("a last message is cut to 4,000 characters", () => {
  expect(run(result({ result: "x".repeat(10_000) })).finished.summary).toHaveLength(4000);
});

test("a new session's totals are the run's own, subagents included", () => {
  const line = result({ usage: usage(60, 6), modelUsage: spent(100, 10, 0.0005) });
  expect(own(line)).toEqual([[100, 500]]);
});

test("cumulative totals are the run's own only beyond what was there before", () => {
  const line = result({ usage: usage(30, 3), modelUsage: spent(130, 13, 0.0007) });
  expect(own(line, before)).toEqual([[30, 200]]);
});

test("totals of the process alone are recognised by its own usage, whatever the version says", () => {
  const line = result({ usage: usage(130, 13), modelUsage: spent(130, 13, 0.0007) });
  expect(own(line, before)).toEqual([[130, 700]]);
});

test("totals below the earlier ones are the process's own", () => {
  expect(own(result({ usage: usage(30, 3), modelUsage: spent(30, 3, 0.0001) }), before)).toEqual([[30, 100]]);
});

test("where both readings fit, the version decides", () => {
  const line = result({ usage: usage(20, 2), modelUsage: spent(130, 13, 0.0007) });
  expect(own(line, before, "2.1.332")).toEqual([[30, 200]]);
  expect(own(line, before, "2.1.197")).toEqual([[130, 700]]);
});

test("a budget stop states no usage, and its totals still tell what it spent", () => {
  const line = result({ is_error: true, usage: usage(0, 0), modelUsage: spent(130, 13, 0.0007) });
  expect(own(line, before)).toEqual([[30, 200]]);
});

test("in a session that others had used, totals that hold more than the run are unknown", () => {
  expect(own(result({ usage: usage(30, 3), modelUsage: spent(130, 13, 0.1) }), "unknown")).toContain(
    "earlier runs",
  );
  expect(own(result({ usage: usage(30, 3), modelUsage: spent(30, 3, 0.0001) }), "unknown")).toEqual([
    [30, 100],
  ]);
});

test("without a result line, or with impossible counts, the spend is unknown", () => {
  expect(claudeStream().attributable(run("killed").finished)).toMatchObject({ kind: "unknown" });
  expect(own(result({ usage: usage(-1, 3) }))).toBe("the result line states no usage");
});

test("an early version that states no models is read from its usage", () => {
  expect(own(result({ usage: usage(30, 3) }))).toEqual([[30, undefined]]);
});

/** Totals as early versions write them: cache writes of both lifetimes in one count, and no reasoning. */
const flat = (written: number): object => ({
  opus: { inputTokens: 0, outputTokens: 0, cacheCreationInputTokens: written },
  haiku: { inputTokens: 5, outputTokens: 1 },
});
const split = (short: number, long: number): object => ({
  input_tokens: 5,
  output_tokens: 1,
  cache_creation_input_tokens: short + long,
  cache_creation: { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long },
  output_tokens_details: { thinking_tokens: 1 },
});

function writes(line: object, before?: SpentBefore): unknown {
  const report: UsageReport = claudeStream().attributable(run(init("2.1.332"), line).finished, before);
  if (report.kind === "unknown") return report.why;
  return report.models.map(({ usage }) => [usage.cacheWrite5mTokens, usage.cacheWrite1hTokens]);
}

test("totals that split neither writes nor reasoning compare as they are, with the lifetimes of the usage", () => {
  const others = [undefined, undefined];
  const line = result({ usage: split(10, 90), modelUsage: flat(100) });
  expect(writes(line)).toEqual([[10, 90], others]);
  expect(writes(line, "unknown")).toEqual([[10, 90], others]);
  const earlier = [
    { model: "opus", usage: { inputTokens: 0, outputTokens: 0, cacheWrite5mTokens: 400 } },
    { model: "haiku", usage: {} },
  ];
  const resumed = result({ usage: split(10, 90), modelUsage: flat(500) });
  expect(writes(resumed, earlier)).toEqual([[10, 90], others]);
});

test("totals that hold writes of subagents too keep them as they are stated", () => {
  expect(writes(result({ usage: split(10, 90), modelUsage: flat(120) }))).toEqual([
    [120, undefined],
    [undefined, undefined],
  ]);
});

test("a split of writes that is larger than their count wins, and what a smaller one leaves is short-lived", () => {
  const stated = (long: number): object =>
    result({
      modelUsage: { opus: { cacheCreationInputTokens: 100, cacheCreationEphemeral1hInputTokens: long } },
    });
  expect(writes(stated(200))).toEqual([[0, 200]]);
  expect(writes(stated(70))).toEqual([[30, 70]]);
});
