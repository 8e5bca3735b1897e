import { escapeHtml } from "../../core/page/page.ts";
import type { GraphEdge, GraphNode } from "./build.ts";

const LANE = 22;
/** Left of it stand the names. */
const LEFT = 190;
const WIDTH = 1000;

/**
 * Sessions as bars on a time axis, one lane each in the order they began, and the edges between them.
 * `marks` are `data-` attributes of each lane.
 */
export function laneDrawing(
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
  marks: (node: GraphNode) => Readonly<Record<string, string>>,
): string {
  const times = nodes.flatMap((node) => [node.firstAtMs ?? [], node.lastAtMs ?? []].flat());
  const from = times.reduce((a, b) => Math.min(a, b), times[0] ?? 0);
  const to = times.reduce((a, b) => Math.max(a, b), from + 1);
  const x = (ms: number): number => LEFT + ((ms - from) / (to - from)) * (WIDTH - LEFT - 4);
  const lanes = new Map(nodes.map((node, at) => [node.id, { node, y: at * LANE }]));
  const bars = [...lanes.values()].map(({ node, y }) => lane(node, y, x, marks(node)));
  const lines = edges.flatMap((edge) => {
    const [a, b] = [lanes.get(edge.from), lanes.get(edge.to)];
    if (a === undefined || b === undefined || b.node.firstAtMs === undefined) return [];
    const at = x(b.node.firstAtMs);
    const style = `${edge.kind}${edge.tier === "heuristic" ? " guess" : ""}`;
    const title = `${edge.kind}${edge.path === undefined ? "" : ` ${edge.path}`}`;
    const start = Math.max(LEFT, at - 14);
    const [down, up] = [a.y + LANE / 2, b.y + LANE / 2];
    return `<path class="${style}" d="M${start.toFixed(1)} ${down}C${start.toFixed(1)} ${up} ${start.toFixed(1)} ${up} ${at.toFixed(1)} ${up}"><title>${escapeHtml(title)}</title></path>`;
  });
  return `<svg viewBox="0 0 ${WIDTH} ${nodes.length * LANE}" role="img" aria-label="sessions by time">${bars.join("")}<g class="edges">${lines.join("")}</g></svg>`;
}

function lane(
  node: GraphNode,
  y: number,
  x: (ms: number) => number,
  marks: Readonly<Record<string, string>>,
): string {
  const attributes = Object.entries(marks).map(([name, value]) => ` data-${name}="${escapeHtml(value)}"`);
  const name = node.id.length > 26 ? `${node.id.slice(0, 8)}…${node.id.slice(-16)}` : node.id;
  const { firstAtMs, lastAtMs } = node;
  const start = firstAtMs === undefined ? undefined : x(firstAtMs);
  const bar =
    start === undefined
      ? ""
      : `<rect x="${start.toFixed(1)}" y="${y + 5}" height="12" width="${Math.max(2, x(lastAtMs ?? firstAtMs ?? 0) - start).toFixed(1)}"/>`;
  const title = `${node.agent} ${node.id}\n${node.models.join(", ")}`;
  return `<g class="lane"${attributes.join("")}><title>${escapeHtml(title)}</title><text x="0" y="${y + 15}">${escapeHtml(name)}</text>${bar}</g>`;
}
