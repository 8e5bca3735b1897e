import type { AgentGraph, GraphEdge, GraphNode } from "./build.ts";

/** Graphviz text: solid spawn and order, bold launch, dashed fork and further tries, dotted artifact; grey where the log does not state it. */
export function toDot({ nodes, edges }: AgentGraph): string {
  const style: Readonly<Record<GraphEdge["kind"], string>> = {
    spawn: "solid",
    launch: "bold",
    fork: "dashed",
    artifact: "dotted",
    dep: "solid",
    fan_in: "solid",
    retry: "dashed",
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
  return `${node.agent} ${name.slice(0, 8)}\n${node.models.join(", ")}\n${node.calls ?? "unknown"} calls`;
}

function baseName(path: string): string {
  return path.split("/").at(-1) ?? path;
}
