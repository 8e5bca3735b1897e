import type { Json, JsonObject } from "../../core/canonical-json.ts";
import { formatMicroUsd } from "../../core/money.ts";
import { formatDuration } from "../../core/time.ts";
import { type Colors, createColors } from "../colors.ts";
import { checkLabel, checkMark, clip, formatCount, lastLines, wrapTalk } from "../text.ts";
import type { RenderOptions } from "./index.ts";
import { learningLines } from "./learning.ts";
import { receiptTexts } from "./receipt.ts";

const TAIL_LINES = 8;
const LABEL_WIDTH = 10;

/** A session: what needs a person first, then where it stands, what it cost and how to undo it. */
export function renderSession(command: string, json: JsonObject, options: RenderOptions): readonly string[] {
  const colors = createColors(options.color);
  if (json["session"] === null) return learningAlone(json["learning"] as JsonObject, options);
  const lines = needLines(json, options, colors);
  lines.push(headline(json, options.columns, colors));
  lines.push(`  ${clip(text(json["title"]), options.columns - 2)}`);
  for (const check of list(json["checks"])) lines.push(...checkLines(check, options, colors));
  if (command === "status") lines.push(...statusLines(json, options));
  else lines.push(...receiptLines(json, options));
  for (const notice of list(json["notices"])) lines.push(wrapTalk(`!  ${text(notice)}`, options.columns));
  return lines;
}

function learningAlone(learning: JsonObject, options: RenderOptions): readonly string[] {
  const runs = Number(learning["finished_runs"]);
  return [
    `no session here; ${runs} finished ${runs === 1 ? "run" : "runs"} to learn from`,
    ...labelled(learningLines(learning), options),
  ];
}

function needLines(json: JsonObject, options: RenderOptions, colors: Colors): string[] {
  const needs = text(json["needs"]);
  if (needs === "") return [];
  const command = text(json["answer_with"]);
  const asked = wrapTalk(`needs you:  ${needs}`, options.columns).split("\n");
  return [...asked.map(colors.yellow), `  ${command}`, ""];
}

/** `✔ satisfied · session 001 · judged clean`; what it is about goes to a line of its own where both are too long. */
function headline(json: JsonObject, columns: number, colors: Colors): string {
  const level = text(json["level"]);
  const number = `session ${String(json["number"]).padStart(3, "0")}`;
  const facts = level === "" ? number : `${number} · judged ${level}`;
  const [color, standing] = standingOf(json, colors);
  if (standing.length + facts.length + 3 <= columns) return `${color(standing)} · ${facts}`;
  return `${color(wrapTalk(standing, columns))}\n  ${facts}`;
}

function standingOf(json: JsonObject, colors: Colors): readonly [(text: string) => string, string] {
  const outcome = (text(json["outcome"]) || text(json["state"])).replaceAll("_", " ");
  if (json["satisfied"] === true) {
    return [colors.green, Number(json["attempts"]) === 0 ? "✔ satisfied before any work" : "✔ satisfied"];
  }
  if (outcome === "running" || outcome === "retrying") {
    return [colors.cyan, json["live"] === false ? `● ${outcome}, but nobody runs it now` : `● ${outcome}`];
  }
  const reason = text(json["reason"]);
  return [colors.red, reason === "" ? `✖ ${outcome}` : `✖ ${outcome}: ${reason}`];
}

function checkLines(check: Json, options: RenderOptions, colors: Colors): string[] {
  const { check: name, verdict, why, tail, blocking } = check as JsonObject;
  const label = `${text(name)}${blocking === false ? " (advisory)" : ""}`;
  const head = `  ${checkMark(text(verdict), colors)} ${checkLabel(label, text(why), options.columns - 4)}`;
  const output = text(tail);
  if (output === "") return [head];
  return [head, ...lastLines(output, TAIL_LINES, options.columns, "      ").map(colors.dim)];
}

