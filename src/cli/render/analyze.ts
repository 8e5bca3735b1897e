import type { Json, JsonObject } from "../../core/canonical-json.ts";
import { wrap } from "../text.ts";
import type { RenderOptions } from "./index.ts";
import { dollars, noteLines, numberOf, objects, problemLines, spendTable } from "./logs.ts";
import { plural } from "./records.ts";
import { table } from "./table.ts";

/** Rows of a table that are shown; the rest is summed up in words. */
const SHOWN = 10;

/** What work cost and how that is known, to be understood without the documentation. */
export function analyzeLines(json: JsonObject, { columns }: RenderOptions): readonly string[] {
  return [
    ...wrap(headline(json), columns).split("\n"),
    "",
    ...acceptedLines(json, columns),
    ...gradingLines(json["grading"], columns),
    ...objects(json["tables"]).flatMap((entry) => ["", ...tableLines(entry, json, columns)]),
    ...noteLines(
      json,
      columns,
      objects(json["tables"]).flatMap((entry) => objects(entry["rows"])),
    ),
    ...problemLines(json, columns),
    ...restLines(json, columns),
    ...wrap("· dollars are API prices; a subscription is not billed by the token", columns, "  ").split("\n"),
    ...billLines(json["bill"], columns),
  ];
}

function headline(json: JsonObject): string {
  const from = json["from"] === null ? "the first session" : day(json["from"]);
  const usd = json["cost_usd"];
  const cost = typeof usd === "number" ? dollars(usd) : "an unknown amount";
  return `${cost} for ${plural(numberOf(json["calls"]), "model call")} in ${plural(numberOf(json["sessions"]), "agent session")}, from ${from} to ${day(json["to"])} (days in ${String(json["zone"])})`;
}

function day(at: unknown): string {
  const date = new Date(String(at));
  const two = (n: number): string => String(n).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function acceptedLines(json: JsonObject, width: number): readonly string[] {
  const per = (json["per_accepted_usd"] ?? {}) as JsonObject;
  const { mean, lo, hi } = per;
  const of = `${String(per["accepted"])} of ${String(per["decided"])} decided runs accepted`;
  const band =
    typeof lo !== "number"
      ? String(per["why"])
      : `80 % band ${dollars(lo)} to ${typeof hi === "number" ? dollars(hi) : "no upper end"}`;
  const first =
    typeof mean === "number"
      ? `cost per accepted run: ${dollars(mean)} (${band}; ${of}, rejected ones paid for)`
      : `cost per accepted run: unknown, ${String(per["why"])}`;
  const rows = objects(json["evidence"]).map((entry) => [
    `  ${String(entry["outcome"]).replaceAll("_", " ")}`,
    plural(numberOf(entry["sessions"]), "session"),
    typeof entry["cost_usd"] === "number" ? dollars(entry["cost_usd"]) : "unknown",
    String(entry["source"]),
  ]);
  const columns = [
    { title: "outcome of the work", align: "left", drop: 0 },
    { title: "", align: "right", drop: 0 },
    { title: "cost", align: "right", drop: 0 },
    { title: "known from", align: "left", drop: 1 },
  ] as const;
  return [...wrap(first, width).split("\n"), ...(rows.length === 0 ? [] : table(columns, rows, width))];
}

/** What a person should take each grade for. */
const GRADE_MEANING: Readonly<Record<string, string>> = {
  verified: "a check passed",
  reported: "a reviewer said so",
  heuristic: "redone in an hour or not",
  asserted: "only the agent says so",
  ungraded: "nothing shows it",
  censored: "took under a minute",
};

function gradingLines(grading: Json | undefined, width: number): readonly string[] {
  if (grading === null || grading === undefined) return [];
  const view = grading as JsonObject;
  const per = (view["per_accepted_usd"] ?? {}) as JsonObject;
  const mean = per["mean"];
  const [lo, hi] = [per["lo"], per["hi"]];
  const band =
    typeof lo === "number"
      ? `80 % band ${dollars(lo)} to ${typeof hi === "number" ? dollars(hi) : "no upper end"}`
      : String(per["why"]);
  const cost = typeof mean === "number" ? `${dollars(mean)} (${band})` : `unknown, ${band}`;
  const head = `by the logs' own text, ${String(view["graded"])} of ${String(view["of"])} sessions without a run have an outcome; cost per accepted one: ${cost}`;
  const columns = [
    { title: "how it is known", align: "left", drop: 0 },
    { title: "accepted", align: "right", drop: 0 },
    { title: "rejected", align: "right", drop: 0 },
    { title: "unknown", align: "right", drop: 0 },
    { title: "cost", align: "right", drop: 0 },
  ] as const;
  const rows = objects(view["tiers"]).map((tier) => [
    `  ${String(tier["grade"])}: ${GRADE_MEANING[String(tier["grade"])] ?? ""}`,
    String(tier["accepted"]),
    String(tier["rejected"]),
    String(tier["unknown"]),
    typeof tier["cost_usd"] === "number" ? dollars(tier["cost_usd"]) : "unknown",
  ]);
  return ["", ...wrap(head, width).split("\n"), ...table(columns, rows, width)];
}

function tableLines(entry: JsonObject, total: JsonObject, width: number): readonly string[] {
  const by = String(entry["by"]);
  const rows = objects(entry["rows"]);
  // Days are a history: the latest matter. All else is sorted by cost.
  const shown = by === "day" ? rows.slice(-31) : rows.slice(0, SHOWN);
  const more = rows.length - shown.length;
  return [
    ...spendTable(by, [...shown.map((row) => [String(row["key"]), row] as const), ["all", total]], width),
    ...(more > 0 ? [`  and ${more} more (--json shows all)`] : []),
  ];
}

function restLines(json: JsonObject, width: number): readonly string[] {
  const parts = objects(json["not_used"]).map(
    (entry) => `${plural(numberOf(entry["sessions"]), "session")}: ${String(entry["why"])}`,
  );
  return parts.length === 0
    ? []
    : wrap(`· not in these figures: ${parts.join("; ")}`, width, "  ").split("\n");
}

function billLines(bill: unknown, width: number): readonly string[] {
  if (bill === null || bill === undefined) return [];
  const view = bill as JsonObject;
  const columns = [
    { title: "bill by day (UTC)", align: "left", drop: 0 },
    { title: "model", align: "left", drop: 1 },
    { title: "billed", align: "right", drop: 0 },
    { title: "in the logs", align: "right", drop: 0 },
    { title: "gap", align: "right", drop: 0 },
  ] as const;
  const cells = (name: string, row: JsonObject): readonly string[] => [
    name,
    String(row["model"] ?? ""),
    dollars(numberOf(row["billed_usd"])),
    dollars(numberOf(row["logged_usd"])),
    dollars(numberOf(row["gap_usd"])),
  ];
  const rows = objects(view["rows"]).map((row) => cells(String(row["day"]), row));
  return ["", ...table(columns, [...rows, cells("all", view)], width)];
}
