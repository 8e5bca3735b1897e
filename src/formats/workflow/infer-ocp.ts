import type { Json, JsonObject } from "../../core/canonical-json.ts";
import { asList, dig, textAt } from "../ocp/members.ts";
import { FIRST_CONFIDENCE, inferWorkflow, type SeenSession } from "./infer.ts";
import { foldRole, type Role } from "./roles.ts";
import { configurationIdOf, toOcpSettings, toOcpWorkflow } from "./to-ocp.ts";

/** Node kinds whose work is a piece of a workflow; documents, research and questions stand beside it. */
const ROLE_OF_KIND: Readonly<Record<string, Role>> = {
  plan: "planner",
  impl: "implementer",
  task: "worker",
  unknown: "worker",
  review: "reviewer",
  test: "tester",
};
const CHECK_KINDS = ["gate", "review", "test"];
/** Where a graph or an adapter wrote it, sessions are all there is: the start is a little surer. */
const EXTRACTED = /^(loopmath|dagr|loopwright)\/(graph|adapter-)/;

/** The configuration of the workflow that a run document shows without naming it, with the piece of each node. */
export function inferConfiguration(
  document: unknown,
  from: "ocp" | "contract" = "ocp",
): JsonObject | undefined {
  const nodes = (asList(dig(document, "nodes")) ?? []).flatMap((node) => {
    const id = textAt(node, "id");
    return id === undefined ? [] : [{ id, kind: textAt(node, "kind") ?? "unknown" }];
  });
  const kinds = new Map(nodes.map(({ id, kind }) => [id, kind]));
  const launchers = launchersIn(document);
  const sessions = (asList(dig(document, "attempts")) ?? []).flatMap((attempt) => {
    const node = textAt(attempt, "node");
    return node === undefined || !kinds.has(node)
      ? []
      : [sessionOf(attempt, node, kinds.get(node) ?? "", launchers.has(node))];
  });
  const isExtracted = EXTRACTED.test(textAt(document, "producer", "name") ?? "");
  const inferred = inferWorkflow(
    sessions,
    nodes.map(({ id, kind }) => ({ id, isCheck: CHECK_KINDS.includes(kind) })),
    isExtracted ? FIRST_CONFIDENCE.graph : FIRST_CONFIDENCE.ocp,
  );
  if (inferred === undefined) return undefined;
  const { workflow, settings, pieceOf, shape, nearest, confidence, reasons } = inferred;
  const id = configurationIdOf({ workflow, settings, numbers: new WeakMap() });
  const members: { readonly [key: string]: Json | undefined } = {
    ...(id !== undefined && { id }),
    workflow: plain(toOcpWorkflow(workflow)),
    settings: plain(toOcpSettings(settings)),
    source: "habit",
    node_vertex: Object.fromEntries(pieceOf),
    shape,
    nearest_catalog: nearest,
    confidence,
    reasons,
    inferred_from: isExtracted ? "graph" : from,
    ext: { "dev.loopmath.inferred": { confidence, tier: "heuristic" } },
  };
  return plain(members);
}

/** As JSON says it: without members that are undefined. */
function plain(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value));
}

function launchersIn(document: unknown): Set<string> {
  const launches = (asList(dig(document, "edges")) ?? []).filter((edge) =>
    ["spawn", "launch"].includes(textAt(edge, "kind") ?? ""),
  );
  return new Set(launches.flatMap((edge) => textAt(edge, "from") ?? []));
}

function sessionOf(attempt: unknown, node: string, kind: string, hasLaunched: boolean): SeenSession {
  const word = textAt(attempt, "role", "value");
  const model = textAt(attempt, "model", "raw") ?? textAt(attempt, "model", "id");
  const family = textAt(attempt, "model", "family");
  const phase = textAt(attempt, "phase", "value");
  const usd = dig(attempt, "cost", "usd");
  const [harness, effort] = [textAt(attempt, "harness"), textAt(attempt, "effort")];
  const [startMs, endMs] = [timeAt(attempt, "started_at"), timeAt(attempt, "ended_at")];
  const role = word === undefined ? ROLE_OF_KIND[kind] : roleOf(word);
  return {
    node,
    role,
    isGuessed: word !== undefined && textAt(attempt, "role", "tier") === "heuristic",
    isOutside: phase === "post" || phase === "external",
    hasLaunched,
    ...(harness !== undefined && { harness }),
    ...((model ?? family) !== undefined && { model: model ?? family ?? "" }),
    ...(model === undefined && family !== undefined && { isShortName: true }),
    ...(effort !== undefined && { effort }),
    ...(startMs !== undefined && { startMs }),
    ...(endMs !== undefined && { endMs }),
    ...(typeof usd === "number" && { usd }),
  };
}

/** How a graph names sessions, besides the roles that workflows know. */
function roleOf(word: string): Role | undefined {
  return ["solo", "cli", "subagent"].includes(word) ? "worker" : foldRole(word);
}

function timeAt(attempt: unknown, key: string): number | undefined {
  const ms = Date.parse(textAt(attempt, key) ?? "");
  return Number.isNaN(ms) ? undefined : ms;
}