function statusLines(json: JsonObject, options: RenderOptions): string[] {
  const cap = json["max_usd"] === null ? "" : ` of $${Number(json["max_usd"]).toFixed(2)}`;
  const lines: (readonly [string, string])[] = [
    [
      "so far",
      `iteration ${text(json["iteration"])} of ${text(json["max_iterations"])} · ${attemptsText(json)} · ${formatDuration(Number(json["running_ms"]))}`,
    ],
    ["cost", `${amountText(json)}${cap}${tokensText(json)}`],
  ];
  const spending = json["spending"];
  if (spending !== null && spending !== undefined)
    lines.push(["right now", spendingText(spending as JsonObject)]);
  if (json["learning"] !== null && json["learning"] !== undefined)
    lines.push(...learningLines(json["learning"] as JsonObject));
  const until = text(json["waiting_until"]);
  if (until !== "") lines.push(["waiting", `until ${until}: ${text(json["waiting_why"])}`]);
  return labelled(lines, options);
}

/** `$0.42 and 120.0k tokens so far · $0.08 a minute · 34 min to the ceiling` */
function spendingText(spending: JsonObject): string {
  const amount = (value: Json | undefined): string =>
    typeof value === "number" ? formatMicroUsd(Math.round(value * 1e6)) : "unknown cost";
  const minutes = spending["minutes_left"];
  const parts = [
    `${amount(spending["cost_usd"])} and ${formatCount(Number(spending["tokens"]))} tokens by its log`,
    `${amount(spending["usd_per_minute"])} and ${formatCount(Number(spending["tokens_per_minute"]))} tokens a minute`,
    ...(typeof minutes === "number" ? [`${minutes} min to the ${text(spending["limit"])} at this pace`] : []),
  ];
  const unknown = Number(spending["unknown_attempts"]);
  return [
    ...parts,
    ...(unknown > 0 ? [`${unknown} more ${unknown === 1 ? "attempt" : "attempts"} without a log`] : []),
  ].join(" · ");
}

/** The demo keeps its records in a home of its own. */
function recordCommand(json: JsonObject): string {
  const record = text(json["record"]);
  if (record === "") return "";
  return `loopwright runs ${record}${json["home"] === undefined ? "" : ` --home ${text(json["home"])}`}`;
}

/** One line each: what changed, what it cost, how to undo it. */
function receiptLines(json: JsonObject, options: RenderOptions): string[] {
  const changed = list(json["changed"]).map((change) => text((change as JsonObject)["path"]));
  const lines: (readonly [string, string])[] = [
    ["changed", changed.length === 0 ? "nothing" : pathsText(changed, options.columns - LABEL_WIDTH)],
    ["took", `${attemptsText(json)} · ${formatDuration(Number(json["running_ms"]))}`],
    ["cost", `${amountText(json)}${tokensText(json)}`],
    ...receiptTexts(json["receipt"]),
    ["undo", text(json["undo"])],
    ["go on", text(json["resume"])],
    ["result", text(json["delivered"])],
    ["record", recordCommand(json)],
  ];
  return labelled(
    lines.filter(([, value]) => value !== ""),
    options,
  );
}

function labelled(lines: readonly (readonly [string, string])[], options: RenderOptions): string[] {
  return lines.map(([label, value]) => {
    const line = label.padEnd(LABEL_WIDTH) + value;
    // A command stays in one piece, so that it can be copied.
    const isLongCommand = value.startsWith("loopwright ") && line.length > options.columns;
    return isLongCommand ? `${label}\n  ${value}` : wrapTalk(line, options.columns);
  });
}

/** As many paths as fit in a line, and how many there are besides. */
function pathsText(paths: readonly string[], columns: number): string {
  for (let shown = paths.length; shown > 1; shown -= 1) {
    const rest = paths.length - shown;
    const line = paths.slice(0, shown).join(", ") + (rest === 0 ? "" : ` and ${rest} more`);
    if (line.length <= columns) return line;
  }
  return (paths[0] ?? "") + (paths.length > 1 ? ` and ${paths.length - 1} more` : "");
}

function attemptsText(json: JsonObject): string {
  const attempts = Number(json["attempts"]);
  return attempts === 1 ? "1 attempt" : `${attempts} attempts`;
}

function tokensText(json: JsonObject): string {
  if (json["tokens"] === null) return " · tokens unknown";
  const basis = text(json["cost_basis"]);
  return `${basis === "" ? "" : ` ${basis}`} · ${formatCount(Number(json["tokens"]))} tokens`;
}

function amountText(json: JsonObject): string {
  return json["cost_usd"] === null ? "unknown" : costText(json);
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
