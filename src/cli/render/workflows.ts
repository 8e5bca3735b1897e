import type { Json, JsonObject } from "../../core/canonical-json.ts";
import { clip } from "../text.ts";
import type { RenderOptions } from "./index.ts";

/** Workflows and task types for people. */
export function renderWorkflows(name: string, json: JsonObject, options: RenderOptions): readonly string[] {
  const lines = linesOf(name, json);
  return json["toml"] === null || json["toml"] === undefined
    ? lines.map((line) => clip(line, options.columns))
    : lines;
}

function linesOf(name: string, json: JsonObject): readonly string[] {
  switch (name) {
    case "workflows-list":
      return listLines(json);
    case "workflows-show":
      return showLines(json);
    case "workflows-validate":
      return validateLines(json);
    case "workflows-diff":
      return json["same"] === true ? ["the same configuration"] : texts(json["lines"]);
    default:
      return taskTypeLines(json);
  }
}

function listLines(json: JsonObject): readonly string[] {
  return [
    ...rows(json["workflows"]).map((row) => {
      const mark = row["valid"] === true ? " " : "✖";
      const what =
        row["valid"] === true ? (row["title"] ?? pieceNames(row["pieces"])) : texts(row["errors"])[0];
      return `${mark} ${String(row["id"]).padEnd(24)} ${String(what)}${row["origin"] === "user" ? "  (yours)" : ""}`;
    }),
    `  composed: ${texts(json["composed"]).join(", ")}`,
    `  yours are read from ${String(json["workflows_dir"])}`,
  ];
}

function pieceNames(pieces: Json | undefined): string {
  return rows(pieces)
    .map(({ id, width }) => (width === 1 ? String(id) : `${String(width)} x ${String(id)}`))
    .join(", ");
}

function showLines(json: JsonObject): readonly string[] {
  if (typeof json["toml"] === "string") return json["toml"].trimEnd().split("\n");
  const workflow = object(json["workflow"]);
  const settings = new Map(rows(json["settings"]).map((row) => [row["piece"], row]));
  const gates = rows(workflow["gates"]);
  return [
    `${String(workflow["id"])}${workflow["title"] === null ? "" : `: ${String(workflow["title"])}`}`,
    ...(json["note"] === null ? [] : [String(json["note"])]),
    ...rows(workflow["pieces"]).map((piece) => {
      const one = settings.get(piece["id"] ?? null);
      const who =
        one === undefined
          ? "not set"
          : `${String(one["harness"])} ${String(one["model"] ?? "")} ${String(one["effort"])}`;
      const copies = piece["width"] === 1 ? "" : ` x ${String(piece["width"])}`;
      return `  ${`${String(piece["id"])}${copies}`.padEnd(16)} ${String(piece["role"] ?? "").padEnd(12)} ${who}`;
    }),
    ...gates.map((gate) => {
      const back =
        gate["on_fail"] === null ? "a no ends the run" : `a no goes back to ${String(gate["on_fail"])}`;
      return `  after ${String(gate["after"])}: ${String(gate["rule"])}, ${back}`;
    }),
    `  rounds: ${String(workflow["rounds"])}, the first one counted`,
    `  configuration: ${json["config"] === null ? "set every piece to get its id" : String(json["config"])}`,
    ...texts(json["warnings"]).map((warning) => `! ${warning}`),
  ];
}

function validateLines(json: JsonObject): readonly string[] {
  const findings = (key: string, mark: string): readonly string[] =>
    rows(json[key]).flatMap((row) => [
      `${mark} ${String(row["at"] ?? json["file"])} ${String(row["message"])}`,
      ...(row["hint"] === null ? [] : [`    try: ${String(row["hint"])}`]),
    ]);
  const config = json["config"] === null ? "" : ` (${String(json["config"])})`;
  const head = json["valid"] === true ? [`✔ ${String(json["id"])} is valid${config}`] : [];
  return [...head, ...findings("errors", "✖"), ...findings("warnings", "!")];
}

function taskTypeLines(json: JsonObject): readonly string[] {
  return [
    ...rows(json["types"]).map((row) => `${String(row["id"]).padEnd(12)} ${String(row["description"])}`),
    "",
    "features (KEY=VALUE, unknown is allowed):",
    ...rows(json["features"]).map((row) => {
      const values = texts(row["values"]);
      const shown = values.length === 0 ? "any word" : values.join(" ");
      return `${String(row["key"]).padEnd(14)} ${shown.padEnd(22)} ${String(row["description"])}`;
    }),
    `horizon: ${String(object(json["horizon"])["description"])}`,
  ];
}

function object(value: Json | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

function rows(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.map(object) : [];
}

function texts(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
