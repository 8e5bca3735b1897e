import { expect, test } from "vitest";
import type { OcpAttempt, OcpDocument } from "../formats/ocp/index.ts";
import { documentGraph } from "./document-graph.ts";

function tried(id: string, minute: number, more: Partial<OcpAttempt> = {}): OcpAttempt {
  const [node = ""] = id.split(".");
  return { id, node, status: "done", started_at: `2026-11-01T10:${minute}:00.000Z`, ...more };
}

const REVIEWED: OcpDocument = {
  ocp: "0.3",
  producer: { name: "t", version: "1", emitted_at: "2026-11-01T11:00:00.000Z" },
  privacy: { profile: "metadata_only" },
  run: { id: "run_1" },
  nodes: ["build", "review", "ship"].map((id) => ({ id, kind: "task" })),
  edges: [
    { from: "build", to: "review", tier: "reported" },
    { from: "review", to: "ship", kind: "fan_in", tier: "heuristic" },
    {
      from: "build",
      to: "review",
      kind: "artifact",
      tier: "verified",
      artifact: "diff",
      from_attempt: "build.a2",
      to_attempt: "review.a2",
    },
  ],
  attempts: [
    tried("build.a1", 10, { cost: { usd: 0.5, output_tokens: 7, requests: 3 }, harness: "codex" }),
    tried("review.a1", 20, { cause: { type: "followup", ref: "build.a1" } }),
    tried("build.a2", 30, { cause: { type: "sent_back", ref: "build.a1" } }),
    tried("review.a2", 40, { role: { value: "reviewer", tier: "verified", evidence: null } }),
  ],
};

test("each attempt of a document hangs on the latest one before it, and a further try on its cause", () => {
  expect(documentGraph(REVIEWED).graph.edges).toEqual([
    { kind: "dep", tier: "verified", from: "build.a1", to: "review.a1" },
    { kind: "dep", tier: "verified", from: "build.a2", to: "review.a2" },
    { kind: "fan_in", tier: "heuristic", from: "review.a2", to: "ship" },
    { kind: "artifact", tier: "verified", path: "diff", from: "build.a2", to: "review.a2" },
    { kind: "retry", tier: "verified", from: "build.a1", to: "build.a2" },
  ]);
});

test("what a document does not say of an attempt stays unknown in its graph", () => {
  const { graph, microUsd } = documentGraph(REVIEWED);
  expect(graph.nodes.map(({ id, agent, calls }) => [id, agent, calls, microUsd.get(id)])).toEqual([
    ["build.a1", "codex", 3, 500_000],
    ["review.a1", "unknown", undefined, undefined],
    ["build.a2", "unknown", undefined, undefined],
    ["review.a2", "unknown", undefined, undefined],
    ["ship", "unknown", undefined, undefined],
  ]);
});

test("the attempts of several documents do not meet", () => {
  const { graph, microUsd } = documentGraph(REVIEWED, (id) => `run_1/${id}`);
  const ids = new Set(graph.nodes.map(({ id }) => id));
  expect(graph.edges.every(({ from, to }) => ids.has(from) && ids.has(to))).toBe(true);
  expect([...microUsd.keys()]).toEqual(["run_1/build.a1"]);
});
