import type { JsonObject } from "../../core/canonical-json.ts";
import { formatMicroUsd } from "../../core/money.ts";
import { clip, wrapTalk } from "../text.ts";
import type { RenderOptions } from "./index.ts";
import { receiptTexts } from "./receipt.ts";

const SHOWN_FINDINGS = 8;

/** Answers of the commands that check, store and judge run documents. */
export function renderRecords(name: string, json: JsonObject, options: RenderOptions): readonly string[] {
  switch (name) {
    case "ocp-validate":
      return rows(json, "files").flatMap((file) => validated(file, options));
    case "ocp-migrate":
      return migrated(rows(json, "files"));
    case "run-import":
      return imported(json, options);
    // Only the ids, so that a script can take them.
    case "run-start":
      return rows(json, "runs").map((one) => word(one["run"]));
    case "run-attempt":
      return [word(json["attempt"])];
    case "run-artifact":
      return [word(json["artifact"])];
    case "run-record":
    case "run-finish":
      return finished(json, options);
    case "run-sessions":
      return sessions(json, options);
    case "outcome":
      return outcomes(json, options);
    case "budget":
      return budget(json);
    case "config-get":
      return rows(json, "keys").map((key) => setting(key, options));
    case "config-set":
    case "config-unset":
      return [setting(json, options)];
    default:
      return [];
  }
}

function finished(json: JsonObject, options: RenderOptions): readonly string[] {
  const evidence = json["evidence"] as JsonObject;
  const cost = json["cost"] as JsonObject;
  const reasons = list(evidence["reasons"]).join(", ");
  const unmatched = rows(json["matched"] as JsonObject, "unmatched").map((one) =>
    clip(`  cost unknown: ${word(one["attempt"])}, ${word(one["reason"])}`, options.columns),
  );
  const shared = rows(json, "shared").map(
    (one) =>
      `  ${list(one["attempts"]).join(" and ")} share session ${word(one["session"])}: split in equal parts`,
  );
  return [
    `${word(json["run"])}: ${word(json["outcome"])} by the rule ${word(evidence["rule"])}${reasons === "" ? "" : ` (${reasons})`}`,
    `cost: ${sum({ usd: cost["usd_known"], unknown_costs: cost["attempts_not_costed"] })}`,
    ...unmatched,
    ...shared,
    ...receiptTexts(json["receipt"]).map(([label, value]) => wrapTalk(`${label}: ${value}`, options.columns)),
  ];
}

function sessions(json: JsonObject, options: RenderOptions): readonly string[] {
  const lines = rows(json, "sessions").map((one) =>
    clip(
      `${word(one["harness"]).padEnd(12)} ${word(one["session"])}  ${word(one["last_at"]).slice(0, 16)}  ${list(one["models"]).join(", ")}`,
      options.columns,
    ),
  );
  if (lines.length === 0)
    return [`no session in ${word(json["folder"])} in the last ${plural(json["days"], "day")}`];
  return Number(json["more"]) > 0 ? [...lines, `${word(json["more"])} more (--limit)`] : lines;
}

function outcomes(json: JsonObject, options: RenderOptions): readonly string[] {
  const lines = rows(json, "runs").map((run) => {
    const reasons = list(run["reasons"]).join(", ");
    return clip(
      `${word(run["run"])}  ${word(run["outcome"])}${reasons === "" ? "" : ` (${reasons})`}`,
      options.columns,
    );
  });
  const winner = json["winner"] === undefined ? [] : [`preferred: ${word(json["winner"])}`];
  return [...lines, ...winner];
}

