import fc from "fast-check";
import { expect, test } from "vitest";
import { assistant } from "../testing/claude-lines.ts";
import { SignalReader } from "./grading/signals.ts";
import { ToolEvents } from "./graph/tool-events.ts";
import { OpencodeParser } from "./opencode/index.ts";
import { AtriumParser, BbParser, OrcaParser, paseoParser } from "./orchestrators/index.ts";
import { OtelParser } from "./otel/index.ts";

interface Parser {
  push(chunk: Uint8Array): void;
  finish(): unknown;
}

const MAKERS: Readonly<Record<string, () => Parser>> = {
  opencode: () => new OpencodeParser("/x"),
  otel: () => new OtelParser("/x"),
  orca: () => new OrcaParser("/x"),
  bb: () => new BbParser("/x"),
  atrium: () => new AtriumParser("/x"),
  paseo: () => paseoParser("/x"),
  tools: () => new ToolEvents("s", undefined, "/p"),
  signals: () => new SignalReader(),
};

const BASH = {
  type: "tool_use",
  id: "t",
  name: "Bash",
  input: { command: "cd a && npm test | tee b; codex exec c &" },
};
const ATTRIBUTES = [{ key: "gen_ai.usage.input_tokens", value: { intValue: "5" } }];
const SPAN = {
  traceId: "t",
  spanId: "s",
  name: "chat",
  startTimeUnixNano: "1796057123433000000",
  attributes: ATTRIBUTES,
};
const LINES: readonly object[] = [
  { table: "session", id: "s", parent_id: null, directory: "/p", time_created: 1796057123433 },
  { table: "message", id: "m", session_id: "s", created: 1796057123433, input: 5, output: 6, cost: 0.1 },
  { table: "tool", session_id: "s", tool: "read", path: "/p/a", at: 1796057123433 },
  { table: "worker", dispatch_id: "d", state: "ready", task_id: "t", start_options: '{"agent":"codex"}' },
  { table: "thread", id: "a", parent_thread_id: "b", created_at: 1796057123433 },
  { table: "segment", workspace_id: "w", adapter_session_id: "s", started_at: "2026-08-14T10:00:00Z" },
  { resourceSpans: [{ scopeSpans: [{ spans: [SPAN] }] }] },
  { id: "a", lastStatus: "closed", provider: "x", persistence: { sessionId: "s" }, config: { model: "m" } },
  assistant({ content: [BASH] }),
  { type: "user", message: { content: [{ type: "tool_result", tool_use_id: "t", content: "3 failed" }] } },
  {
    type: "response_item",
    payload: { type: "function_call", name: "shell", call_id: "c", arguments: '{"cmd":"ls"}' },
  },
];

/** Another value in the place of one, or a text with something cut out or put in. */
const mutation = fc.record({
  line: fc.nat(LINES.length - 1),
  at: fc.nat(400),
  cut: fc.nat(20),
  put: fc.constantFrom("", "null", "[]", "{}", "-1", "1e999", '"', "}", "\u0000", "true", '"\\ud800"'),
});

test.each(Object.keys(MAKERS))("no change to its lines makes the reader of %s throw", (name) => {
  const make = MAKERS[name];
  fc.assert(
    fc.property(fc.array(mutation, { minLength: 1, maxLength: 8 }), (mutations) => {
      const parser = make?.();
      const lines = mutations.map(({ line, at, cut, put }) => {
        const text = JSON.stringify(LINES[line]);
        const from = at % text.length;
        return `${text.slice(0, from)}${put}${text.slice(from + cut)}`;
      });
      parser?.push(new TextEncoder().encode(`${lines.join("\n")}\n`));
      expect(parser?.finish()).toBeDefined();
    }),
    { numRuns: 300 },
  );
});
