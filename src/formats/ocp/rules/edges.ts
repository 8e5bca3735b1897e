/** Rules about edges between nodes. */
import { byCodePoint } from "../../../core/canonical-json.ts";
import type { Report } from "../finding.ts";
import { asList, asText, dig, type Entity, textAt } from "../members.ts";
import { type DocumentIndex, edgeKind } from "./document-index.ts";

const TIERS: readonly unknown[] = ["verified", "heuristic", "reported"];

export function checkEdges(index: DocumentIndex, since02: boolean, report: Report): void {
  for (const edge of index.edges) {
    checkEnds(edge, index, report);
    if (!since02) continue;
    if (!TIERS.includes(dig(edge.value, "tier"))) {
      report("E160", [...edge.path, "tier"], "an edge needs a tier: verified, heuristic or reported");
    }
    if (edgeKind(edge) === "artifact") checkArtifactEdge(edge, index, report);
    checkEndAttempts(edge, index, report);
    if (edgeKind(edge) === "artifact") checkHandover(edge, index, report);
  }
}

/** E110, E111. */
function checkEnds(edge: Entity, index: DocumentIndex, report: Report): void {
  for (const [code, end] of [
    ["E110", "from"],
    ["E111", "to"],
  ] as const) {
    const node = textAt(edge.value, end);
    if (node === undefined || !index.nodeIds.has(node)) {
      report(code, [...edge.path, end], node === undefined ? "names no node" : `no node '${node}'`);
    }
  }
}

/** E116, E117, E125. */
function checkArtifactEdge(edge: Entity, index: DocumentIndex, report: Report): void {
  const artifact = textAt(edge.value, "artifact");
  if (artifact === undefined) report("E116", edge.path, "an artifact edge names its artifact");
  else if (!index.artifactsById.has(artifact)) {
    report("E117", [...edge.path, "artifact"], `no artifact '${artifact}'`);
  }
  if (textAt(edge.value, "from_attempt") === undefined || textAt(edge.value, "to_attempt") === undefined) {
    report("E125", edge.path, "an artifact edge needs from_attempt and to_attempt");
  }
}

/** E123, E124. */
function checkEndAttempts(edge: Entity, index: DocumentIndex, report: Report): void {
  for (const [member, end] of [
    ["from_attempt", "from"],
    ["to_attempt", "to"],
  ] as const) {
    const name = textAt(edge.value, member);
    if (name === undefined) continue;
    const attempt = index.attemptsById.get(name);
    const path = [...edge.path, member];
    if (attempt === undefined) report("E123", path, `no attempt '${name}'`);
    else if (textAt(attempt.value, "node") !== textAt(edge.value, end)) {
      report("E124", path, `attempt '${name}' is not at the node '${textAt(edge.value, end) ?? ""}'`);
    }
  }
}

/** E164: the edge joins the artifact's producer with one of its consumers. */
function checkHandover(edge: Entity, index: DocumentIndex, report: Report): void {
  const artifact = index.artifactsById.get(textAt(edge.value, "artifact") ?? "");
  if (artifact === undefined) return;
  const from = textAt(edge.value, "from_attempt");
  const to = textAt(edge.value, "to_attempt");
  if (from !== undefined && from !== textAt(artifact.value, "producer")) {
    report("E164", [...edge.path, "from_attempt"], `'${from}' is not the artifact's producer`);
  }
  if (to !== undefined && !(asList(dig(artifact.value, "consumers")) ?? []).includes(to)) {
    report("E164", [...edge.path, "to_attempt"], `'${to}' is not a consumer of the artifact`);
  }
}

/** E122: dep and fan_in edges have no cycle. Edges with an unknown end are left out. */
export function checkOrder(index: DocumentIndex, report: Report): void {
  const ends: (readonly [string, string])[] = [];
  for (const edge of index.edges) {
    const kind = edgeKind(edge);
    const from = asText(edge.value["from"]);
    const to = asText(edge.value["to"]);
    if ((kind !== "dep" && kind !== "fan_in") || from === undefined || to === undefined) continue;
    if (index.nodeIds.has(from) && index.nodeIds.has(to)) ends.push([from, to]);
  }
  const stuck = stuckInCycle(index.nodeIds, ends);
  if (stuck.length > 0) report("E122", ["edges"], `dependency cycle among nodes: ${stuck.join(", ")}`);
}

/** What a topological order of `ids` cannot reach: the members of cycles and all behind them, sorted. */
export function stuckInCycle(
  ids: Iterable<string>,
  ends: readonly (readonly [string, string])[],
): readonly string[] {
  const waiting = new Map([...ids].map((id) => [id, 0]));
  const next = new Map<string, string[]>();
  for (const [from, to] of ends) {
    waiting.set(to, (waiting.get(to) ?? 0) + 1);
    const followers = next.get(from) ?? [];
    followers.push(to);
    next.set(from, followers);
  }
  const ready = [...waiting].filter(([, count]) => count === 0).map(([id]) => id);
  for (let id = ready.pop(); id !== undefined; id = ready.pop()) {
    waiting.delete(id);
    for (const to of next.get(id) ?? []) {
      const left = (waiting.get(to) ?? 0) - 1;
      waiting.set(to, left);
      if (left === 0) ready.push(to);
    }
  }
  return [...waiting.keys()].sort(byCodePoint);
}
