import type { SessionSummary } from "../summary.ts";
import type { FileEvent } from "./file-events.ts";

export interface GraphNode {
  readonly id: string;
  readonly agent: string;
  readonly kind: "session" | "subagent";
  readonly models: readonly string[];
  readonly cwd?: string;
  readonly branch?: string;
  readonly firstAtMs?: number;
  readonly lastAtMs?: number;
  readonly calls: number;
}

/** `verified`: the log states it. `heuristic`: it follows from where a file lies. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: "spawn" | "fork" | "artifact";
  readonly tier: "verified" | "heuristic";
  readonly path?: string;
}

export interface AgentGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** Reads whose file nobody here wrote before. */
  readonly readsWithoutWrites: number;
}

/** Who launched whom, and who read what another wrote: the latest write before each read. Equal for equal input in any order. */
export function buildGraph(sessions: readonly SessionSummary[], events: readonly FileEvent[]): AgentGraph {
  const nodes = new Map<string, GraphNode>();
  const edges = new Map<string, GraphEdge>();
  const add = (edge: GraphEdge): void => {
    edges.set([edge.from, edge.to, edge.kind, edge.path ?? ""].join("\n"), edge);
  };
  for (const session of sessions) {
    nodes.set(session.id, sessionNode(session));
    for (const name of new Set(session.rows.flatMap((row) => row.subagent ?? []))) {
      const id = nodeId(session.id, name);
      nodes.set(id, subagentNode(session, name, id));
      add({ from: session.id, to: id, kind: "spawn", tier: "heuristic" });
    }
  }
  for (const session of sessions) {
    const { id, parent, forkedFrom } = session;
    if (parent !== undefined && nodes.has(parent))
      add({ from: parent, to: id, kind: "spawn", tier: "verified" });
    if (forkedFrom !== undefined && nodes.has(forkedFrom)) {
      add({ from: forkedFrom, to: id, kind: "fork", tier: "verified" });
    }
  }
  const known = events.filter((event) => nodes.has(nodeId(event.session, event.subagent)));
  const joined = joinReads(known);
  for (const edge of joined.edges) add(edge);
  return {
    nodes: [...nodes.values()].sort(
      (a, b) => (a.firstAtMs ?? 0) - (b.firstAtMs ?? 0) || (a.id < b.id ? -1 : 1),
    ),
    edges: [...edges.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, edge]) => edge),
    readsWithoutWrites: joined.unmatched,
  };
}

function nodeId(session: string, subagent: string | undefined): string {
  return subagent === undefined ? session : `${session}/${subagent}`;
}

function sessionNode(session: SessionSummary): GraphNode {
  const own = session.rows.filter((row) => row.subagent === undefined);
  const { id, agent, cwd, branch, firstAtMs, lastAtMs } = session;
  return {
    id,
    agent,
    kind: session.parent === undefined ? "session" : "subagent",
    models: [...new Set(own.map((row) => row.model))],
    ...(cwd === undefined ? {} : { cwd }),
    ...(branch === undefined ? {} : { branch }),
    ...(firstAtMs === undefined ? {} : { firstAtMs }),
    ...(lastAtMs === undefined ? {} : { lastAtMs }),
    calls: own.reduce((sum, row) => sum + (row.usage.requests ?? 0), 0),
  };
}

function subagentNode(session: SessionSummary, name: string, id: string): GraphNode {
  const rows = session.rows.filter((row) => row.subagent === name);
  return {
    id,
    agent: session.agent,
    kind: "subagent",
    models: [...new Set(rows.map((row) => row.model))],
    calls: rows.reduce((sum, row) => sum + (row.usage.requests ?? 0), 0),
  };
}

function joinReads(events: readonly FileEvent[]): {
  readonly edges: readonly GraphEdge[];
  readonly unmatched: number;
} {
  const writes = new Map<string, FileEvent[]>();
  const byTime = [...events].sort(
    (a, b) => a.atMs - b.atMs || (nodeId(a.session, a.subagent) < nodeId(b.session, b.subagent) ? -1 : 1),
  );
  for (const event of byTime) {
    if (event.kind === "write") writes.set(event.path, [...(writes.get(event.path) ?? []), event]);
  }
  const edges: GraphEdge[] = [];
  let unmatched = 0;
  for (const read of byTime) {
    if (read.kind !== "read") continue;
    const write = writes.get(read.path)?.findLast((event) => event.atMs <= read.atMs);
    if (write === undefined) {
      unmatched += 1;
      continue;
    }
    const [from, to] = [nodeId(write.session, write.subagent), nodeId(read.session, read.subagent)];
    if (from !== to) edges.push({ from, to, kind: "artifact", tier: "verified", path: read.path });
  }
  return { edges, unmatched };
}
