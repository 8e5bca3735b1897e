import { expect, test } from "vitest";
import type { JsonObject } from "../../core/canonical-json.ts";
import { render } from "./index.ts";

function node(id: string, more: JsonObject = {}): JsonObject {
  return {
    id,
    agent: "codex",
    kind: "session",
    models: ["gpt-5.6-sol"],
    first_at: "2026-11-01T10:00:00.000Z",
    calls: 3,
    role: null,
    cost_usd: 0.5,
    ...more,
  };
}

const GRAPH: JsonObject = {
  schema: "loopwright.graph/1",
  ok: true,
  nodes: [
    node("lead", { agent: "claude-code", role: "lead", cost_usd: null }),
    node("child"),
    node("other"),
    node("lead/x1", { agent: "claude-code", role: "planner" }),
  ],
  edges: [
    { from: "lead", to: "child", kind: "launch", tier: "heuristic" },
    { from: "lead", to: "lead/x1", kind: "spawn", tier: "verified" },
  ],
  artifacts: [{ path: "/p/plan.md", kind: "plan", writers: ["lead/x1"], readers: ["child"] }],
  launches_without_session: 1,
  out: null,
};

function shown(columns: number): string {
  return render(GRAPH, { columns, color: false, name: "loopwright" });
}

test("sessions stand below the one that started them, and a guess is marked and explained", () => {
  const lines = shown(140).split("\n");
  const names = lines.map((line) =>
    line
      .split(/\s{2,}/)
      .slice(0, 2)
      .join(" | "),
  );
  expect(names.slice(3, 7)).toEqual([
    "claude-code lead | lead",
    "└ codex child | a shell command?",
    "└ claude-code x1 | its agent",
    "codex other | 2026-11-01 10:00",
  ]);
  expect(lines[0]).toBe("4 sessions, 2 starts of one by another, 1 file handed over");
  expect(shown(140)).toContain("? is a guess");
  expect(shown(140)).toContain("no session here fits 1 command");
});

test("a graph fits a narrow terminal", () => {
  expect(
    shown(80)
      .split("\n")
      .filter((line) => [...line].length > 80),
  ).toEqual([]);
});

test("a circle of starts ends, and shows each session once", () => {
  const edges = [
    { from: "lead", to: "child", kind: "spawn", tier: "verified" },
    { from: "child", to: "lead", kind: "spawn", tier: "verified" },
  ];
  const text = render({ ...GRAPH, edges }, { columns: 140, color: false, name: "loopwright" });
  expect(text.match(/codex child/g)).toHaveLength(2);
});

test("calls that nobody counted are unknown, not none", () => {
  const nodes = [node("build.a1", { calls: null })];
  const text = render({ ...GRAPH, nodes, edges: [] }, { columns: 140, color: false, name: "loopwright" });
  expect(text).toMatch(/build\.a1 .* unknown +\$0\.50/);
});
