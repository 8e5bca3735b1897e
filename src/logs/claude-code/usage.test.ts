import { expect, test } from "vitest";
import {
  type AssistantLine,
  assistant,
  costState,
  HOME,
  PROJECT,
  prompt,
  toolResult,
  usageOf,
} from "../../testing/claude-lines.ts";
import { bytesOf, type LogFixture, memoryLogs } from "../../testing/memory-logs.ts";
import type { Call, SessionLog } from "../call.ts";
import { scanLogs } from "../scan.ts";

async function sessions(files: LogFixture): Promise<readonly SessionLog[]> {
  const scan = await scanLogs(memoryLogs(files), { homeDir: HOME, variables: {} });
  return scan.claudeCode.sessions;
}

async function callsOf(...lines: readonly unknown[]): Promise<readonly Call[]> {
  return (await sessions({ [`${PROJECT}/a.jsonl`]: lines })).flatMap((session) => session.calls);
}

async function outputs(...lines: readonly unknown[]): Promise<readonly (number | undefined)[]> {
  return (await callsOf(...lines)).map((call) => call.usage.outputTokens);
}

/** Output tokens by session. */
async function spread(files: LogFixture): Promise<Readonly<Record<string, readonly (number | undefined)[]>>> {
  const found = await sessions(files);
  return Object.fromEntries(found.map(({ id, calls }) => [id, calls.map((call) => call.usage.outputTokens)]));
}

const inFile = (name: string, ...lines: readonly unknown[]): LogFixture => ({
  [`${PROJECT}/${name}.jsonl`]: lines,
});

test("several records of one response count as one call", async () => {
  const record = { id: "m1", request: "r1" };
  expect(await outputs(assistant(record), assistant(record), assistant(record))).toEqual([5]);
});

test("the largest counts of a call's records are its usage, wherever they stand", async () => {
  const part = (output: number): object => assistant({ id: "m1", usage: usageOf(10, output) });
  expect(await outputs(part(1), part(310), part(8))).toEqual([310]);
});

test("a missing or another request id does not make a second call of a copy", async () => {
  const calls = { id: "m1", uuid: "u1" };
  const lines = [assistant({ ...calls, request: "r1" }), assistant({ ...calls })];
  expect(await outputs(...lines)).toEqual([5]);
});

test("a call none of whose records has a stop reason is a lower bound", async () => {
  const calls = await callsOf(assistant({ id: "m1", stop: null }), assistant({ id: "m2" }));
  expect(calls.map((call) => call.isOutputIncomplete)).toEqual([true, false]);
});

test("the split of cache writes by lifetime is kept, and what it leaves unexplained is short-lived", async () => {
  const usage = { cache_creation_input_tokens: 100, cache_creation: { ephemeral_1h_input_tokens: 70 } };
  const [call] = await callsOf(assistant({ id: "m1", usage: usageOf(1, 1, usage) }));
  expect(call?.usage).toMatchObject({ cacheWrite5mTokens: 30, cacheWrite1hTokens: 70 });
});

test("a split of cache writes that is larger than the flat count wins", async () => {
  const split = { ephemeral_5m_input_tokens: 90, ephemeral_1h_input_tokens: 70 };
  const usage = { cache_creation_input_tokens: 100, cache_creation: split };
  const [call] = await callsOf(assistant({ id: "m1", usage: usageOf(1, 1, usage) }));
  expect(call?.usage).toMatchObject({ cacheWrite5mTokens: 90, cacheWrite1hTokens: 70 });
});

test("without a split all cache writes are short-lived", async () => {
  const [call] = await callsOf(
    assistant({ id: "m1", usage: usageOf(1, 1, { cache_creation_input_tokens: 100, cache_creation: null }) }),
  );
  expect(call?.usage.cacheWrite5mTokens).toBe(100);
  expect(call?.usage.cacheWrite1hTokens).toBeUndefined();
});

test("a record without the split by lifetime adds no writes to a call whose other records have it", async () => {
  const flat = { cache_creation_input_tokens: 100 };
  const split = { ...flat, cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 100 } };
  const record = (more: object): object => assistant({ id: "m1", usage: usageOf(1, 1, { ...more }) });
  for (const lines of [
    [record(flat), record(split)],
    [record(split), record(flat)],
  ]) {
    const [call] = await callsOf(...lines);
    expect(call?.usage).toMatchObject({ cacheWrite5mTokens: 0, cacheWrite1hTokens: 100 });
  }
});

