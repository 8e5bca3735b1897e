import { expect, test } from "vitest";
import { assistant } from "../testing/claude-lines.ts";
import { memoryLogs } from "../testing/memory-logs.ts";
import { groupsOf, listLogs } from "./list-groups.ts";

const FILES = {
  "/x/rollout-2026-11-01T10-00-01-01990000-0000-7000-8000-000000000001.jsonl": [{}],
  "/x/projects/-p/s1.jsonl": [assistant()],
  "/x/projects/-p/s1/subagents/agent-a.meta.json": [{ agentType: "x" }],
  "/x/pi/2026_s2.jsonl": [{ type: "session", id: "s2" }],
  "/x/traces.jsonl": [{ resourceSpans: [] }],
  "/x/notes.json": [{ a: 1 }],
  "/x/paseo/agents/p/a1.json": [{ id: "a1", provider: "claude" }],
  "/x/opencode.db": [],
  "/x/opencode.db-wal": [],
  "/y/session-1.json": [{ sessionId: "g" }],
};

test("files that are named instead of the agents' places are told apart by name and first bytes", async () => {
  const env = { homeDir: "/home/dev", variables: {}, only: ["/x/", "/y/session-1.json"] };
  const groups = groupsOf(await listLogs(memoryLogs(FILES), env));
  expect(Object.fromEntries(groups.map(({ agent, files }) => [agent, files.length]))).toEqual({
    codex: 1,
    "claude-code": 1,
    pi: 1,
    "otel-genai": 1,
    paseo: 1,
    opencode: 2,
    "gemini-cli": 1,
  });
});
