import type { Json, JsonObject } from "../../core/canonical-json.ts";
import { clip, formatCount, wrap } from "../text.ts";
import { analyzeLines } from "./analyze.ts";
import { graphLines } from "./graph.ts";
import type { RenderOptions } from "./index.ts";
import { priceCheckLines, priceLines } from "./prices.ts";
import { plural } from "./records.ts";
import { type Column, table } from "./table.ts";

/** Answers of the commands that read agents' logs. */
export function renderLogs(name: string, json: JsonObject, options: RenderOptions): readonly string[] {
  switch (name) {
    case "scan":
      return scanLines(json, options);
    case "analyze":
      return analyzeLines(json, options);
    case "graph":
    case "adapt":
      if (typeof json["out"] === "string") return [`written to ${json["out"]}`];
      return typeof json["text"] === "string"
        ? json["text"].trimEnd().split("\n")
        : graphLines(json, options);
    case "prices-show":
      return priceLines(json, options);
    case "prices-validate":
      return priceCheckLines(json, options);
    default:
      return [];
  }
}

const SPEND_COLUMNS: readonly Column[] = [
  { title: "calls", align: "right", drop: 2 },
  { title: "input", align: "right", drop: 3 },
  { title: "cache write", align: "right", drop: 4 },
  { title: "cache read", align: "right", drop: 5 },
  { title: "output", align: "right", drop: 1 },
  { title: "cost", align: "right", drop: 0 },
];

export function spendCells(row: JsonObject): readonly string[] {
  const short = row["cache_write_5m_tokens"];
  const long = row["cache_write_1h_tokens"];
  const written = short === null && long === null ? null : numberOf(short) + numberOf(long);
  return [
    formatCount(numberOf(row["calls"])),
    tokens(row["input_tokens"]),
    tokens(written),
    tokens(row["cache_read_tokens"]),
    tokens(row["output_tokens"]),
    money(row),
  ];
}

export function spendTable(
  first: string,
  rows: readonly (readonly [string, JsonObject])[],
  width: number,
): readonly string[] {
  const columns: Column[] = [{ title: first, align: "left", drop: 0 }, ...SPEND_COLUMNS];
  return table(
    columns,
    rows.map(([name, row]) => [name, ...spendCells(row)]),
    width,
  );
}

function scanLines(json: JsonObject, options: RenderOptions): readonly string[] {
  const width = options.columns;
  const agents = objects(json["agents"]);
  if (agents.length === 0) return ["no agent logs on this machine", ...problemLines(json, width)];
  const rows = agents.flatMap((agent): (readonly [string, JsonObject])[] => [
    [`${String(agent["agent"])}, ${plural(numberOf(agent["sessions"]), "session")}`, agent],
    ...objects(agent["models"]).map((row): readonly [string, JsonObject] => [
      `  ${String(row["model"])}`,
      row,
    ]),
  ]);
  const size = numberOf(json["bytes"]);
  const unread = numberOf(json["files"]) - numberOf(json["files_read"]);
  return [
    clip(
      `${plural(numberOf(json["sessions"]), "session")} in ${plural(numberOf(json["files"]), "file")} (${bytesText(size)}), ${unread === 0 ? "all read" : `${unread} known from before`}`,
      width,
    ),
    "",
    ...spendTable("agent and model", [...rows, ["total", json]], width),
    ...noteLines(
      json,
      width,
      rows.map(([, row]) => row),
    ),
    ...problemLines(json, width),
  ];
}

/** What the figures leave open: no price, lower bounds, spend without a record. */
export function noteLines(
  spend: JsonObject,
  width: number,
  shown: readonly JsonObject[] = [],
): readonly string[] {
  const notes: string[] = [];
  for (const part of objects(spend["unpriced"])) {
    const why = part["why"] === "no_price" ? "has no price" : "states no usage";
    notes.push(
      `${String(part["model"])} ${why}: ${formatCount(numberOf(part["tokens"]))} tokens of ${plural(numberOf(part["calls"]), "call")} are not in the cost`,
    );
  }
  if (numberOf(spend["unlogged_usd"]) > 0) {
    notes.push(
      `$${numberOf(spend["unlogged_usd"]).toFixed(2)} of it is for calls without a record of their own (titles, compactions), by the agent's running totals`,
    );
  }
  const lowerBounds = numberOf(spend["lower_bound_calls"]);
  if (lowerBounds > 0) {
    notes.push(
      `${plural(lowerBounds, "call")} logged at the start of the answer only: output and cost are lower bounds`,
    );
  }
  if (spend["cost_basis"] === "estimated") notes.push("~ rests in part on a price that is a guess");
  if (shown.some((row) => spendCells(row).includes("?"))) {
    notes.push("? is a count that the log does not state");
  }
  return bullets(notes, width);
}

