import type { Json, JsonObject } from "../core/canonical-json.ts";
import type { AgentGraph } from "../logs/graph/build.ts";

/** A graph as the command's JSON answer has it. */
export function graphView(built: AgentGraph, microUsd: ReadonlyMap<string, number>): { [key: string]: Json } {
  const at = (ms: number | undefined): string | null =>
    ms === undefined ? null : new Date(ms).toISOString();
  const dollars = (id: string): number | null => {
    const known = microUsd.get(id);
    return known === undefined ? null : known / 1e6;
  };
  return {
    nodes: built.nodes.map(
      (node): JsonObject => ({
        id: node.id,
        agent: node.agent,
        kind: node.kind,
        models: node.models,
        cwd: node.cwd ?? null,
        branch: node.branch ?? null,
        first_at: at(node.firstAtMs),
        last_at: at(node.lastAtMs),
        calls: node.calls ?? null,
        output_tokens: node.usage.outputTokens ?? null,
        role: node.role?.value ?? null,
        role_tier: node.role?.tier ?? null,
        phase: node.phase ?? null,
        cost_usd: dollars(node.id),
      }),
    ),
    edges: built.edges.map(
      ({ from, to, kind, tier, path, lagMs }): JsonObject => ({
        from,
        to,
        kind,
        tier,
        path: path ?? null,
        lag_s: lagMs === undefined ? null : lagMs / 1000,
      }),
    ),
    artifacts: built.artifacts.map(
      ({ path, kind, writers, readers, writes, reads }): JsonObject => ({
        path,
        kind,
        writers,
        readers,
        writes,
        reads,
      }),
    ),
    reads_without_writes: built.readsWithoutWrites,
    launches_without_session: built.launchesWithoutSession,
  };
}
