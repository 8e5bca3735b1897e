import pc from "picocolors";
import type { Json, JsonObject } from "../../core/canonical-json.ts";
import { formatMicroUsd } from "../../core/money.ts";
import { formatDuration } from "../../core/time.ts";
import { clip, formatCount, lastLines } from "../text.ts";
import type { RenderOptions } from "./index.ts";

const TAIL_LINES = 8;

/** A session: what needs a person first, then where it stands, what it cost and how to undo it. */
export function renderSession(command: string, json: JsonObject, options: RenderOptions): readonly string[] {
  const colors = pc.createColors(options.color);
  const lines: string[] = [];
  const needs = text(json["needs"]);
  if (needs !== "")
    lines.push(
      clip(colors.yellow(`needs you: ${needs}`), options.columns + 10),
      `  ${text(json["answer_with"])}`,
      "",
    );
  lines.push(clip(`${text(json["title"])}`, options.columns));
  lines.push(headline(json, colors));
  for (const check of list(json["checks"])) lines.push(...checkLines(check, options, colors));
  if (command === "status") lines.push(...statusLines(json, options));
  else lines.push(...receiptLines(json, options));
  for (const notice of list(json["notices"])) lines.push(clip(`! ${String(notice)}`, options.columns));
  return lines;
}

function headline(json: JsonObject, colors: ReturnType<typeof pc.createColors>): string {
  const number = String(json["number"]).padStart(3, "0");
  const satisfied = json["satisfied"] === true;
  const outcome = text(json["outcome"]) || text(json["state"]);
  const mark = satisfied
    ? colors.green("satisfied")
    : outcome === "running"
      ? colors.cyan(outcome)
      : colors.red(outcome);
  const reason = text(json["reason"]);
  const live = json["live"] === false && outcome === "running" ? " (nobody runs it now)" : "";
  const level = text(json["level"]);
  return `session ${number}: ${mark}${live}${reason === "" ? "" : `, ${reason}`}${level === "" ? "" : ` (judged ${level})`}`;
}

function checkLines(
  check: Json,
  options: RenderOptions,
  colors: ReturnType<typeof pc.createColors>,
): string[] {
  const { check: name, verdict, why, tail, blocking } = check as JsonObject;
  const marks: Readonly<Record<string, string>> = { pass: colors.green("✔"), fail: colors.red("✖") };
  const label = `${text(name)}${blocking === false ? " (advisory)" : ""}${text(why) === "" ? "" : `: ${text(why)}`}`;
  const head = `  ${marks[text(verdict)] ?? colors.yellow("?")} ${clip(label, options.columns - 4)}`;
  const output = text(tail);
  return output === ""
    ? [head]
    : [head, ...lastLines(output, TAIL_LINES, options.columns, "      ").map(colors.dim)];
}

function statusLines(json: JsonObject, options: RenderOptions): string[] {
  const cap = json["max_usd"] === null ? "" : ` of $${Number(json["max_usd"]).toFixed(2)}`;
  const tokens = json["tokens"] === null ? "tokens unknown" : `${formatCount(Number(json["tokens"]))} tokens`;
  const lines = [
    `iteration ${text(json["iteration"])} of ${text(json["max_iterations"])} · ${text(json["attempts"])} attempts · ${formatDuration(Number(json["running_ms"]))} · ${tokens} · ${costText(json)}${cap}`,
  ];
  const until = text(json["waiting_until"]);
  if (until !== "") lines.push(clip(`waiting until ${until}: ${text(json["waiting_why"])}`, options.columns));
  return lines.map((line) => clip(line, options.columns));
}

/** One line each: what changed, what it cost, how to undo it. */
function receiptLines(json: JsonObject, options: RenderOptions): string[] {
  const changed = list(json["changed"]).map((change) => text((change as JsonObject)["path"]));
  const shown = changed.length === 0 ? "nothing" : `${changed.length} path(s): ${changed.join(", ")}`;
  const lines = [
    clip(`changed: ${shown}`, options.columns),
    clip(
      `cost:    ${costText(json)}${tokensText(json)}, ${text(json["attempts"])} attempt(s), ${formatDuration(Number(json["running_ms"]))}`,
      options.columns,
    ),
    `undo:    ${text(json["undo"])}`,
  ];
  const resume = text(json["resume"]);
  if (resume !== "") lines.push(`go on:   ${resume}`);
  const delivered = text(json["delivered"]);
  if (delivered !== "") lines.push(`result:  ${delivered}`);
  const record = text(json["record"]);
  if (record !== "") lines.push(`record:  loopwright runs ${record}`);
  return lines;
}

function tokensText(json: JsonObject): string {
  return json["tokens"] === null
    ? ""
    : ` (${formatCount(Number(json["tokens"]))} tokens, ${text(json["cost_basis"]) || "unpriced"})`;
}

/** Unknown is not zero: `$3.10 + 2 unknown`. */
export function costText(json: JsonObject): string {
  const unknown = Number(json["unknown_costs"] ?? 0);
  if (json["cost_usd"] === null || json["cost_usd"] === undefined) return "cost unknown";
  const usd = Number(json["cost_usd"]);
  const known = formatMicroUsd(Math.round(usd * 1e6));
  return unknown > 0 ? `${known} + ${unknown} unknown` : known;
}

function text(value: Json | undefined): string {
  return value === null || value === undefined ? "" : String(value);
}

function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
