import { sha256 } from "../core/hash.ts";
import { instant } from "../core/time.ts";
import type {
  OcpArtifact,
  OcpAttempt,
  OcpCost,
  OcpDocument,
  OcpEdge,
  OcpGroup,
  OcpNode,
} from "../formats/ocp/index.ts";
import { tokenFields } from "./costs.ts";
import { oneLine } from "./labels.ts";
import type { SessionGraph, SessionOfGraph } from "./session-graph.ts";

export interface GraphDocumentParts {
  /** `loopwright/graph`, or `loopwright/adapter-<agent>`. */
  readonly producer: string;
  readonly version: string;
  readonly now: string;
  /** Known dollars by session id; absent where a part has no price. */
  readonly microUsd: ReadonlyMap<string, number>;
}

/** The run document of a session graph: labels, times, tokens and dollars, and no text of anybody. */
export function graphDocument(graph: SessionGraph, parts: GraphDocumentParts): OcpDocument {
  const placed = place(graph.nodes);
  const attempts = placed.map(({ node, attempt, n, task }) =>
    attemptOf(node, { id: attempt, node: task, n }, graph, placed, parts),
  );
  const artifacts = graph.artifacts.map((artifact, i) => artifactOf(artifact, i, placed));
  const edges = edgesOf(graph, placed, artifacts);
  const times = graph.nodes.flatMap(({ firstAtMs, lastAtMs }) => [firstAtMs ?? [], lastAtMs ?? []].flat());
  const key = graph.nodes.map(({ id }) => id).sort();
  const has = (kind: string): boolean => edges.some((edge) => edge.kind === kind);
  return {
    ocp: "0.3",
    producer: {
      name: parts.producer,
      version: parts.version,
      emitted_at: parts.now,
      capabilities: {
        groups: true,
        events: false,
        artifacts: artifacts.length > 0,
        edges_dep: false,
        edges_spawn: has("spawn"),
        edges_launch: has("launch"),
        edges_artifact: has("artifact"),
        cost_usd: attempts.some(({ cost }) => cost?.usd !== undefined),
        cost_tokens: attempts.some(({ cost }) => cost !== undefined),
        outcome_evidence: attempts.some(({ outcome }) => outcome !== undefined),
      },
    },
    privacy: { profile: "metadata_only" },
    run: {
      id: `grp_${sha256(key.join("\n")).slice(0, 12)}`,
      title: `${graph.nodes.length} agent sessions`,
      ...(times.length > 0 && {
        started_at: instant(times.reduce((a, b) => Math.min(a, b))),
        ended_at: instant(times.reduce((a, b) => Math.max(a, b))),
      }),
      provenance: { kind: "logged", chooser: "habit" },
    },
    groups: groupsOf(graph.nodes),
    nodes: nodesOf(placed, attempts),
    edges,
    attempts,
    ...(artifacts.length > 0 && { artifacts }),
  };
}

/** Where a session stands: attempts at one task of an orchestrator share a node. */
interface Placed {
  readonly node: SessionOfGraph;
  readonly task: string;
  readonly attempt: string;
  readonly n: number;
}

function place(nodes: readonly SessionOfGraph[]): readonly Placed[] {
  const counts = new Map<string, number>();
  return nodes.map((node) => {
    const task = node.reported?.task ?? node.id;
    const n = (counts.get(task) ?? 0) + 1;
    counts.set(task, n);
    return { node, task, n, attempt: `${task}.a${n}` };
  });
}

function nodesOf(placed: readonly Placed[], attempts: readonly OcpAttempt[]): readonly OcpNode[] {
  const last = new Map(placed.map((entry) => [entry.task, entry]));
  return [...last.values()].map(({ node, task, attempt }) => {
    const state = attempts.find(({ id }) => id === attempt)?.status;
    return {
      id: task,
      kind: kindOf(node),
      title: oneLine(`${node.agent} ${node.kind} ${node.session.slice(0, 8)}`, 80),
      group: groupId(node),
      ...(state !== undefined && { state }),
    };
  });
}

function kindOf({ role, reported }: SessionOfGraph): string {
  if (reported?.task !== undefined) return "task";
  switch (role?.value) {
    case "planner":
      return "plan";
    case "reviewer":
      return "review";
    case "dev":
    case "cli":
    case "solo":
      return "impl";
    default:
      return "unknown";
  }
}

function groupId({ cwd, reported }: SessionOfGraph): string {
  return `g_${sha256(reported?.run ?? cwd ?? "").slice(0, 8)}`;
}

function groupsOf(nodes: readonly SessionOfGraph[]): readonly OcpGroup[] {
  const groups = new Map<string, OcpGroup>();
  for (const node of nodes) {
    const name = node.reported?.run ?? folderName(node.cwd);
    groups.set(groupId(node), { id: groupId(node), title: oneLine(name, 80) });
  }
  return [...groups.values()];
}

function folderName(cwd: string | undefined): string {
  return cwd?.split(/[\\/]/).findLast((part) => part !== "") ?? "unknown folder";
}

