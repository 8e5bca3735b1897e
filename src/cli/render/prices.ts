import type { JsonObject } from "../../core/canonical-json.ts";
import { wrap } from "../text.ts";
import type { RenderOptions } from "./index.ts";
import { objects } from "./logs.ts";
import { type Column, table } from "./table.ts";

const COLUMNS: readonly Column[] = [
  { title: "model", align: "left", drop: 0 },
  { title: "from", align: "left", drop: 3 },
  { title: "input", align: "right", drop: 0 },
  { title: "write 5m", align: "right", drop: 2 },
  { title: "write 1h", align: "right", drop: 2 },
  { title: "read", align: "right", drop: 1 },
  { title: "output", align: "right", drop: 0 },
  { title: "source", align: "left", drop: 4 },
];

export function priceLines(json: JsonObject, { columns }: RenderOptions): readonly string[] {
  const rows = objects(json["models"]).flatMap((row) => [
    cells(`${String(row["model"])}${row["guess"] === true ? " (guess)" : ""}`, row),
    ...objects(row["long_context"]).map((step) =>
      cells(`  prompts above ${String(step["above_tokens"])}`, step),
    ),
    ...tierCells(row),
  ]);
  return [
    `dollars per million tokens, table of ${String(json["date"])}`,
    "",
    ...table(COLUMNS, rows, columns),
  ];
}

function cells(name: string, row: JsonObject): readonly string[] {
  const rate = (key: string): string => (typeof row[key] === "number" ? String(row[key]) : "?");
  const rates = ["input", "cache_write_5m", "cache_write_1h", "cache_read", "output"].map(rate);
  return [name, String(row["from"] ?? ""), ...rates, String(row["source"] ?? "")];
}

function tierCells(row: JsonObject): readonly (readonly string[])[] {
  const tiers = (row["tiers"] ?? {}) as JsonObject;
  return Object.entries(tiers).map(([tier, factor]) => [`  tier ${tier}: x ${String(factor)}`]);
}

export function priceCheckLines(json: JsonObject, { columns }: RenderOptions): readonly string[] {
  const errors = objects(json["errors"]).flatMap((entry) =>
    wrap(`✖ ${String(entry["at"] ?? json["file"])} ${String(entry["message"])}`, columns, "  ").split("\n"),
  );
  const warnings = (json["warnings"] as readonly string[]).flatMap((text) =>
    wrap(`! ${text}`, columns, "  ").split("\n"),
  );
  const verdict =
    json["valid"] === true
      ? `${String(json["file"])} is valid, ${String(json["models"])} models`
      : "not valid";
  return [...errors, ...warnings, verdict];
}
