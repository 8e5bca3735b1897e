import type { JsonObject } from "../../core/canonical-json.ts";

/** What `--dry-run` found. */
export function renderDryRun(json: JsonObject): readonly string[] {
  const pieces = (json["pieces"] ?? []) as readonly JsonObject[];
  return [
    `would run in ${String(json["top_level"])}:`,
    ...pieces.map((piece) => {
      const after = (piece["depends_on"] ?? []) as readonly string[];
      return `  ${String(piece["id"])} (${String(piece["kind"])})${after.length === 0 ? "" : ` after ${after.join(", ")}`}`;
    }),
    "nothing was spent and nothing was changed",
  ];
}

export function renderLedger(json: JsonObject): readonly string[] {
  return [
    `the chain of ${String(json["session"])} is whole: ${String(json["events"])} events, head ${String(json["head"]).slice(0, 16)}`,
  ];
}

/** The answers about loop files bring their lines along. */
export function renderPlan(json: JsonObject): readonly string[] {
  return (json["lines"] ?? []) as readonly string[];
}