function attemptOf(
  node: SessionOfGraph,
  place: { readonly id: string; readonly node: string; readonly n: number },
  graph: SessionGraph,
  placed: readonly Placed[],
  parts: GraphDocumentParts,
): OcpAttempt {
  const { reported } = node;
  const status = reported?.state ?? "settled_unverified";
  const model = node.models[0] ?? reported?.model;
  const session = node.kind === "session" ? (reported?.agentSession ?? node.session) : undefined;
  const launch = graph.edges.find(({ kind, to }) => kind === "launch" && to === node.id);
  const launcher = placed.find((entry) => entry.node.id === launch?.from);
  const cost = costOf(node, parts.microUsd);
  return {
    ...place,
    harness: reported === undefined ? node.agent : (reported.harness ?? "unknown"),
    ...(model !== undefined && { model: { raw: model } }),
    ...(reported?.effort !== undefined && { effort: reported.effort }),
    ...(launcher !== undefined && {
      origin: {
        launched_by: launcher.attempt,
        workspace: oneLine(folderName(node.cwd), 80),
        external: false,
        how: "a shell command",
        tier: "heuristic" as const,
      },
    }),
    ...(node.role !== undefined && {
      role: { value: node.role.value, tier: node.role.tier, evidence: null },
    }),
    ...(node.phase !== undefined && {
      phase: { value: node.phase, tier: "heuristic" as const, evidence: null },
    }),
    status,
    ...(node.firstAtMs !== undefined && { started_at: instant(node.firstAtMs) }),
    ...(node.lastAtMs !== undefined && status !== "working" && { ended_at: instant(node.lastAtMs) }),
    ...(status !== "working" && {
      outcome: { result: status, evidence: reported?.state === undefined ? "heuristic" : "reported" },
    }),
    ...(cost !== undefined && { cost }),
    ...(session !== undefined && reported?.agentSession !== undefined && { session }),
    ...(session !== undefined && reported === undefined && { session }),
  };
}

function costOf(
  { id, usage, calls }: SessionOfGraph,
  prices: ReadonlyMap<string, number>,
): OcpCost | undefined {
  if (calls === 0) return undefined;
  const microUsd = prices.get(id);
  return { ...tokenFields(usage), ...(microUsd !== undefined && { usd: microUsd / 1e6 }), basis: "measured" };
}

function edgesOf(
  graph: SessionGraph,
  placed: readonly Placed[],
  artifacts: readonly OcpArtifact[],
): readonly OcpEdge[] {
  const at = new Map(placed.map((entry) => [entry.node.id, entry]));
  return graph.edges.flatMap((edge) => {
    const [from, to] = [at.get(edge.from), at.get(edge.to)];
    if (from === undefined || to === undefined || from.task === to.task) return [];
    return edgeOf(edge, from, to, graph, artifacts) ?? [];
  });
}

function edgeOf(
  edge: SessionGraph["edges"][number],
  from: Placed,
  to: Placed,
  graph: SessionGraph,
  artifacts: readonly OcpArtifact[],
): OcpEdge | undefined {
  const ends = { from: from.task, to: to.task, tier: edge.tier };
  switch (edge.kind) {
    case "spawn":
    case "dep":
    case "fan_in":
      return { ...ends, kind: edge.kind };
    case "retry":
      return undefined;
    case "fork":
      return { ...ends, kind: "spawn", ext: { "dev.loopwright.graph": { kind: "fork" } } };
    case "launch": {
      const lag = Math.round((edge.lagMs ?? 0) / 1000);
      return { ...ends, kind: "launch", ext: { "dev.loopwright.graph": { lag_s: lag } } };
    }
    case "artifact": {
      const artifact = artifacts[graph.artifacts.findIndex(({ path }) => path === edge.path)];
      // The protocol knows one producer; reads of what a later writer left stay in the graph's own form.
      if (artifact === undefined || artifact.producer !== from.attempt) return undefined;
      const attempts = { from_attempt: from.attempt, to_attempt: to.attempt };
      return { ...ends, kind: "artifact", artifact: artifact.id, ...attempts };
    }
  }
}

/** Paths stand without the folder they are in on this machine. */
function artifactOf(
  artifact: SessionGraph["artifacts"][number],
  index: number,
  placed: readonly Placed[],
): OcpArtifact {
  const attemptOfNode = (id: string): string[] =>
    placed.filter(({ node }) => node.id === id).map(({ attempt }) => attempt);
  const writers = artifact.writers.flatMap(attemptOfNode);
  const cwd = placed.find(({ node }) => node.id === artifact.writers[0])?.node.cwd;
  const isInside = cwd !== undefined && artifact.path.startsWith(`${cwd}/`);
  return {
    id: `art_${index + 1}`,
    path: isInside ? artifact.path.slice(cwd.length + 1) : artifact.path.split("/").slice(-2).join("/"),
    kind: { value: artifact.kind, tier: "heuristic" },
    producer: writers[0] ?? "",
    writers,
    consumers: artifact.readers.flatMap(attemptOfNode),
    first_write_at: artifact.firstWriteMs > 0 ? instant(artifact.firstWriteMs) : null,
    n_writes: artifact.writes,
    n_reads: artifact.reads,
  };
}
