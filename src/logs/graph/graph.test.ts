import { expect, test } from "vitest";
import { assistant } from "../../testing/claude-lines.ts";
import { bytesOf } from "../../testing/memory-logs.ts";
import type { SessionSummary } from "../summary.ts";
import { kindOfFile } from "./artifacts.ts";
import { type AgentGraph, buildGraph, type GraphFacts, NO_FACTS } from "./build.ts";
import { toDot } from "./dot.ts";
import { toHtml } from "./page.ts";
import { readMeta } from "./subagent-meta.ts";
import { type FileEvent, ToolEvents, type ToolFacts } from "./tool-events.ts";

function factsIn(session: string, lines: readonly unknown[], cwd?: string): ToolFacts {
  const parser = new ToolEvents(session, undefined, cwd);
  parser.push(bytesOf(lines));
  return parser.finish();
}

function eventsIn(session: string, lines: readonly unknown[]): readonly FileEvent[] {
  return factsIn(session, lines).files;
}

function graphOf(sessions: readonly SessionSummary[], facts: Partial<GraphFacts> = {}): AgentGraph {
  return buildGraph(sessions, { ...NO_FACTS, ...facts });
}

function tool(name: string, path: string, at: string): object {
  return assistant({
    at,
    content: [{ type: "tool_use", id: `${name} ${at}`, name, input: { file_path: path } }],
  });
}

function aSession(id: string, more: Partial<SessionSummary> = {}): SessionSummary {
  return {
    agent: "claude-code",
    id,
    root: id,
    isArchived: false,
    isCompressed: false,
    files: [],
    rows: [],
    errors: 0,
    warnings: [],
    warningCount: 0,
    ...more,
  };
}

const WRITER = eventsIn("a", [tool("Write", "/p/plan.md", "2026-11-01T10:00:00Z")]);
const READER = eventsIn("b", [tool("Read", "/p/plan.md", "2026-11-01T11:00:00Z")]);

test("a session that reads what another wrote before depends on it", () => {
  const graph = graphOf([aSession("a"), aSession("b")], { files: [...READER, ...WRITER] });
  expect(graph.edges).toEqual([
    { from: "a", to: "b", kind: "artifact", tier: "verified", path: "/p/plan.md" },
  ]);
});

test("a file that is written after it was read makes no edge", () => {
  const late = eventsIn("a", [tool("Edit", "/p/plan.md", "2026-11-01T12:00:00Z")]);
  const graph = graphOf([aSession("a"), aSession("b")], { files: [...READER, ...late] });
  expect(graph).toMatchObject({ edges: [], readsWithoutWrites: 1 });
});

test("a patch names the files it changes", () => {
  const line = {
    timestamp: "2026-11-01T10:00:00Z",
    type: "response_item",
    payload: {
      type: "custom_tool_call",
      name: "apply_patch",
      input: "*** Begin Patch\n*** Update File: src/a.ts\n@@",
    },
  };
  expect(eventsIn("c", [line])).toMatchObject([{ kind: "write", path: "src/a.ts" }]);
});

test("spawned threads and forks are edges that the log states", () => {
  const graph = graphOf([aSession("a"), aSession("b", { parent: "a" }), aSession("c", { forkedFrom: "a" })]);
  expect(graph.edges.map(({ to, kind, tier }) => [to, kind, tier])).toEqual([
    ["b", "spawn", "verified"],
    ["c", "fork", "verified"],
  ]);
});

test("names cannot break out of the page or the drawing", () => {
  const graph = graphOf([aSession('<script>"x')]);
  expect(toHtml(graph, new Map())).not.toContain('<script>"x');
  expect(toDot(graph)).toContain('"<script>\\"x"');
});

const T0 = Date.parse("2026-11-01T10:00:00.000Z");
const AT = (seconds: number): string => new Date(T0 + seconds * 1000).toISOString();

function bash(command: string, from: number, to: number, more: object = {}): object[] {
  const call = { type: "tool_use", id: `t${from}`, name: "Bash", input: { command, ...more } };
  const result = { type: "tool_result", tool_use_id: `t${from}`, content: "done" };
  return [
    assistant({ at: AT(from), content: [call] }),
    { type: "user", timestamp: AT(to), message: { role: "user", content: [result] } },
  ];
}

function codexSession(id: string, second: number, more: Partial<SessionSummary> = {}): SessionSummary {
  return aSession(id, { agent: "codex", cwd: "/home/dev/p", firstAtMs: T0 + second * 1000, ...more });
}

const LEAD = aSession("lead", { cwd: "/home/dev/p", firstAtMs: T0, lastAtMs: T0 + 600_000 });

test("a session that began while a command naming its agent ran was launched by it, as a guess", () => {
  const { launches } = factsIn("lead", bash("codex exec 'do it'", 10, 90));
  const graph = graphOf([LEAD, codexSession("x", 12)], { launches });
  expect(graph.edges).toEqual([{ from: "lead", to: "x", kind: "launch", tier: "heuristic", lagMs: 2000 }]);
  expect(graph.nodes.map(({ id, role }) => [id, role?.value])).toEqual([
    ["lead", "lead"],
    ["x", "cli"],
  ]);
});