test("a count that the log does not carry stays absent", async () => {
  const [call] = await callsOf(assistant({ id: "m1", usage: { input_tokens: 7, output_tokens: null } }));
  expect(call?.usage).toEqual({ inputTokens: 7, requests: 1 });
});

test("a record with an impossible count is rejected with a warning, and no other", async () => {
  const bad = assistant({ id: "m1", usage: usageOf(-1, 5) });
  const [session] = await sessions(inFile("a", bad, assistant({ id: "m2" })));
  expect(session?.calls).toHaveLength(1);
  expect(session?.warnings).toEqual([`${PROJECT}/a.jsonl: line 1: not a token count: -1`]);
});

test("usage outside assistant records is no call", async () => {
  const usage = usageOf(1000, 1000);
  const lines = [
    prompt({ more: { toolUseResult: { usage, role: "assistant" } } }),
    { type: "progress", data: { message: { type: "assistant", message: { usage } } } },
    { type: "api-request-blob", message: { role: "assistant", usage } },
    assistant({ id: "m1" }),
  ];
  expect(await outputs(...lines)).toEqual([5]);
});

test("records that the program made itself are errors, not calls", async () => {
  const [session] = await sessions(
    inFile(
      "a",
      assistant({ id: "e1", model: "<synthetic>" }),
      assistant({ id: "e2", more: { isApiErrorMessage: true } }),
    ),
  );
  expect(session).toMatchObject({ calls: [], errors: 2 });
});

test("nested calls of another model count once per message, under their own model", async () => {
  const advisor = { type: "advisor_message", model: "claude-opus-4-8", input_tokens: 400, output_tokens: 70 };
  const usage = usageOf(2, 9, { iterations: [{ type: "message", ...usageOf(2, 9) }, advisor] });
  const record = { id: "m1", model: "claude-sonnet-5-5", usage };
  const calls = await callsOf(assistant(record), assistant(record));
  expect(calls.map((call) => [call.model, call.usage.outputTokens])).toEqual([
    ["claude-sonnet-5-5", 9],
    ["claude-opus-4-8", 70],
  ]);
});

test("the largest counts of a nested call are its usage, as with any other call", async () => {
  const record = (...outputs: readonly number[]): object => {
    const nested = { type: "advisor_message", model: "claude-opus-4-8", input_tokens: 400 };
    const iterations = outputs.map((output) => ({ ...nested, output_tokens: output }));
    return assistant({ id: "m1", usage: usageOf(2, 9, { iterations }) });
  };
  expect(await outputs(record(1, 3), record(70), record(8, 3))).toEqual([9, 70, 3]);
});

test("subagents' transcripts in nested folders belong to their session and are told apart", async () => {
  const found = await sessions({
    ...inFile("a", assistant({ id: "m1" })),
    [`${PROJECT}/a/subagents/agent-x1.jsonl`]: [assistant({ id: "m2", more: { isSidechain: true } })],
    [`${PROJECT}/a/subagents/deep/subagents/agent-x2.jsonl`]: [assistant({ id: "m3" })],
  });
  expect(found.map((session) => session.id)).toEqual(["a"]);
  expect(found[0]?.calls.map((call) => call.subagent)).toEqual([undefined, "x1", "x2"]);
});

test("subagents' transcripts beside those of the sessions belong to the session that their records name", async () => {
  const line = { session: "a", more: { isSidechain: true, agentId: "x1" } };
  const beside = inFile("agent-x1", prompt(line), assistant({ ...line, id: "m2", usage: usageOf(1, 7) }));
  const found = await sessions({ ...inFile("a", assistant({ id: "m1", session: "a" })), ...beside });
  expect(found.map((session) => session.id)).toEqual(["a"]);
  expect(found[0]?.calls.map((call) => [call.subagent, call.usage.outputTokens])).toEqual([
    [undefined, 5],
    ["x1", 7],
  ]);
  expect(await spread(beside)).toEqual({ a: [7] });
});

