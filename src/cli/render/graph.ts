import type { Json, JsonObject } from "../../core/canonical-json.ts";
import { wrap } from "../text.ts";
import type { RenderOptions } from "./index.ts";
import { dollars, numberOf, objects } from "./logs.ts";
import { plural } from "./records.ts";
import { type Column, table } from "./table.ts";

/** Rows that a person reads at once. */
const SHOWN = 40;
const FILES = 10;

const COLUMNS: readonly Column[] = [
  { title: "session", align: "left", drop: 0 },
  { title: "started by", align: "left", drop: 0 },
  { title: "for", align: "left", drop: 2 },
  { title: "began", align: "left", drop: 3 },
  { title: "model", align: "left", drop: 1 },
  { title: "calls", align: "right", drop: 4 },
  { title: "cost", align: "right", drop: 0 },
];

/** Sessions as a tree of who started whom, then the files that went from one to another. */
export function graphLines(json: JsonObject, { columns }: RenderOptions): readonly string[] {
  const nodes = objects(json["nodes"]);
  const edges = objects(json["edges"]);
  const ordered = inTreeOrder(nodes, edges);
  const rows = ordered.slice(0, SHOWN).map(({ node, depth, edge }) => cells(node, depth, edge));
  const more = ordered.length - rows.length;
  const started = edges.filter((edge) => edge["kind"] !== "artifact").length;
  const files = objects(json["artifacts"]);
  return [
    `${plural(nodes.length, "session")}, ${plural(started, "start")} of one by another, ${plural(files.length, "file")} handed over`,
    "",
    ...table(COLUMNS, rows, columns),
    ...(more > 0 ? [`  and ${more} more (--format html or --json shows all)`] : []),
    ...fileLines(files, nodes, columns),
    ...noteLines(json, edges, columns),
  ];
}

interface Placed {
  readonly node: JsonObject;
  readonly depth: number;
  /** The edge by which it was started. */
  readonly edge: JsonObject | undefined;
}

/** Parents before their children; each session once, whatever circles the logs make. */
function inTreeOrder(nodes: readonly JsonObject[], edges: readonly JsonObject[]): readonly Placed[] {
  const startedBy = new Map<string, JsonObject>();
  for (const kind of ["fan_in", "dep", "retry", "fork", "launch", "spawn"]) {
    for (const edge of edges) if (edge["kind"] === kind) startedBy.set(String(edge["to"]), edge);
  }
  const placed: Placed[] = [];
  const seen = new Set<string>();
  const add = (node: JsonObject, depth: number): void => {
    const id = String(node["id"]);
    if (seen.has(id)) return;
    seen.add(id);
    placed.push({ node, depth, edge: startedBy.get(id) });
    for (const child of nodes) {
      if (startedBy.get(String(child["id"]))?.["from"] === id) add(child, depth + 1);
    }
  };
  for (const node of nodes) if (!startedBy.has(String(node["id"]))) add(node, 0);
  for (const node of nodes) add(node, 0);
  return placed;
}

const WORDS: Readonly<Record<string, string>> = {
  spawn: "its agent",
  launch: "a shell command",
  fork: "forked",
  dep: "what came before",
  fan_in: "what it gathers",
  retry: "an earlier try",
};

function cells(node: JsonObject, depth: number, edge: JsonObject | undefined): readonly string[] {
  const models = (Array.isArray(node["models"]) ? node["models"] : []).map(String);
  const how = edge === undefined ? "" : (WORDS[String(edge["kind"])] ?? "");
  const cost = node["cost_usd"];
  return [
    `${depth === 0 ? "" : `${"  ".repeat(depth - 1)}└ `}${nameOf(node)}`,
    edge?.["tier"] === "heuristic" ? `${how}?` : how,
    node["role"] === null ? "" : String(node["role"]),
    node["first_at"] === null ? "" : String(node["first_at"]).slice(0, 16).replace("T", " "),
    models.length > 1 ? `${models[0]} +${models.length - 1}` : (models[0] ?? ""),
    node["calls"] === null ? "unknown" : String(node["calls"]),
    typeof cost === "number" ? dollars(cost) : node["calls"] === 0 ? "" : "unknown",
  ];
}

/** The agent and the part of its id that tells sessions apart. */
function nameOf(node: JsonObject): string {
  const id = String(node["id"]);
  const name = id.includes("/") ? (id.split("/").at(-1) ?? id) : id;
  // Ids that begin with the time have what is their own at the end.
  return `${String(node["agent"])} ${name.length > 16 ? `${name.slice(0, 4)}…${name.slice(-6)}` : name}`;
}

function fileLines(
  files: readonly JsonObject[],
  nodes: readonly JsonObject[],
  width: number,
): readonly string[] {
  if (files.length === 0) return [];
  const names = new Map(nodes.map((node) => [String(node["id"]), nameOf(node)]));
  const named = (ids: Json | undefined): string => {
    const [first = "", ...others] = (Array.isArray(ids) ? ids : []).map(String);
    return `${names.get(first) ?? first}${others.length === 0 ? "" : ` +${others.length}`}`;
  };
  const columns: readonly Column[] = [
    { title: "file", align: "left", drop: 0 },
    { title: "is", align: "left", drop: 1 },
    { title: "written by", align: "left", drop: 0 },
    { title: "read by", align: "left", drop: 0 },
  ];
  const rows = files
    .slice(0, FILES)
    .map((file) => [
      String(file["path"]).split(/[\\/]/).slice(-2).join("/"),
      String(file["kind"]),
      named(file["writers"]),
      named(file["readers"]),
    ]);
  const more = files.length - rows.length;
  return ["", ...table(columns, rows, width), ...(more > 0 ? [`  and ${more} more (--json shows all)`] : [])];
}

function noteLines(json: JsonObject, edges: readonly JsonObject[], width: number): readonly string[] {
  const lost = numberOf(json["launches_without_session"]);
  const notes = [
    ...(edges.some(({ tier }) => tier === "heuristic")
      ? ["? is a guess from times, places or the text of a command; the rest is stated by the logs"]
      : []),
    ...(lost > 0 ? [`no session here fits ${plural(lost, "command")} that should have started one`] : []),
  ];
  return notes.length === 0
    ? []
    : ["", ...notes.flatMap((note) => wrap(`· ${note}`, width, "  ").split("\n"))];
}