test.each([
  ["began before the command", "codex exec a", 5],
  ["began after the command's window", "codex exec a", 300],
  ["is another agent's", "claude -p a", 12],
])("a session that %s was not launched by it", (_, command, second) => {
  const { launches } = factsIn("lead", bash(command, 10, 20));
  const graph = graphOf([LEAD, codexSession("x", second)], { launches });
  expect(graph.edges).toEqual([]);
  expect(graph.launchesWithoutSession).toBe(1);
});

test("a command in the background launches as many sessions of its folder as it names starts", () => {
  const { launches } = factsIn("lead", bash("codex exec a & codex exec b &", 10, 11));
  const sessions = [LEAD, codexSession("x", 20), codexSession("y", 30), codexSession("z", 40)];
  expect(graphOf(sessions, { launches }).edges.map(({ to }) => to)).toEqual(["x", "y"]);
});

test("two commands share two sessions by time, whatever order the files came in", () => {
  const first = factsIn("lead", bash("codex exec a", 10, 60)).launches;
  const second = factsIn("lead", bash("codex exec b", 100, 160)).launches;
  const sessions = [LEAD, codexSession("x", 12), codexSession("y", 103)];
  const one = graphOf(sessions, { launches: [...first, ...second] });
  const other = graphOf([...sessions].reverse(), { launches: [...second, ...first] });
  expect(one.edges.map(({ lagMs }) => lagMs)).toEqual([2000, 3000]);
  expect(other).toEqual(one);
});

test("a launched session whose command speaks of a review is a reviewer", () => {
  const { launches } = factsIn("lead", bash("codex exec 'review the diff'", 10, 90));
  const graph = graphOf([LEAD, codexSession("x", 12)], { launches });
  expect(graph.nodes[1]?.role).toEqual({ value: "reviewer", tier: "heuristic" });
});

test("a sub-agent whose call is in a log was spawned by who made the call, and is what its type says", () => {
  const rows = ["x1", "x2"].map((subagent) => ({
    ...{
      model: "m",
      slot: 0,
      size: 0,
      usage: { requests: 1 },
      webSearches: 0,
      lowerBounds: 0,
      isUnlogged: false,
    },
    subagent,
  }));
  const meta = readMeta(JSON.stringify({ toolUseId: "call", agentType: "code-reviewer" }));
  const graph = graphOf([aSession("a", { rows })], {
    spawnedBy: new Map([["call", "x1"]]),
    subagents: new Map([["a/x2", meta]]),
  });
  expect(graph.edges).toEqual(
    [
      { from: "a/x1", to: "a/x2", kind: "spawn", tier: "verified" },
      { from: "a", to: "a/x1", kind: "spawn", tier: "heuristic" },
    ].sort((one, two) => (`${one.from}\n` < `${two.from}\n` ? -1 : 1)),
  );
  expect(graph.nodes.find(({ id }) => id === "a/x2")?.role).toEqual({ value: "reviewer", tier: "reported" });
});

test("what a shell command read and wrote makes edges that are guesses", () => {
  const files = [
    ...factsIn("a", bash("echo x > plan.md", 1, 2), "/home/dev/p").files,
    ...factsIn("b", bash("cat plan.md", 5, 6), "/home/dev/p").files,
  ];
  expect(graphOf([aSession("a"), aSession("b")], { files })).toMatchObject({
    edges: [{ from: "a", to: "b", kind: "artifact", tier: "heuristic", path: "/home/dev/p/plan.md" }],
    artifacts: [{ kind: "plan", writers: ["a"], readers: ["b"], writes: 1, reads: 1 }],
  });
});

test("a tool call that failed wrote nothing", () => {
  const [call] = bash("echo x > plan.md", 1, 2);
  const failed = { type: "tool_result", tool_use_id: "t1", is_error: true, content: "no" };
  const lines = [call, { type: "user", timestamp: AT(2), message: { role: "user", content: [failed] } }];
  expect(factsIn("a", lines, "/p").files).toEqual([]);
});

test.each([
  ["function_call", { name: "shell", arguments: '{"command":["bash","-lc","cat a.md > b.md"]}' }],
  ["function_call", { name: "exec_command", arguments: '{"cmd":"cat a.md > b.md"}' }],
  ["local_shell_call", { action: { command: ["bash", "-lc", "cat a.md > b.md"] } }],
  [
    "custom_tool_call",
    { name: "exec", input: 'const r = await tools.exec_command({cmd: "cat a.md > b.md"}); text(r)' },
  ],
])("a shell command of Codex is found in a %s %j", (type, more) => {
  const line = { timestamp: AT(0), type: "response_item", payload: { type, call_id: "c", ...more } };
  expect(factsIn("c", [line], "/p").files.map(({ kind, path }) => [kind, path])).toEqual([
    ["write", "/p/b.md"],
    ["read", "/p/a.md"],
  ]);
});

test.each([
  ["docs/roadmap.md", "plan"],
  ["a/review-2.md", "review"],
  ["src/plan.ts", "code"],
  ["tests/x.py", "test"],
  ["run/out.log", "log"],
  ["package.json", "config"],
  ["notes.md", "doc"],
  ["Makefile", "other"],
])("%s is taken for a %s", (path, kind) => {
  expect(kindOfFile(path)).toBe(kind);
});
