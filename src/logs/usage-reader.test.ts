import { expect, test } from "vitest";
import type { UsageReport } from "../ports/provider.ts";
import { assistant, costState, HOME, PROJECT, prompt, usageOf } from "../testing/claude-lines.ts";
import { line, meta, rolloutPath, threadId, tokens, turn } from "../testing/codex-lines.ts";
import { type LogFixture, memoryLogs } from "../testing/memory-logs.ts";
import { createPrices } from "./prices/index.ts";
import { createUsageReader } from "./usage-reader.ts";

type Request = Parameters<ReturnType<typeof createUsageReader>["ofSession"]>[0];

const env = { homeDir: HOME, variables: {} };

function usage(files: LogFixture, request: Omit<Request, "cwd">): Promise<UsageReport> {
  return createUsageReader(memoryLogs(files), env, createPrices()).ofSession({
    cwd: "/home/dev/p",
    ...request,
  });
}

/** Output tokens by model, or why they are unknown. */
async function outputs(files: LogFixture, request: Omit<Request, "cwd">): Promise<unknown> {
  const report = await usage(files, request);
  if (report.kind === "unknown") return report.why;
  return Object.fromEntries(report.models.map((entry) => [entry.model, entry.usage.outputTokens]));
}

const inFile = (name: string, ...lines: readonly unknown[]): LogFixture => ({
  [`${PROJECT}/${name}.jsonl`]: lines,
});
const claude = (session: string): Omit<Request, "cwd"> => ({ agent: "claude-code", session });
const MORNING = "2026-11-01T10:00:00.000Z";
const NOON = "2026-11-01T12:00:00.000Z";

test("a session's spend is its own calls and its subagents', priced call by call", async () => {
  const files = {
    ...inFile("s", assistant({ id: "m1", usage: usageOf(1_000_000, 0) })),
    ...inFile("other", assistant({ id: "m9" })),
    [`${PROJECT}/s/subagents/agent-1.jsonl`]: [assistant({ id: "m2", usage: usageOf(500_000, 0) })],
  };
  expect(await usage(files, claude("s"))).toEqual({
    kind: "known",
    provenance: "logged",
    models: [
      {
        model: "claude-opus-5-5",
        usage: { inputTokens: 1_500_000, outputTokens: 0, requests: 2 },
        cost: { kind: "known", microUsd: 6_000_000, basis: "logged" },
      },
    ],
  });
});

test("only calls between the two moments count", async () => {
  const files = inFile(
    "s",
    assistant({ id: "m1", at: MORNING }),
    assistant({ id: "m2", at: NOON, usage: usageOf(1, 7) }),
  );
  expect(await outputs(files, { ...claude("s"), from: "2026-11-01T11:00:00.000Z" })).toEqual({
    "claude-opus-5-5": 7,
  });
  expect(await outputs(files, { ...claude("s"), to: "2026-11-01T11:00:00.000Z" })).toEqual({
    "claude-opus-5-5": 5,
  });
});

test("a session without a log, or without a call in the time, has an unknown spend", async () => {
  const files = inFile("s", prompt(), assistant({ id: "m1", at: MORNING }));
  expect(await outputs(files, claude("none"))).toBe("no log of session none");
  expect(await outputs(files, { ...claude("s"), from: NOON })).toBe("the log shows no call in that time");
});

test("a session whose only answers were errors spent nothing", async () => {
  expect(await outputs(inFile("s", prompt(), assistant({ model: "<synthetic>" })), claude("s"))).toEqual({});
});

test("a log that cannot be read makes the spend unknown", async () => {
  const files = inFile("s", assistant({ id: "m1" }));
  const broken = createUsageReader({ ...memoryLogs({}), list: memoryLogs(files).list }, env);
  expect(await broken.ofSession({ ...claude("s"), cwd: "/" })).toMatchObject({ kind: "unknown" });
});

test("calls that a fork inherited are the parent's, also where only the parent's file tells", async () => {
  const copied = { id: "m1", uuid: "u1", request: "r1" };
  const queue = { type: "queue-operation", timestamp: NOON };
  const files = {
    ...inFile("parent", prompt({ uuid: "p1" }), assistant(copied)),
    ...inFile(
      "fork",
      queue,
      prompt({ uuid: "p1" }),
      assistant(copied),
      assistant({ id: "m2", request: "r2", usage: usageOf(1, 7) }),
    ),
  };
  expect(await outputs(files, claude("fork"))).toEqual({ "claude-opus-5-5": 7 });
});