test("sidechain records inside a session's own transcript are calls of its subagents", async () => {
  const [own, sub] = await callsOf(
    assistant({ id: "m1" }),
    assistant({ id: "m2", more: { isSidechain: true, agentId: "x1" } }),
  );
  expect([own?.subagent, sub?.subagent]).toEqual([undefined, "x1"]);
  expect(sub?.isSidechain).toBe(true);
});

test("a side question that logs the main agent's calls again adds only its own", async () => {
  const copy = (request: string): object => assistant({ id: "m1", request, more: { isSidechain: true } });
  const found = await sessions({
    ...inFile("a", assistant({ id: "m1", request: "r1" })),
    [`${PROJECT}/a/subagents/agent-aside_question-7.jsonl`]: [
      copy("r9"),
      assistant({ id: "m2", request: "r2" }),
    ],
  });
  expect(found[0]?.calls.map((call) => call.subagent)).toEqual([undefined, "aside_question-7"]);
});

test("a message id that a gateway gives to every call does not merge them: the counts disagree", async () => {
  const call = (input: number, output: number, uuid: string, parent: string): object =>
    assistant({ id: "same", uuid, parent, usage: usageOf(input, output) });
  const lines = [
    prompt({ uuid: "p1" }),
    call(100, 50, "a1", "p1"),
    call(100, 50, "a1b", "a1"),
    prompt({ uuid: "p2", parent: "a1b" }),
    call(160, 20, "a2", "p2"),
  ];
  expect(await outputs(...lines)).toEqual([50, 20]);
});

test("a message id repeated after a prompt by a record with another parent is another call", async () => {
  const lines = [
    prompt({ uuid: "p1" }),
    assistant({ id: "same", uuid: "a1", parent: "p1", usage: usageOf(100, 50) }),
    prompt({ uuid: "p2", parent: "a1" }),
    assistant({ id: "same", uuid: "a2", parent: "p2", usage: usageOf(160, 60) }),
  ];
  expect(await outputs(...lines)).toEqual([50, 60]);
});

test("a message id repeated with another input is another call, without parents too", async () => {
  const content = [{ type: "tool_use", id: "t1", name: "Bash", input: {} }];
  const call = (input: number, output: number): object =>
    assistant({ id: "same", usage: usageOf(input, output), content });
  const lines = [
    prompt(),
    call(100, 50),
    call(100, 50),
    toolResult("t1"),
    call(160, 60),
    prompt(),
    call(170, 70),
  ];
  expect(await outputs(...lines)).toEqual([50, 60, 70]);
});

test("a message id with two request ids in one transcript stands for two calls", async () => {
  const record = { id: "same" };
  expect(
    await outputs(assistant({ ...record, request: "r1" }), assistant({ ...record, request: "r2" })),
  ).toEqual([5, 5]);
});

test("a gateway that repeats its request id too does not merge calls of different input", async () => {
  const call = (input: number, output: number): object =>
    assistant({ id: "same", request: "r1", usage: usageOf(input, output) });
  const lines = [prompt(), call(100, 50), call(100, 50), prompt(), call(160, 20), prompt(), call(170, 30)];
  expect(await outputs(...lines)).toEqual([50, 20, 30]);
});

test("history that is written again on new records counts once, as its request ids say", async () => {
  const turn = (again: string): object[] => [
    prompt({ uuid: `p1${again}` }),
    assistant({ id: "m1", request: "r1", uuid: `a1${again}`, parent: `p1${again}`, usage: usageOf(10, 1) }),
    assistant({ id: "m1", request: "r1", uuid: `b1${again}`, parent: `a1${again}`, usage: usageOf(10, 50) }),
    prompt({ uuid: `p2${again}`, parent: `b1${again}` }),
    assistant({ id: "m2", request: "r2", uuid: `a2${again}`, parent: `p2${again}`, usage: usageOf(70, 9) }),
  ];
  expect(await outputs(...turn(""), ...turn("-2"), ...turn("-3"))).toEqual([50, 9]);
});

