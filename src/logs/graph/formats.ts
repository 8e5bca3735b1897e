import type { AgentGraph, GraphEdge, GraphNode } from "./build.ts";

/** Graphviz text: solid spawn, bold launch, dashed fork, dotted artifact; grey where the log does not state it. */
export function toDot({ nodes, edges }: AgentGraph): string {
  const style: Readonly<Record<GraphEdge["kind"], string>> = {
    spawn: "solid",
    launch: "bold",
    fork: "dashed",
    artifact: "dotted",
  };
  const lines = [
    ...nodes.map(
      (node) =>
        `  ${quoted(node.id)} [label=${quoted(label(node))} style=filled fillcolor="${node.kind === "session" ? "#dbeafe" : "#f3f4f6"}"];`,
    ),
    ...edges.map(
      (edge) =>
        `  ${quoted(edge.from)} -> ${quoted(edge.to)} [style=${style[edge.kind]} color="${edge.tier === "verified" ? "#111827" : "#9ca3af"}"${edge.path === undefined ? "" : ` label=${quoted(baseName(edge.path))}`}];`,
    ),
  ];
  return `digraph agents {\n  rankdir=LR;\n  node [shape=box fontname="sans-serif"];\n${lines.join("\n")}\n}\n`;
}

function quoted(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
}

function label(node: GraphNode): string {
  const name = node.id.includes("/") ? (node.id.split("/").at(-1) ?? "") : node.id;
  return `${node.agent} ${name.slice(0, 8)}\n${node.models.join(", ")}\n${node.calls} calls`;
}

function baseName(path: string): string {
  return path.split("/").at(-1) ?? path;
}

/** One page that opens without a server or a network: sessions as rows on a time axis, edges as lists. */
export function toHtml(graph: AgentGraph): string {
  const times = graph.nodes.flatMap((node) => [node.firstAtMs ?? [], node.lastAtMs ?? []].flat());
  const from = times.reduce((a, b) => Math.min(a, b), times[0] ?? 0);
  const to = times.reduce((a, b) => Math.max(a, b), from + 1);
  const rows = graph.nodes.map((node) => nodeRow(node, graph.edges, from, to)).join("\n");
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Agent sessions</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>
body{font:14px system-ui,sans-serif;margin:2rem;color:#111827;background:#fff}
table{border-collapse:collapse;width:100%}td,th{padding:.3rem .6rem;text-align:left;border-bottom:1px solid #e5e7eb;vertical-align:top}
.bar{position:relative;height:.8rem;min-width:14rem;background:#f3f4f6}.bar i{position:absolute;top:0;bottom:0;background:#2563eb;min-width:2px}
small{color:#6b7280}@media(prefers-color-scheme:dark){body{background:#111827;color:#f3f4f6}.bar{background:#374151}td,th{border-color:#374151}}
</style>
<h1>Agent sessions</h1><p>${graph.nodes.length} sessions and sub-agents, ${graph.edges.length} edges</p>
<table><thead><tr><th>session<th>models<th>calls<th>when<th>launched or read by</tr></thead><tbody>
${rows}
</tbody></table></html>
`;
}

function nodeRow(node: GraphNode, edges: readonly GraphEdge[], from: number, to: number): string {
  const out = edges
    .filter((edge) => edge.from === node.id)
    .map((edge) => `${edge.kind} → ${edge.to.slice(-17)}${edge.path === undefined ? "" : ` (${edge.path})`}`);
  const start = node.firstAtMs ?? from;
  const left = ((start - from) / (to - from)) * 100;
  const width = (((node.lastAtMs ?? start) - start) / (to - from)) * 100;
  const bar =
    node.firstAtMs === undefined
      ? ""
      : `<div class="bar"><i style="left:${left.toFixed(2)}%;width:${width.toFixed(2)}%"></i></div><small>${new Date(start).toISOString()}</small>`;
  return `<tr><td>${escaped(node.id)}<br><small>${escaped([node.role?.value, node.cwd ?? node.agent].join(" "))}</small><td>${escaped(node.models.join(", "))}<td>${node.calls}<td>${bar}<td>${out.map(escaped).join("<br>")}</tr>`;
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
