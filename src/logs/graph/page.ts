import { formatMicroUsd } from "../../core/money.ts";
import { escapeHtml, htmlPage } from "../../core/page/page.ts";
import {
  SORT_SCRIPT,
  sortableTable,
  type TableCell,
  type TableColumn,
} from "../../core/page/sortable-table.ts";
import { formatDuration } from "../../core/time.ts";
import type { AgentGraph, GraphEdge, GraphNode } from "./build.ts";
import { laneDrawing } from "./lanes.ts";

/** Known dollars by node id, in millionths; absent where a part has no price. */
export type NodeDollars = ReadonlyMap<string, number>;

/** One page that opens without a server or a network: every session in a table that sorts, on lanes by time, and what it came to. */
export function toHtml(graph: AgentGraph, dollars: NodeDollars): string {
  const known = graph.nodes.flatMap(({ id }) => dollars.get(id) ?? []);
  const unknown = graph.nodes.filter(({ id, calls }) => calls !== 0 && !dollars.has(id)).length;
  const total =
    known.length === 0 ? "cost unknown" : `${formatMicroUsd(known.reduce((a, b) => a + b, 0))} known`;
  const starts = startsOf(graph.edges);
  const body = `<h1>Agent sessions</h1>
<p>${counted(graph.nodes.length, "session")}, ${counted(graph.edges.length, "edge")}, ${total}${unknown === 0 ? "" : `; ${counted(unknown, "session")} without a known cost`}</p>
${filter("role", rolesIn(graph.nodes))}${filter("model", modelsIn(graph.nodes))}
${sortableTable(
  COLUMNS,
  graph.nodes.map((node) => ({ cells: cells(node, starts.get(node.id) ?? [], dollars), data: marks(node) })),
)}
${folders(graph)
  .map(
    ({ name, nodes }) =>
      `<details open><summary>${escapeHtml(name)}</summary>${laneDrawing(nodes, graph.edges, marks)}</details>`,
  )
  .join("\n")}
${costCurve(graph.nodes, dollars)}`;
  return htmlPage({ title: "Agent sessions", body, style: STYLE, script: SORT_SCRIPT + FILTER_SCRIPT });
}

const COLUMNS: readonly TableColumn[] = [
  { title: "session" },
  { title: "agent" },
  { title: "role" },
  { title: "model" },
  { title: "started by" },
  { title: "began", isNumber: true },
  { title: "took", isNumber: true },
  { title: "calls", isNumber: true },
  { title: "tokens out", isNumber: true },
  { title: "cost", isNumber: true },
];

function cells(node: GraphNode, starts: readonly string[], dollars: NodeDollars): readonly TableCell[] {
  const { firstAtMs, lastAtMs, usage, calls } = node;
  const took = firstAtMs === undefined || lastAtMs === undefined ? undefined : lastAtMs - firstAtMs;
  const microUsd = dollars.get(node.id);
  return [
    { text: node.id },
    { text: node.agent },
    { text: node.role?.value ?? "" },
    { text: node.models.join(", ") },
    { text: starts.join(", ") },
    { text: firstAtMs === undefined ? "" : minute(firstAtMs), value: firstAtMs },
    { text: took === undefined ? "" : formatDuration(took), value: took },
    counting(calls),
    counting(usage.outputTokens),
    { text: microUsd === undefined ? "unknown" : formatMicroUsd(microUsd), value: microUsd },
  ];
}

function counting(value: number | undefined): TableCell {
  return { text: value === undefined ? "unknown" : String(value), value };
}

/** By node, what it was started by or waited for. */
function startsOf(edges: readonly GraphEdge[]): ReadonlyMap<string, readonly string[]> {
  const starts = new Map<string, string[]>();
  for (const { from, to, kind, tier } of edges) {
    if (kind === "artifact") continue;
    const text = `${from} (${kind}${tier === "heuristic" ? "?" : ""})`;
    const known = starts.get(to);
    if (known === undefined) starts.set(to, [text]);
    else known.push(text);
  }
  return starts;
}

/** What the filters look at; a model is one of a list between bars. */
function marks({ role, models }: GraphNode): Readonly<Record<string, string>> {
  return { role: `|${role?.value ?? ""}|`, model: `|${models.join("|")}|` };
}

function rolesIn(nodes: readonly GraphNode[]): readonly string[] {
  return [...new Set(nodes.flatMap(({ role }) => role?.value ?? []))].sort();
}

function modelsIn(nodes: readonly GraphNode[]): readonly string[] {
  return [...new Set(nodes.flatMap(({ models }) => models))].sort();
}

function filter(name: string, values: readonly string[]): string {
  if (values.length < 2) return "";
  const options = values.map((value) => `<option>${escapeHtml(value)}</option>`);
  return `<label>${name} <select data-filter="${name}"><option value="">all</option>${options.join("")}</select></label> `;
}

function folders({
  nodes,
}: AgentGraph): readonly { readonly name: string; readonly nodes: readonly GraphNode[] }[] {
  const byFolder = new Map<string, GraphNode[]>();
  for (const node of nodes) {
    const name = node.cwd ?? "no folder known";
    byFolder.set(name, [...(byFolder.get(name) ?? []), node]);
  }
  return [...byFolder].map(([name, inside]) => ({ name, nodes: inside }));
}

/** Dollars so far, session by session in the order of their ends. */
function costCurve(nodes: readonly GraphNode[], dollars: NodeDollars): string {
  const ends = nodes
    .flatMap(({ id, lastAtMs }) => {
      const microUsd = dollars.get(id);
      return lastAtMs === undefined || microUsd === undefined ? [] : [{ at: lastAtMs, microUsd }];
    })
    .sort((a, b) => a.at - b.at);
  const [first, last] = [ends[0], ends.at(-1)];
  if (first === undefined || last === undefined || first.at === last.at) return "";
  const total = ends.reduce((sum, { microUsd }) => sum + microUsd, 0);
  let sum = 0;
  const steps = ends.map(({ at, microUsd }) => {
    sum += microUsd;
    const x = ((at - first.at) / (last.at - first.at)) * 1000;
    return `H${x.toFixed(1)}V${(118 - (total === 0 ? 0 : (sum / total) * 110)).toFixed(1)}`;
  });
  return `<h2>Cost over time</h2>
<svg class="cost" viewBox="0 0 1000 120" role="img" aria-label="${formatMicroUsd(total)} in all"><path d="M0 118${steps.join("")}"/></svg>
<p class="soft">${minute(first.at)} to ${minute(last.at)}: ${formatMicroUsd(total)}</p>`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function minute(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace("T", " ");
}

const STYLE = `
svg{display:block;width:100%}svg text{font-size:11px;fill:var(--ink)}
.lane rect{fill:var(--fill)}.edges path{fill:none;stroke:var(--ink);stroke-width:1}
.edges .guess{stroke:var(--soft)}.edges .artifact{stroke-dasharray:2 3}.edges .fork{stroke-dasharray:6 3}
.cost path{fill:none;stroke:var(--fill);stroke-width:2}.cost{max-height:14rem}
details{margin-top:1rem}summary{cursor:pointer}[hidden]{display:none}
`;

const FILTER_SCRIPT = `
const selects = [...document.querySelectorAll("select[data-filter]")];
const marked = document.querySelectorAll("[data-role]");
for (const select of selects) select.addEventListener("change", () => {
  for (const item of marked) {
    const isOut = selects.some(({ value, dataset }) =>
      value !== "" && !item.dataset[dataset.filter].includes("|" + value + "|"));
    item.toggleAttribute("hidden", isOut);
  }
});
`;