test("a resumed copy of an old writer without request ids spends only what is new", async () => {
  const files = {
    ...inFile("old", assistant({ id: "m1", uuid: "u1", request: "r1" })),
    ...inFile(
      "new",
      assistant({ id: "m1", uuid: "u1" }),
      assistant({ id: "m2", request: "r2", usage: usageOf(1, 7) }),
    ),
  };
  expect(await outputs(files, claude("new"))).toEqual({ "claude-opus-5-5": 7 });
});

test("spend that the agent states without a call is a part of its own, once per process", async () => {
  const state = (input: number, output: number): object =>
    costState({ "claude-opus-5-5": { inputTokens: input, outputTokens: output } });
  const later = { id: "m2", at: NOON };
  const files = inFile(
    "s",
    assistant({ id: "m1", at: MORNING }),
    state(110, 5),
    prompt({ at: NOON }),
    assistant(later),
    state(127, 11),
  );
  const unlogged = async (from?: string): Promise<unknown> => {
    const report = await usage(files, { ...claude("s"), ...(from === undefined ? {} : { from }) });
    return report.kind === "known"
      ? report.models.filter((entry) => entry.isUnlogged).map((entry) => entry.usage)
      : report.why;
  };
  expect(await unlogged()).toEqual([{ inputTokens: 107, outputTokens: 1 }]);
  expect(await unlogged("2026-11-01T11:00:00.000Z")).toEqual([{ inputTokens: 7, outputTokens: 1 }]);
});

test("parts whose output count was logged too early are lower bounds", async () => {
  const report = await usage(inFile("s", assistant({ id: "m1", stop: null })), claude("s"));
  expect(report).toMatchObject({ models: [{ isLowerBound: true }] });
});

test("a tier without a price leaves the rest of the spend known", async () => {
  const batch = assistant({ id: "m1", usage: usageOf(1, 1, { service_tier: "batch" }) });
  const report = await usage(inFile("s", batch, assistant({ id: "m2" })), claude("s"));
  expect(report).toMatchObject({
    models: [{ tier: "batch", cost: { kind: "unknown", why: "no-price" } }, { cost: { kind: "known" } }],
  });
});

test("another home of the agent is searched instead of the default", async () => {
  const files = { "/else/projects/p/s.jsonl": [assistant({ id: "m1" })] };
  expect(await outputs(files, { ...claude("s"), home: "/else" })).toEqual({ "claude-opus-5-5": 5 });
});

const FIRST = { input: 1000, output: 100 };

test("a thread's spend includes the threads it spawned, and theirs, but no others", async () => {
  const spawned = (n: number, parent: number, model: string): LogFixture => ({
    [rolloutPath(n)]: [
      meta(n, { session_id: threadId(1), parent_thread_id: threadId(parent) }),
      turn(model),
      tokens(FIRST, FIRST),
    ],
  });
  const files = {
    [rolloutPath(1)]: [meta(1), turn("gpt-5.5"), tokens(FIRST, FIRST)],
    ...spawned(2, 1, "gpt-5.1"),
    ...spawned(3, 2, "gpt-5-codex"),
    [rolloutPath(4)]: [meta(4), turn("gpt-5.6-sol"), tokens(FIRST, FIRST)],
  };
  expect(await outputs(files, { agent: "codex", session: threadId(1) })).toEqual({
    "gpt-5.5": 100,
    "gpt-5.1": 100,
    "gpt-5-codex": 100,
  });
});

test("a fork that replays its parent spends only its own", async () => {
  const files = {
    [rolloutPath(1)]: [meta(1), turn("gpt-5.5"), tokens(FIRST, FIRST)],
    [rolloutPath(2)]: [
      meta(2, { forked_from_id: threadId(1) }),
      meta(1),
      turn("gpt-5.5"),
      tokens(FIRST, FIRST, NOON),
      tokens({ input: 1500, output: 130 }, { input: 500, output: 30 }, NOON),
    ],
  };
  expect(await outputs(files, { agent: "codex", session: threadId(2) })).toEqual({ "gpt-5.5": 30 });
});

test("a thread without usage has an unknown spend", async () => {
  const files = { [rolloutPath(1)]: [meta(1), line("event_msg", { type: "turn_aborted" })] };
  expect(await outputs(files, { agent: "codex", session: threadId(1) })).toBe(
    "the log shows no call in that time",
  );
  expect(await outputs(files, { agent: "codex", session: threadId(2) })).toBe(
    `no log of session ${threadId(2)}`,
  );
});