function budget(json: JsonObject): readonly string[] {
  const spent = json["spent"] as JsonObject;
  const since = json["since"] === null ? "in all" : `since ${word(json["since"]).slice(0, 10)}`;
  const cap = json["cap_usd"] === null ? "no cap" : `cap ${usd(json["cap_usd"])} a ${word(json["period"])}`;
  const left = json["remaining_usd"] === null ? "" : `, ${usd(json["remaining_usd"])} left`;
  return [
    `spent ${since}: ${sum(spent)} in ${plural(spent["runs"], "run")}; ${cap}${left}`,
    `  of it exploring: ${sum(json["exploration"] as JsonObject)}`,
    `not counted: ${sum(json["history"] as JsonObject)} of imported history, ${plural(json["open_runs"], "open run")}`,
  ];
}

/** Unknown is not zero: `$3.10 + 2 unknown`. */
function sum({ usd: known, unknown_costs: unknown }: JsonObject): string {
  if (Number(unknown) === 0) return usd(known);
  return Number(known) === 0 ? "unknown" : `${usd(known)} + ${String(unknown)} unknown`;
}

function usd(value: unknown): string {
  return formatMicroUsd(Math.round(Number(value) * 1e6));
}

function setting(key: JsonObject, options: RenderOptions): string {
  const value = key["value"] === null ? "not set" : JSON.stringify(key["value"]);
  const brief = key["brief"] === undefined ? "" : `  ${word(key["brief"])}`;
  return clip(
    `${word(key["key"])} = ${value}${key["set"] === true ? "" : " (preset)"}${brief}`,
    options.columns,
  );
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function validated(file: JsonObject, options: RenderOptions): readonly string[] {
  const version = file["ocp"] === null ? "no ocp version" : `ocp ${String(file["ocp"])}`;
  const mark = file["ok"] === true ? "PASS" : "FAIL";
  const counts = `${plural(file["errors"], "error")}, ${plural(file["warnings"], "warning")}`;
  const findings = rows(file, "findings");
  const lines = findings
    .slice(0, SHOWN_FINDINGS)
    .map((one) =>
      clip(
        `  ${word(one["level"])} ${word(one["code"])} ${word(one["path"])}: ${word(one["message"])}`,
        options.columns,
      ),
    );
  const more = findings.length - lines.length;
  return [
    `${mark}  ${word(file["path"])}  (${version}; ${counts})`,
    ...lines,
    ...(more > 0 ? [`  ... ${more} more (use --json for all)`] : []),
  ];
}

/** A single result that was not written to a folder is the output itself. */
function migrated(files: readonly JsonObject[]): readonly string[] {
  const [only] = files;
  if (files.length === 1 && typeof only?.["text"] === "string") return [only["text"].trimEnd()];
  return files.map((file) =>
    file["ok"] === true
      ? `PASS  ${word(file["in"])} -> ${file["out"] === null ? "(use --out or --json)" : word(file["out"])}  (from ${word(file["from"])}; ${plural(file["errors"], "error")}, ${plural(file["warnings"], "warning")})`
      : `FAIL  ${word(file["in"])}: ${word(file["error"])}`,
  );
}

function imported(json: JsonObject, options: RenderOptions): readonly string[] {
  const failures = rows(json, "files").filter((file) => file["ok"] === false);
  const lines = failures.map((file) => {
    const { message, hint } = (file["problem"] ?? {}) as JsonObject;
    const head = clip(`✖ ${word(file["file"])}: ${word(message)}`, options.columns);
    return hint === undefined ? head : `${head}\n    try: ${word(hint)}`;
  });
  const counts = ["new", "unchanged", "replaced", "failed"]
    .filter((name) => Number(json[name]) > 0)
    .map((name) => `${String(json[name])} ${name}`);
  return [
    ...lines,
    `${plural(json["imported"], "run")} imported${counts.length === 0 ? "" : `: ${counts.join(", ")}`}`,
    ...(json["next"] === null ? [] : [word(json["next"])]),
  ];
}

export function plural(count: unknown, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? "" : "s"}`;
}

export function rows(json: JsonObject, key: string): readonly JsonObject[] {
  return (json[key] ?? []) as readonly JsonObject[];
}

export function word(value: unknown): string {
  return value === null || value === undefined ? "" : String(value);
}
