import { addUsage, type TokenUsage } from "../../core/tokens.ts";
import type { ReportedWork } from "../call.ts";
import type { SessionSummary } from "../summary.ts";
import { type JoinedReads, joinReads } from "./artifacts.ts";
import { type LaunchedSession, matchLaunches } from "./launches.ts";
import { nodeId } from "./node-id.ts";
import { phasesOf, type RoleHints, rolesOf } from "./roles.ts";
import type { SubagentMeta } from "./subagent-meta.ts";
import type { EventTier, ToolFacts } from "./tool-events.ts";

export interface GraphNode {
  readonly id: string;
  readonly agent: string;
  /** Of the session that it is, or is a part of. */
  readonly session: string;
  readonly kind: "session" | "subagent";
  /** The most used one first. */
  readonly models: readonly string[];
  readonly cwd?: string;
  readonly branch?: string;
  readonly firstAtMs?: number;
  readonly lastAtMs?: number;
  /** Absent: unknown. */
  readonly calls?: number;
  readonly usage: TokenUsage;
  readonly role?: { readonly value: string; readonly tier: "reported" | "heuristic" };
  readonly phase?: string;
  /** What an orchestrator says of it. */
  readonly reported?: ReportedWork;
}

/** `verified`: the log states it. `heuristic`: it follows from times, places or the text of a command. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** The last three stand in run documents only: waits for, is gathered by, is a further try of. */
  readonly kind: "spawn" | "fork" | "launch" | "artifact" | "dep" | "fan_in" | "retry";
  readonly tier: EventTier;
  readonly path?: string;
  /** From the command to the first record of what it started. */
  readonly lagMs?: number;
}

export interface AgentGraph {
  /** By first time, then id. */
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly artifacts: JoinedReads["artifacts"];
  /** Reads whose file nobody here wrote before. */
  readonly readsWithoutWrites: number;
  /** Commands that start agents and fit no session here. */
  readonly launchesWithoutSession: number;
}

export interface GraphFacts extends ToolFacts {
  /** By node id. */
  readonly subagents: ReadonlyMap<string, SubagentMeta>;
}

export const NO_FACTS: GraphFacts = {
  files: [],
  launches: [],
  spawnedBy: new Map(),
  times: new Map(),
  subagents: new Map(),
};

/** Who launched whom, and who read what another wrote: the latest write before each read. Equal for equal input in any order. */
export function buildGraph(sessions: readonly SessionSummary[], facts: GraphFacts): AgentGraph {
  const nodes = new Map<string, GraphNode>();
  for (const session of sessions) {
    nodes.set(session.id, sessionNode(session));
    for (const name of new Set(session.rows.flatMap((row) => row.subagent ?? []))) {
      const id = nodeId(session.id, name);
      nodes.set(id, { ...subagentNode(session, name, id), ...facts.times.get(id) });
    }
  }
  const edges = new Map<string, GraphEdge>();
  const add = (edge: GraphEdge): void => {
    const isKnown = nodes.has(edge.from) && nodes.has(edge.to) && edge.from !== edge.to;
    if (isKnown) edges.set([edge.from, edge.to, edge.kind, edge.path ?? ""].join("\n"), edge);
  };
  for (const node of nodes.values()) if (node.id !== node.session) add(spawnEdge(node, facts));
  for (const { id, parent, forkedFrom } of sessions) {
    if (parent !== undefined) add({ from: parent, to: id, kind: "spawn", tier: "verified" });
    if (forkedFrom !== undefined) add({ from: forkedFrom, to: id, kind: "fork", tier: "verified" });
  }
  const launches = matchLaunches(sessions.flatMap(launchable), facts.launches);
  for (const { call, session, lagMs } of launches) {
    const from = nodeId(call.session, call.subagent);
    add({ from, to: session, kind: "launch", tier: "heuristic", lagMs });
  }
  const joined = joinReads(facts.files.filter((event) => nodes.has(nodeId(event.session, event.subagent))));
  for (const edge of joined.edges) add(edge);
  const sorted = [...edges.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, edge]) => edge);
  const started = new Set(launches.map(({ call }) => call));
  return {
    nodes: withRoles([...nodes.values()], sorted, {
      subagents: facts.subagents,
      reviews: new Set(launches.flatMap(({ call, session }) => (call.isReview ? session : []))),
    }),
    edges: sorted,
    artifacts: joined.artifacts,
    readsWithoutWrites: joined.unmatched,
    launchesWithoutSession: facts.launches.filter((call) => !started.has(call)).length,
  };
}

/** The call that started a sub-agent names who made it; else the session whose folder its log lies in did. */
function spawnEdge(node: GraphNode, { subagents, spawnedBy }: GraphFacts): GraphEdge {
  const call = subagents.get(node.id)?.toolUse;
  const isStated = call !== undefined && spawnedBy.has(call);
  const from = isStated ? nodeId(node.session, spawnedBy.get(call)) : node.session;
  return { from, to: node.id, kind: "spawn", tier: isStated ? "verified" : "heuristic" };
}

function launchable({ id, agent, cwd, parent, firstAtMs }: SessionSummary): LaunchedSession[] {
  if (parent !== undefined || firstAtMs === undefined) return [];
  return [{ id, agent, startMs: firstAtMs, ...(cwd === undefined ? {} : { cwd }) }];
}

function sessionNode(session: SessionSummary): GraphNode {
  const { id, agent, cwd, branch, firstAtMs, lastAtMs, reported } = session;
  return {
    id,
    agent,
    session: id,
    kind: session.parent === undefined ? "session" : "subagent",
    ...spentBy(session.rows.filter((row) => row.subagent === undefined)),
    ...(cwd === undefined ? {} : { cwd }),
    ...(branch === undefined ? {} : { branch }),
    ...(firstAtMs === undefined ? {} : { firstAtMs }),
    ...(lastAtMs === undefined ? {} : { lastAtMs }),
    ...(reported === undefined ? {} : { reported }),
  };
}

function subagentNode(session: SessionSummary, name: string, id: string): GraphNode {
  const rows = session.rows.filter((row) => row.subagent === name);
  const { agent, cwd } = session;
  return {
    id,
    agent,
    session: session.id,
    kind: "subagent",
    ...spentBy(rows),
    ...(cwd === undefined ? {} : { cwd }),
  };
}

function spentBy(rows: SessionSummary["rows"]): Required<Pick<GraphNode, "models" | "calls" | "usage">> {
  const output = new Map<string, number>();
  let usage: TokenUsage = {};
  for (const row of rows) {
    usage = addUsage(usage, row.usage);
    output.set(row.model, (output.get(row.model) ?? 0) + (row.usage.outputTokens ?? 0));
  }
  const models = [...output].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
  return { models: models.map(([model]) => model), calls: usage.requests ?? 0, usage };
}

function withRoles(
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
  hints: RoleHints,
): readonly GraphNode[] {
  const roles = rolesOf(nodes, edges, hints);
  const phases = phasesOf(nodes, roles);
  return nodes
    .map((node) => {
      const role = roles.get(node.id);
      const phase = phases.get(node.id);
      return { ...node, ...(role === undefined ? {} : { role }), ...(phase === undefined ? {} : { phase }) };
    })
    .sort((a, b) => (a.firstAtMs ?? 0) - (b.firstAtMs ?? 0) || (a.id < b.id ? -1 : 1));
}
