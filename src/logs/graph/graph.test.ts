import { expect, test } from "vitest";
import { assistant } from "../../testing/claude-lines.ts";
import { bytesOf } from "../../testing/memory-logs.ts";
import type { SessionSummary } from "../summary.ts";
import { buildGraph } from "./build.ts";
import { type FileEvent, FileEvents } from "./file-events.ts";
import { toDot, toHtml } from "./formats.ts";

function eventsIn(session: string, lines: readonly unknown[]): readonly FileEvent[] {
  const parser = new FileEvents(session, undefined);
  parser.push(bytesOf(lines));
  return parser.finish();
}

function tool(name: string, path: string, at: string): object {
  return assistant({ at, content: [{ type: "tool_use", id: "t", name, input: { file_path: path } }] });
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
  const graph = buildGraph([aSession("a"), aSession("b")], [...READER, ...WRITER]);
  expect(graph.edges).toEqual([
    { from: "a", to: "b", kind: "artifact", tier: "verified", path: "/p/plan.md" },
  ]);
});

test("a file that is written after it was read makes no edge", () => {
  const late = eventsIn("a", [tool("Edit", "/p/plan.md", "2026-11-01T12:00:00Z")]);
  const graph = buildGraph([aSession("a"), aSession("b")], [...READER, ...late]);
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
  const graph = buildGraph(
    [aSession("a"), aSession("b", { parent: "a" }), aSession("c", { forkedFrom: "a" })],
    [],
  );
  expect(graph.edges.map(({ to, kind, tier }) => [to, kind, tier])).toEqual([
    ["b", "spawn", "verified"],
    ["c", "fork", "verified"],
  ]);
});

test("names cannot break out of the page or the drawing", () => {
  const graph = buildGraph([aSession('<script>"x')], []);
  expect(toHtml(graph)).not.toContain("<script>");
  expect(toDot(graph)).toContain('"<script>\\"x"');
});
