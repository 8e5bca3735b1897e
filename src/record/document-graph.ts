import type { TokenUsage } from "../core/tokens.ts";
import type { OcpArtifact, OcpAttempt, OcpCost, OcpDocument, OcpEdge } from "../formats/ocp/index.ts";
import type { SessionGraph, SessionOfGraph } from "./session-graph.ts";

/** An attempt, without what only logs of orchestrators say. */
type AttemptNode = Omit<SessionOfGraph, "reported">;

export interface DocumentGraph {
  readonly graph: Omit<SessionGraph, "nodes"> & { readonly nodes: readonly AttemptNode[] };
  /** Known dollars by node id, in millionths. */
  readonly microUsd: ReadonlyMap<string, number>;
}

type Edge = SessionGraph["edges"][number];
type Tier = Edge["tier"];

/**
 * A run document as a graph of its attempts. Edges of the document join nodes: each attempt hangs on the latest
 * attempt of the node before it; a further try hangs on the one that caused it. A node without attempts stands for
 * itself. `name` makes ids unlike those of other documents.
 */
export function documentGraph(
  document: OcpDocument,
  name: (id: string) => string = (id) => id,
): DocumentGraph {
  const attempts = document.attempts ?? [];
  const byNode = new Map<string, OcpAttempt[]>();
  for (const attempt of attempts) byNode.set(attempt.node, [...(byNode.get(attempt.node) ?? []), attempt]);
  const untried = document.nodes.filter(({ id }) => !byNode.has(id));
  const edges = [
    ...(document.edges ?? []).flatMap((edge) => betweenAttempts(edge, byNode)),
    ...attempts.flatMap(causeEdge),
  ];
  const distinct = new Map(edges.map((edge) => [`${edge.kind} ${edge.from} ${edge.to} ${edge.path}`, edge]));
  const dollars = attempts.flatMap(({ id, cost }) =>
    cost?.usd === undefined ? [] : [[name(id), Math.round(cost.usd * 1e6)] as const],
  );
  return {
    graph: {
      nodes: [
        ...attempts.map((attempt) => attemptNode(attempt, name)),
        ...untried.map(({ id }) => ({ ...NOTHING_KNOWN, id: name(id), session: name(id) })),
      ],
      edges: [...distinct.values()].map((edge) => ({ ...edge, from: name(edge.from), to: name(edge.to) })),
      artifacts: (document.artifacts ?? []).map((artifact) => artifactOf(artifact, name)),
    },
    microUsd: new Map(dollars),
  };
}

const NOTHING_KNOWN = { agent: "unknown", kind: "session", models: [], usage: {} } as const;

function attemptNode(attempt: OcpAttempt, name: (id: string) => string): AttemptNode {
  const { harness, setting, session, cwd, role, phase, cost, started_at: start, ended_at: end } = attempt;
  const model = attempt.model?.raw ?? attempt.model?.id ?? setting?.model?.raw;
  return {
    ...NOTHING_KNOWN,
    id: name(attempt.id),
    agent: harness ?? setting?.harness ?? "unknown",
    session: session ?? name(attempt.id),
    models: model === undefined ? [] : [model],
    ...(cwd !== undefined && { cwd }),
    ...(start !== undefined && { firstAtMs: Date.parse(start) }),
    ...(end !== undefined && { lastAtMs: Date.parse(end) }),
    ...(cost?.requests !== undefined && { calls: cost.requests }),
    usage: usageOf(cost),
    ...(typeof role?.value === "string" && { role: { value: role.value, tier: weaker(role.tier) } }),
    ...(typeof phase?.value === "string" && { phase: phase.value }),
  };
}

function usageOf(cost: OcpCost | undefined): TokenUsage {
  const counts: Readonly<Record<keyof TokenUsage, number | undefined>> = {
    inputTokens: cost?.input_tokens,
    cacheReadTokens: cost?.cached_input_tokens,
    cacheWrite5mTokens: cost?.cache_creation_5m_tokens,
    cacheWrite1hTokens: cost?.cache_creation_1h_tokens,
    outputTokens: cost?.output_tokens,
    reasoningTokens: cost?.reasoning_tokens,
    requests: cost?.requests,
  };
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== undefined));
}

/** The graph knows two tiers of roles; only its own guesses are the lower. */
function weaker(tier: string): "reported" | "heuristic" {
  return tier === "heuristic" ? "heuristic" : "reported";
}

function edgeTier(tier: string): Tier {
  return tier === "heuristic" ? "heuristic" : "verified";
}

const KINDS: Readonly<Record<string, Edge["kind"]>> = {
  dep: "dep",
  fan_in: "fan_in",
  spawn: "spawn",
  launch: "launch",
  artifact: "artifact",
};

function betweenAttempts(edge: OcpEdge, byNode: ReadonlyMap<string, readonly OcpAttempt[]>): readonly Edge[] {
  const kind = KINDS[edge.kind ?? "dep"];
  if (kind === undefined) return [];
  const link = {
    kind,
    tier: edgeTier(edge.tier),
    ...(edge.artifact !== undefined && { path: edge.artifact }),
  };
  if (edge.from_attempt !== undefined && edge.to_attempt !== undefined) {
    return [{ ...link, from: edge.from_attempt, to: edge.to_attempt }];
  }
  const before = byNode.get(edge.from) ?? [];
  const after = byNode.get(edge.to);
  if (after === undefined) return [{ ...link, from: latest(before, undefined) ?? edge.from, to: edge.to }];
  return after.map((attempt) => ({
    ...link,
    from: latest(before, attempt.started_at) ?? edge.from,
    to: attempt.id,
  }));
}

/** The last attempt that began before a moment; without times, the last one. */
function latest(attempts: readonly OcpAttempt[], before: string | undefined): string | undefined {
  const ready = attempts.filter(
    ({ started_at: start }) =>
      start === undefined || before === undefined || Date.parse(start) <= Date.parse(before),
  );
  return (ready.at(-1) ?? attempts.at(-1))?.id;
}

/** A cause that follows up on other work is an order; every other one says why it was tried again. */
function causeEdge({ id, cause }: OcpAttempt): readonly Edge[] {
  if (cause?.ref === undefined) return [];
  const kind = cause.type === "followup" ? "dep" : "retry";
  return [{ from: cause.ref, to: id, kind, tier: "verified" }];
}

function artifactOf(artifact: OcpArtifact, name: (id: string) => string): SessionGraph["artifacts"][number] {
  return {
    path: artifact.path,
    kind: artifact.kind.value ?? "other",
    writers: artifact.writers.map(name),
    readers: artifact.consumers.map(name),
    firstWriteMs: artifact.first_write_at === null ? 0 : Date.parse(artifact.first_write_at),
    writes: artifact.n_writes ?? artifact.writers.length,
    reads: artifact.n_reads ?? artifact.consumers.length,
  };
}