test("with an untrusted id the answer to a call's tools starts the next call", async () => {
  const tool = (id: string): object => ({ type: "tool_use", id, name: "Bash", input: {} });
  const lines = [
    prompt({ uuid: "p1" }),
    assistant({ id: "same", uuid: "a1", parent: "p1", usage: usageOf(100, 50), content: [tool("t1")] }),
    assistant({ id: "same", uuid: "a2", parent: "a1", usage: usageOf(100, 50), content: [tool("t2")] }),
    toolResult("t1", { uuid: "x1", parent: "a1" }),
    toolResult("t2", { uuid: "x2", parent: "a2" }),
    assistant({ id: "same", uuid: "a3", parent: "x2", usage: usageOf(180, 20) }),
  ];
  expect(await outputs(...lines)).toEqual([50, 20]);
});

test("tool results between the records of one message do not split it", async () => {
  const tool = (id: string): object => ({ type: "tool_use", id, name: "Read", input: {} });
  const lines = [
    assistant({ id: "m1", request: "r1", uuid: "a1", content: [tool("t1")] }),
    toolResult("t1", { uuid: "x1", parent: "a1" }),
    assistant({ id: "m1", request: "r1", uuid: "a2", parent: "x1", content: [tool("t2")] }),
  ];
  expect(await outputs(...lines)).toEqual([5]);
});

test("equal message ids in two sessions that share no record are two calls when they differ", async () => {
  const files = {
    ...inFile("a", assistant({ id: "same", usage: usageOf(100, 50) })),
    ...inFile("b", assistant({ id: "same", usage: usageOf(120, 60) })),
  };
  expect(await spread(files)).toEqual({ a: [50], b: [60] });
});

test("equal message ids without request ids in two sessions are two calls when only the answers differ", async () => {
  const call = (output: number): object => assistant({ id: "same", usage: usageOf(100, output) });
  expect(await spread({ ...inFile("a", call(50)), ...inFile("b", call(60)) })).toEqual({ a: [50], b: [60] });
  expect(await spread({ ...inFile("a", call(50)), ...inFile("b", call(50)) })).toEqual({ a: [50], b: [] });
});

test("a copy that was cut before the end of an answer is still a copy", async () => {
  const start = assistant({ id: "m1", uuid: "u1", stop: null, usage: usageOf(100, 2) });
  const end = assistant({ id: "m1", uuid: "u2", usage: usageOf(100, 50) });
  const copied = assistant({ id: "m1", uuid: "u3", usage: usageOf(100, 50), at: "2026-11-02T10:00:00.000Z" });
  const files = { ...inFile("a", start, end), ...inFile("b", copied) };
  const cut = { [`${HOME}/.config/claude/projects/-home-dev-p/a.jsonl`]: [start] };
  expect(await spread({ ...files, ...cut })).toEqual({ a: [50], b: [] });
});

test("calls without a message id are told apart by their uuid", async () => {
  expect(
    await outputs(assistant({ uuid: "u1" }), assistant({ uuid: "u2" }), assistant({ uuid: "u1" })),
  ).toEqual([5, 5]);
});

const COPIED: AssistantLine = { id: "m1", uuid: "u1", request: "r1", at: "2026-11-01T10:00:00.000Z" };

test("the session named on a copy owns the call", async () => {
  const call = { ...COPIED, ref: "ref1" };
  const files = {
    ...inFile("b", assistant({ ...call, session: "b" })),
    ...inFile(
      "a",
      assistant({ ...call, session: "a", owner: "b" }),
      assistant({ id: "m2", usage: usageOf(1, 7) }),
    ),
  };
  expect(await spread(files)).toEqual({ a: [7], b: [5] });
});

test("a call inherited from a session whose file is gone is not the fork's", async () => {
  const files = inFile("a", assistant({ ...COPIED, ref: "ref1", owner: "gone" }), assistant({ id: "m2" }));
  const found = await sessions(files);
  expect(found.map(({ id, calls, files: paths }) => [id, calls.length, paths.length])).toEqual([
    ["a", 1, 1],
    ["gone", 1, 0],
  ]);
});

test("a copy that lost its request id does not own the call", async () => {
  const { request: _, ...lost } = COPIED;
  const files = { ...inFile("a", assistant(lost)), ...inFile("b", assistant(COPIED)) };
  expect(await spread(files)).toEqual({ a: [], b: [5] });
});

test("the copy with the earliest time owns the call", async () => {
  const files = {
    ...inFile("a", assistant({ ...COPIED, at: "2026-11-02T10:00:00.000Z" })),
    ...inFile("b", assistant(COPIED)),
  };
  expect(await spread(files)).toEqual({ a: [], b: [5] });
});

