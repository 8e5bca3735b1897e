import type { Json, JsonObject } from "../../core/canonical-json.ts";
import { clip } from "../text.ts";
import type { RenderOptions } from "./index.ts";
import { costText } from "./session.ts";

/** Lists as aligned columns; anything else as `key: value` lines. */
export function renderList(name: string, json: JsonObject, options: RenderOptions): readonly string[] {
  const rows = (key: string): readonly JsonObject[] => (json[key] ?? []) as readonly JsonObject[];
  switch (name) {
    case "runs":
      return [...runLines(rows("runs"), options), ...reviewLines(json["reviewable"])];
    case "providers":
      return rows("providers").map((row) =>
        clip(
          `${row["available"] === true ? "✔" : "✖"} ${String(row["id"]).padEnd(14)} ${String(row["version"] ?? row["reason"] ?? "")}`,
          options.columns,
        ),
      );
    case "doctor":
      return rows("checks").flatMap((row) => {
        const marks: Readonly<Record<string, string>> = { ok: "✔", warning: "!", problem: "✖" };
        const head = clip(
          `${marks[String(row["state"])] ?? "?"} ${String(row["name"])}: ${String(row["detail"])}`,
          options.columns,
        );
        return row["hint"] === null ? [head] : [head, `    try: ${String(row["hint"])}`];
      });
    case "gate":
      return [
        `${json["satisfied"] === true ? "satisfied" : "not satisfied"} (judged ${String(json["level"])})${json["revoked"] === true ? ", the goal was taken back" : ""}`,
        ...rows("checks").map((row) =>
          clip(
            `  ${row["verdict"] === "pass" ? "✔" : "✖"} ${String(row["check"])}${row["why"] === null ? "" : `: ${String(row["why"])}`}`,
            options.columns,
          ),
        ),
      ];
    default:
      return members(json, options);
  }
}

function runLines(rows: readonly JsonObject[], options: RenderOptions): readonly string[] {
  if (rows.length === 0) return ["no run is recorded yet"];
  return rows.map((row) => {
    const head = `${String(row["run"])}  ${String(row["started_at"]).slice(0, 16)}  ${String(row["outcome"]).padEnd(9)} ${costText({ ...row, cost_usd: knownCost(row) }).padStart(12)}  ${String(row["title"])}`;
    return row["document"] === undefined
      ? clip(head, options.columns)
      : `${head}\n${JSON.stringify(row["document"], null, 2)}`;
  });
}

function reviewLines(reviewable: Json | undefined): readonly string[] {
  if (!Array.isArray(reviewable) || reviewable.length === 0) return [];
  const [what, whom] = reviewable.length === 1 ? ["run has", "it"] : ["runs have", "them"];
  return [
    `${reviewable.length} finished ${what} no outcome but a review; judge ${whom} by it:`,
    `  loopwright outcome --rule review ${reviewable.join(" ")}`,
  ];
}

/** Nothing known is no zero. */
function knownCost(row: JsonObject): Json | undefined {
  const isAllUnknown = row["cost_basis"] === null && Number(row["unknown_costs"]) > 0;
  return isAllUnknown ? null : row["known_cost_usd"];
}

function members(json: JsonObject, options: RenderOptions): readonly string[] {
  return Object.entries(json)
    .filter(([key]) => key !== "schema" && key !== "ok")
    .map(([key, value]) => clip(`${key.replaceAll("_", " ")}: ${plain(value)}`, options.columns));
}

function plain(value: Json | undefined): string {
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(plain).join(", ");
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}
