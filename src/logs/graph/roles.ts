import type { GraphEdge, GraphNode } from "./build.ts";
import type { SubagentMeta } from "./subagent-meta.ts";

/** The words that run documents use for sessions of a graph. */
export interface NodeRole {
  readonly value: "lead" | "solo" | "planner" | "dev" | "reviewer" | "cli";
  /** `reported`: its agent type says so. */
  readonly tier: "reported" | "heuristic";
}
export type Phase = "build" | "post";

/** What is known of sessions besides the graph. */
export interface RoleHints {
  readonly subagents: ReadonlyMap<string, SubagentMeta>;
  /** Sessions that a command started which speaks of a review. */
  readonly reviews: ReadonlySet<string>;
}

const PLANNING = /plan|architect/i;
const REVIEWING = /review|referee|audit|critic/i;
const AFTER_MS = 60_000;

/** What each session was for: who led, who was sent to plan, to review, to do. Other top sessions get no role. */
export function rolesOf(
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
  { subagents, reviews }: RoleHints,
): ReadonlyMap<string, NodeRole> {
  const launched = new Set(edges.filter(({ kind }) => kind === "launch").map(({ to }) => to));
  const roles = new Map<string, NodeRole>();
  for (const node of nodes) {
    if (node.kind === "subagent") roles.set(node.id, subagentRole(subagents.get(node.id)));
    else if (reviews.has(node.id)) roles.set(node.id, { value: "reviewer", tier: "heuristic" });
    else if (launched.has(node.id)) roles.set(node.id, { value: "cli", tier: "heuristic" });
  }
  for (const top of topsByFolder(nodes, launched).values()) {
    const lead = leadOf(top, edges);
    if (lead !== undefined) roles.set(lead.id, { value: "lead", tier: "heuristic" });
    else for (const node of top) roles.set(node.id, { value: "solo", tier: "heuristic" });
  }
  return roles;
}

function subagentRole({ type = "", description = "" }: SubagentMeta = {}): NodeRole {
  if (PLANNING.test(type)) return { value: "planner", tier: "reported" };
  if (REVIEWING.test(type)) return { value: "reviewer", tier: "reported" };
  const [first = ""] = description.split(/\s/);
  if (PLANNING.test(first)) return { value: "planner", tier: "heuristic" };
  if (REVIEWING.test(first)) return { value: "reviewer", tier: "heuristic" };
  return { value: "dev", tier: "heuristic" };
}

function topsByFolder(
  nodes: readonly GraphNode[],
  launched: ReadonlySet<string>,
): ReadonlyMap<string, readonly GraphNode[]> {
  const byFolder = new Map<string, GraphNode[]>();
  for (const node of nodes) {
    if (node.kind !== "session" || launched.has(node.id)) continue;
    const folder = node.cwd ?? "";
    byFolder.set(folder, [...(byFolder.get(folder) ?? []), node]);
  }
  return byFolder;
}

/** The one that started most others; ties go to more output, then to the longer one. */
function leadOf(tops: readonly GraphNode[], edges: readonly GraphEdge[]): GraphNode | undefined {
  const started = (node: GraphNode): number =>
    edges.filter(({ from, kind }) => from === node.id && (kind === "spawn" || kind === "launch")).length;
  const lasted = ({ firstAtMs = 0, lastAtMs = 0 }: GraphNode): number => lastAtMs - firstAtMs;
  const [first] = [...tops].sort(
    (a, b) =>
      started(b) - started(a) ||
      (b.usage.outputTokens ?? 0) - (a.usage.outputTokens ?? 0) ||
      lasted(b) - lasted(a) ||
      (a.id < b.id ? -1 : 1),
  );
  return first !== undefined && started(first) > 0 ? first : undefined;
}

/** What began well after the lead of its folder had ended came after the work. Unknown without times. */
export function phasesOf(
  nodes: readonly GraphNode[],
  roles: ReadonlyMap<string, NodeRole>,
): ReadonlyMap<string, Phase> {
  const ends = new Map<string, number>();
  for (const { id, cwd = "", lastAtMs } of nodes) {
    if (roles.get(id)?.value === "lead" && lastAtMs !== undefined) ends.set(cwd, lastAtMs);
  }
  const phases = new Map<string, Phase>();
  for (const { id, cwd = "", firstAtMs } of nodes) {
    const end = ends.get(cwd);
    if (firstAtMs === undefined) continue;
    phases.set(id, end !== undefined && firstAtMs > end + AFTER_MS ? "post" : "build");
  }
  return phases;
}