export function problemLines(json: JsonObject, width: number): readonly string[] {
  const notes: string[] = [];
  const damaged = numberOf(json["damaged_lines"]);
  const [first] = objects(json["damaged"]);
  if (damaged > 0) {
    const where =
      first === undefined
        ? ""
        : `, first ${String(first["path"])}:${String(first["line"])} (${String(first["reason"])})`;
    notes.push(`${damaged} damaged ${damaged === 1 ? "line" : "lines"} left out${where}`);
  }
  for (const entry of objects(json["unreadable"])) {
    notes.push(`cannot read ${String(entry["path"])}: ${String(entry["reason"])}`);
  }
  return bullets(notes, width);
}

function bullets(notes: readonly string[], width: number): readonly string[] {
  return notes.length === 0
    ? []
    : ["", ...notes.flatMap((note) => wrap(`· ${note}`, width, "  ").split("\n"))];
}

/** Recorded costs beside those of the agents' own logs. */
export function reconciledLines(json: JsonObject, width: number): readonly string[] {
  return objects(json["reconciled"]).flatMap((entry) => {
    const { stated_usd: stated, logged_usd: logged, difference_usd: difference } = entry;
    const said = `costs of agent session ${String(entry["session"]).slice(0, 8)}`;
    if (typeof stated !== "number" || typeof logged !== "number" || typeof difference !== "number") {
      return wrap(`${said}: not compared, ${String(entry["why"])}`, width, "  ").split("\n");
    }
    const verdict = difference === 0 ? "the same to the token" : `difference ${dollars(difference)}`;
    const text = `${said}: ${dollars(stated)} by its output, ${dollars(logged)} by its log, ${verdict}`;
    return wrap(text, width, "  ").split("\n");
  });
}

export function objects(value: Json | undefined): readonly JsonObject[] {
  return (Array.isArray(value) ? value : []) as readonly JsonObject[];
}

export function numberOf(value: Json | undefined): number {
  return typeof value === "number" ? value : 0;
}

function tokens(value: Json | undefined): string {
  return typeof value === "number" ? formatTokens(value) : "?";
}

/** `950`, `12.3k`, `4.57M`, `1.20G`. */
function formatTokens(count: number): string {
  return count < 1e9 ? formatCount(count) : `${(count / 1e9).toFixed(2)}G`;
}

/** `$3.10`, `$3.10 + ?` with a part that has no price, `unknown`. */
export function money(row: JsonObject): string {
  const usd = row["cost_usd"];
  const isPartial = objects(row["unpriced"]).length > 0;
  if (typeof usd !== "number") return "unknown";
  const about = row["cost_basis"] === "estimated" ? "~" : "";
  return `${about}${dollars(usd)}${isPartial ? " + ?" : ""}`;
}

/** Half a cent counts as one, as it is written down in decimals. Loading a language's rules would take 15 ms. */
export function dollars(usd: number): string {
  if (usd < 0) return `-${dollars(-usd)}`;
  const digits = usd >= 0.01 || usd === 0 ? 2 : 4;
  const parts = usd < 1e-6 ? 0 : Math.round(Number(`${usd}e${digits}`));
  const text = String(parts).padStart(digits + 1, "0");
  const whole = text.slice(0, -digits).replace(/\B(?=(\d{3})+$)/g, ",");
  return `$${whole}.${text.slice(-digits)}`;
}

function bytesText(bytes: number): string {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(1)} GB`;
  return bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${Math.ceil(bytes / 1000)} kB`;
}