test("a file whose first queue record is younger than its first message is the fork", async () => {
  const queue = { type: "queue-operation", timestamp: "2026-11-03T10:00:00.000Z" };
  const files = {
    ...inFile("a", queue, prompt({ uuid: "p1" }), assistant(COPIED)),
    ...inFile("b", prompt({ uuid: "p1" }), assistant(COPIED)),
  };
  expect(await spread(files)).toEqual({ a: [], b: [5] });
});

test("a file whose messages name another session is the fork", async () => {
  const files = {
    ...inFile("a", prompt({ uuid: "p1", session: "b" }), assistant({ ...COPIED, session: "a" })),
    ...inFile("b", prompt({ uuid: "p1", session: "b" }), assistant({ ...COPIED, session: "b" })),
  };
  expect(await spread(files)).toEqual({ a: [], b: [5] });
});

test("a fork of a fork does not own the calls that the fork in between made", async () => {
  const call = (id: string, hour: number): object =>
    assistant({ id, uuid: id, request: id, at: `2026-11-01T${hour}:00:00.000Z`, usage: usageOf(1, hour) });
  const queue = (hour: number): object => ({
    type: "queue-operation",
    timestamp: `2026-11-01T${hour}:30:00.000Z`,
  });
  const named = {
    ...inFile("c", queue(10), call("m1", 11)),
    ...inFile("b", queue(11), call("m1", 11), call("m2", 12)),
    ...inFile("a", queue(12), call("m1", 11), call("m2", 12), call("m3", 13)),
  };
  expect(await spread(named)).toEqual({ a: [13], b: [12], c: [11] });
  const said = (session: string): object => prompt({ session, at: "2026-11-01T10:50:00.000Z" });
  const unqueued = {
    ...inFile("c", said("c"), call("m1", 11)),
    ...inFile("b", said("c"), call("m1", 11), said("b"), call("m2", 12)),
    ...inFile("a", said("c"), call("m1", 11), said("b"), call("m2", 12), said("a"), call("m3", 13)),
  };
  expect(await spread(unqueued)).toEqual({ a: [13], b: [12], c: [11] });
});

test("a fork does not own the calls of subagents whose transcripts were copied with it", async () => {
  const queue = { type: "queue-operation", timestamp: "2026-11-03T10:00:00.000Z" };
  const shared = { more: { isSidechain: true } };
  const files = {
    ...inFile("a", queue, prompt({ uuid: "p1" }), assistant({ id: "m2", usage: usageOf(1, 7) })),
    ...inFile("b", prompt({ uuid: "p1" })),
    [`${PROJECT}/a/subagents/agent-x1.jsonl`]: [assistant({ ...COPIED, ...shared })],
    [`${PROJECT}/b/subagents/agent-x1.jsonl`]: [assistant({ ...COPIED, ...shared })],
  };
  expect(await spread(files)).toEqual({ a: [7], b: [5] });
});

test("where nothing tells copies apart the smaller session id owns the call", async () => {
  const files = { ...inFile("b", assistant(COPIED)), ...inFile("a", assistant(COPIED)) };
  expect(await spread(files)).toEqual({ a: [5], b: [] });
});

const stated = (input: number, output: number): object => ({
  "claude-opus-5-5": { inputTokens: input, outputTokens: output, costUSD: 0 },
});
const records = (object: object): Readonly<Record<string, object>> => ({ ...object });

test("what the agent's totals hold beyond its calls is unlogged spend", async () => {
  const [session] = await sessions(inFile("a", assistant({ id: "m1" }), costState(records(stated(17, 9)))));
  expect(session?.unlogged).toEqual([
    { model: "claude-opus-5-5", usage: { inputTokens: 7, outputTokens: 4 }, webSearches: 0 },
  ]);
});

