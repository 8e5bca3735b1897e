import { expect, test } from "vitest";
import { bytesOf } from "../../testing/memory-logs.ts";
import type { AgentLogs } from "../call.ts";
import { mergePlain } from "../plain-calls.ts";
import { OtelParser } from "./index.ts";

type Attributes = Readonly<Record<string, string | number>>;

function attributes(from: Attributes): object[] {
  return Object.entries(from).map(([key, value]) => ({
    key,
    value: typeof value === "number" ? { intValue: String(value) } : { stringValue: value },
  }));
}

const START = BigInt(Date.parse("2026-11-01T10:00:00.000Z")) * 1_000_000n;

function span(id: string, name: string, own: Attributes, parent?: string): object {
  return {
    traceId: "t1",
    spanId: id,
    ...(parent === undefined ? {} : { parentSpanId: parent }),
    name,
    startTimeUnixNano: String(START),
    endTimeUnixNano: String(START + 2_000_000_000n),
    attributes: attributes(own),
  };
}

function request(spans: readonly object[], resource: Attributes = {}): object {
  return { resourceSpans: [{ resource: { attributes: attributes(resource) }, scopeSpans: [{ spans }] }] };
}

function read(content: Uint8Array): AgentLogs {
  const parser = new OtelParser("/x/traces.jsonl");
  parser.push(content);
  return mergePlain("otel-genai", parser.finish());
}

const CLAUDE: Attributes = {
  "session.id": "s1",
  "gen_ai.request.model": "claude-opus-5-5",
  input_tokens: 2,
  output_tokens: 1200,
  cache_read_tokens: 84_562,
  cache_creation_tokens: 7096,
};
const CHAT: Attributes = {
  "gen_ai.operation.name": "chat",
  "gen_ai.conversation.id": "c1",
  "gen_ai.response.model": "gpt-5.6-sol",
  "gen_ai.usage.input_tokens": 100,
  "gen_ai.usage.cache_read.input_tokens": 60,
  "gen_ai.usage.output_tokens": 20,
};

test("spans of Claude Code count cached tokens beside input, those of the conventions inside it", () => {
  const { sessions } = read(
    bytesOf([
      request([span("a", "claude_code.llm_request", CLAUDE)]),
      request([span("b", "chat gpt", CHAT)]),
    ]),
  );
  expect(sessions.map(({ id, calls }) => [id, calls[0]?.model, calls[0]?.usage])).toEqual([
    ["c1", "gpt-5.6-sol", { inputTokens: 40, cacheReadTokens: 60, outputTokens: 20, requests: 1 }],
    [
      "s1",
      "claude-opus-5-5",
      {
        inputTokens: 2,
        cacheWrite5mTokens: 7096,
        cacheReadTokens: 84_562,
        outputTokens: 1200,
        requests: 1,
      },
    ],
  ]);
});

test("a span that sums up those below it is no call, and a span that was exported twice is one", () => {
  const sum = span("p", "invoke_agent", { ...CHAT, "gen_ai.operation.name": "invoke_agent" });
  const call = span("b", "chat", CHAT, "p");
  expect(read(bytesOf([request([sum, call]), request([call])])).sessions).toMatchObject([
    { id: "c1", calls: [{ usage: { outputTokens: 20 } }] },
  ]);
});

test("a session whose span stands below a span of another was launched by it", () => {
  const tool = span("t", "claude_code.tool", { "session.id": "s1" });
  const { sessions } = read(bytesOf([request([tool, span("b", "chat", CHAT, "t")])]));
  expect(sessions.map(({ id, parent, root }) => [id, parent, root])).toEqual([
    ["c1", "s1", "s1"],
    ["s1", undefined, "s1"],
  ]);
});

test("calls of a sub-agent are told apart inside their session", () => {
  const own = span("a", "claude_code.llm_request", CLAUDE);
  const sub = span("b", "claude_code.llm_request", { ...CLAUDE, agent_id: "x1" });
  const [session] = read(bytesOf([request([own, sub])])).sessions;
  expect(session?.calls.map((call) => call.subagent)).toEqual([undefined, "x1"]);
});

test("one document over many lines is read as well, without damage", () => {
  const text = JSON.stringify(request([span("b", "chat", CHAT)]), null, 2);
  const { sessions, damaged } = read(new TextEncoder().encode(text));
  expect(sessions).toHaveLength(1);
  expect(damaged.lines).toEqual([]);
});

test("a broken line and a count that cannot be one cost only themselves, and are named", () => {
  const bad = span("c", "chat", { ...CHAT, "gen_ai.usage.input_tokens": -1 });
  const { sessions, damaged } = read(bytesOf(["{broken}", request([bad, span("b", "chat", CHAT)])]));
  expect(sessions.flatMap(({ calls }) => calls)).toHaveLength(1);
  expect(damaged.lines.map(({ line }) => line).sort()).toEqual([1, 2]);
});

test("a span without counts of its own leaves its classes unknown", () => {
  const { "gen_ai.usage.output_tokens": _, ...input } = CHAT;
  const [session] = read(bytesOf([request([span("b", "chat", input)])])).sessions;
  expect(session?.calls[0]?.usage).not.toHaveProperty("outputTokens");
});
