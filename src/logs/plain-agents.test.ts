import { expect, test } from "vitest";
import { readersHere } from "../testing/log-readers.ts";
import { memoryLogs } from "../testing/memory-logs.ts";
import { type ScanPorts, type SummaryScan, scanSummary } from "./summary-scan.ts";

const HOME = "/home/dev";

function scan(files: Readonly<Record<string, readonly unknown[]>>, order?: string[]): Promise<SummaryScan> {
  const source = memoryLogs(files, order);
  const ports: ScanPorts = {
    source,
    readers: readersHere(source),
  };
  return scanSummary(ports, { homeDir: HOME, variables: {} }, 0);
}

const AT = "2026-11-01T10:00:00.000Z";

function piHeader(id: string, more: object = {}): object {
  return { type: "session", version: 3, id, timestamp: AT, cwd: "/home/dev/p", ...more };
}

function piCall(id: string, output: number): object {
  const usage = { input: 10, output, cacheRead: 5, cacheWrite: 3, cost: { total: 0.01 } };
  const message = { role: "assistant", model: "claude-opus-5-5", usage, stopReason: "stop", timestamp: 1 };
  return { type: "message", id, parentId: null, timestamp: AT, message };
}

const piPath = (agent: string, id: string): string =>
  `${HOME}/.${agent}/agent/sessions/--home-dev-p--/2026-11-01T10-00-00_${id}.jsonl`;

test.each(["pi", "omp"])("a session of %s is found with its tokens by class", async (agent) => {
  const { sessions } = await scan({ [piPath(agent, "s1")]: [piHeader("s1"), piCall("a", 7), "{broken"] });
  expect(sessions).toMatchObject([{ agent, id: "s1", cwd: "/home/dev/p" }]);
  expect(sessions[0]?.rows[0]?.usage).toEqual({
    inputTokens: 10,
    cacheWrite5mTokens: 3,
    cacheReadTokens: 5,
    outputTokens: 7,
    requests: 1,
  });
});

test("a fork of pi does not count the calls that it copied", async () => {
  const files = {
    [piPath("pi", "s1")]: [piHeader("s1"), piCall("a", 7)],
    [piPath("pi", "s2")]: [
      piHeader("s2", { timestamp: "2026-11-01T11:00:00.000Z", parentSession: piPath("pi", "s1") }),
      piCall("a", 7),
      piCall("b", 9),
    ],
  };
  const { sessions } = await scan(files);
  expect(sessions.map(({ id, forkedFrom, rows }) => [id, forkedFrom, rows[0]?.usage.outputTokens])).toEqual([
    ["s1", undefined, 7],
    ["s2", "s1", 9],
  ]);
  expect((await scan(files, Object.keys(files).reverse())).sessions).toEqual(sessions);
});

test("agents of one name that two sessions of omp started are two, each with its session as parent", async () => {
  const child = (of: string): string => piPath("omp", of).replace(/\.jsonl$/, "/explore.jsonl");
  const init = { type: "session_init", version: 3, timestamp: AT, cwd: "/home/dev/p" };
  const { sessions } = await scan({
    [piPath("omp", "s1")]: [piHeader("s1"), piCall("a", 7)],
    [piPath("omp", "s2")]: [piHeader("s2"), piCall("b", 8)],
    [child("s1")]: [init, piCall("c", 9)],
    [child("s2")]: [init, piCall("d", 10)],
  });
  expect(
    sessions.map(({ parent, root, rows }) => [parent, root, rows[0]?.usage.outputTokens]).toSorted(),
  ).toEqual([
    [undefined, "s1", 7],
    [undefined, "s2", 8],
    ["s1", "s1", 9],
    ["s2", "s2", 10],
  ]);
});

test("a file of pi without a session header holds no session", async () => {
  expect((await scan({ [piPath("pi", "x")]: [piCall("a", 7)] })).sessions).toEqual([]);
});

function geminiSession(tokens: object): object {
  const user = { id: "u", timestamp: AT, type: "user", content: "hello" };
  const model = { id: "m", timestamp: AT, type: "gemini", content: "", model: "gemini-3-pro", tokens };
  return {
    sessionId: "g1",
    projectHash: "h",
    startTime: AT,
    lastUpdated: AT,
    messages: [user, model, model],
  };
}

const GEMINI = `${HOME}/.gemini/tmp/abc/chats/session-2026-11-01T10-00-g1.json`;

test("a session of Gemini CLI counts cached input apart and thoughts as output, each message once", async () => {
  const tokens = { input: 100, output: 20, cached: 40, thoughts: 5, tool: 3, total: 128 };
  const { sessions } = await scan({ [GEMINI]: [geminiSession(tokens)] });
  expect(sessions).toMatchObject([{ agent: "gemini-cli", id: "g1" }]);
  expect(sessions[0]?.rows[0]?.usage).toEqual({
    inputTokens: 63,
    cacheReadTokens: 40,
    outputTokens: 25,
    reasoningTokens: 5,
    requests: 1,
  });
});

test("a count that cannot be one rejects its message, and a cut document is named", async () => {
  const bad = await scan({ [GEMINI]: [geminiSession({ input: -1, output: 2 })] });
  expect(bad.sessions).toMatchObject([{ rows: [], warningCount: 2 }]);
  const cut = await scan({ [GEMINI]: ['{"sessionId":"g1","messages":['] });
  expect(cut.damaged.lines).toMatchObject([{ path: GEMINI, line: 1, reason: "broken JSON" }]);
});