test("a fork's unlogged spend starts at its parent's totals after the copied history", async () => {
  const shared = [prompt({ uuid: "p1" }), assistant({ ...COPIED, ref: "ref1" })];
  const summary = prompt({ uuid: "summary", at: "2026-11-01T10:01:00.000Z" });
  const copies = [prompt({ uuid: "p1" }), assistant({ ...COPIED, ref: "ref1", owner: "a" }), summary];
  const own = assistant({ id: "m9", ref: "ref9", at: "2026-11-01T11:00:00.000Z" });
  const found = await sessions({
    ...inFile("a", ...shared, costState(records(stated(10, 5))), summary, costState(records(stated(30, 25)))),
    ...inFile("b", ...copies, own, costState(records(stated(41, 30)))),
  });
  const fork = found.find((session) => session.id === "b");
  expect(fork?.forkedFrom).toBe("a");
  expect(fork?.unlogged).toEqual([
    { model: "claude-opus-5-5", usage: { inputTokens: 1, outputTokens: 0 }, webSearches: 0 },
  ]);
});

test("without totals the unlogged spend is unknown, not nothing", async () => {
  const [session] = await sessions(inFile("a", assistant({ id: "m1" })));
  expect(session?.unlogged).toBeUndefined();
});

test("calls after the last totals do not eat into unlogged spend", async () => {
  const later = { id: "m2", at: "2026-11-01T12:00:00.000Z" };
  const [session] = await sessions(
    inFile(
      "a",
      assistant({ id: "m1" }),
      costState(records(stated(17, 9))),
      prompt({ at: later.at }),
      assistant(later),
    ),
  );
  expect(session?.unlogged).toHaveLength(1);
});

test("a call without a usable time takes its neighbour's and says so", async () => {
  const calls = await callsOf(
    assistant({ id: "m1", at: "1970-01-01T00:00:00.000Z" }),
    assistant({ id: "m2", at: "2026-11-01T12:00:00+02:00" }),
  );
  expect(calls.map((call) => [new Date(call.atMs).toISOString(), call.isTimeGuessed])).toEqual([
    ["2026-11-01T10:00:00.000Z", true],
    ["2026-11-01T10:00:00.000Z", false],
  ]);
});

test("fast speed and unusual tiers are told apart from standard, priority is not", async () => {
  const tier = (more: object): object => assistant({ usage: usageOf(1, 1, { ...more }) });
  const calls = await callsOf(
    tier({ speed: "fast" }),
    tier({ service_tier: "priority" }),
    tier({ service_tier: "batch" }),
  );
  expect(calls.map((call) => call.tier)).toEqual(["fast", undefined, "batch"]);
});

test("a file beside the sessions is no session", async () => {
  expect(await sessions(inFile("snapshot", { kind: "snapshot", blob: "x".repeat(10_000) }))).toEqual([]);
});

test("a damaged line is named with file and line, and costs nothing else", async () => {
  const bytes = bytesOf([
    assistant({ id: "m1" }),
    '{"type":"assistant","message":{"usage":{}',
    assistant({ id: "m2" }),
  ]);
  const scan = await scanLogs(memoryLogs({ [`${PROJECT}/a.jsonl`]: bytes }), {
    homeDir: HOME,
    variables: {},
  });
  expect(scan.claudeCode.damaged.lines).toEqual([
    { path: `${PROJECT}/a.jsonl`, line: 2, reason: "broken JSON" },
  ]);
  expect(scan.claudeCode.sessions[0]?.calls).toHaveLength(2);
});

test("an explicit config directory replaces the defaults, and may be a list", async () => {
  const files = {
    ...inFile("a", assistant({ id: "m1" })),
    "/one/projects/p/b.jsonl": [assistant({ id: "m2" })],
    "/two/projects/p/c.jsonl": [assistant({ id: "m3" })],
  };
  const variables = { CLAUDE_CONFIG_DIR: "/one, /two" };
  const scan = await scanLogs(memoryLogs(files), { homeDir: HOME, variables });
  expect(scan.claudeCode.sessions.map((session) => session.id)).toEqual(["b", "c"]);
});

test("without the variable the old place below the XDG config folder is read too", async () => {
  const files = {
    ...inFile("a", assistant({ id: "m1" })),
    [`${HOME}/.config/claude/projects/p/b.jsonl`]: [assistant({ id: "m2" })],
  };
  const scan = await scanLogs(memoryLogs(files), { homeDir: HOME, variables: {} });
  expect(scan.claudeCode.sessions.map((session) => session.id)).toEqual(["a", "b"]);
  expect(scan.codex.sessions).toEqual([]);
});
