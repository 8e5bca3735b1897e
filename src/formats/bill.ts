import { fail, ok, type Result } from "../core/result.ts";

/** One line of a provider's usage export. */
export interface BillLine {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  readonly model?: string;
  readonly microUsd: number;
}

const DAY = /^(usage_)?(date|day|start_time|start_time_iso|bucket_start|timestamp)(_utc|_iso)?$/i;
const MODEL = /^(model|model_version|model_name|line_item)$/i;
const COST = /^(cost|amount|cost_usd|amount_usd|amount_value|usd|cost \(usd\)|total_cost|spend)$/i;

/**
 * Lines of a usage export as CSV (RFC 4180), whatever its other columns: it needs a day and a cost in dollars,
 * and may name models. Problem `bad-input` with what is missing, or with the line whose cost is no number.
 */
export function parseBill(text: string, file: string): Result<readonly BillLine[]> {
  const [head = [], ...rows] = parseCsv(text.replace(/^\uFEFF/, ""));
  const names = head.map((name) => name.trim());
  const find = (pattern: RegExp): number => names.findIndex((name) => pattern.test(name));
  const [day, model, cost] = [find(DAY), find(MODEL), find(COST)];
  if (day === -1 || cost === -1) {
    return fail("bad-input", `the bill has no column for ${day === -1 ? "the day" : "the cost"}`, {
      at: `${file}:1`,
      hint: "export costs by day as CSV, with columns such as date, model, cost_usd",
    });
  }
  const lines: BillLine[] = [];
  for (const [i, row] of rows.entries()) {
    const usd = Number((row[cost] ?? "").replace(/[$,\s]/g, ""));
    const at = dayOf(row[day] ?? "");
    if (!Number.isFinite(usd) || at === undefined) {
      return fail("bad-input", "a line of the bill has no day or no cost", { at: `${file}:${i + 2}` });
    }
    const name = model === -1 ? undefined : row[model]?.trim();
    lines.push({
      day: at,
      ...(name === undefined || name === "" ? {} : { model: name }),
      microUsd: Math.round(usd * 1e6),
    });
  }
  return ok(lines);
}

/** A day, a time, or seconds since the epoch; in UTC as providers bill. */
function dayOf(cell: string): string | undefined {
  const text = cell.trim();
  if (/^\d{9,10}$/.test(text)) return new Date(Number(text) * 1000).toISOString().slice(0, 10);
  const day = /^\d{4}-\d{2}-\d{2}/.exec(text)?.[0];
  if (day !== undefined) return day;
  const ms = Date.parse(`${text} UTC`);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString().slice(0, 10);
}

function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let isQuoted = false;
  for (let i = 0; i < text.length; i += 1) {
    const char = text[i] ?? "";
    if (isQuoted) {
      if (char !== '"') cell += char;
      else if (text[i + 1] === '"') {
        cell += '"';
        i += 1;
      } else isQuoted = false;
    } else if (char === '"') isQuoted = true;
    else if (char === ",") {
      row.push(cell);
      cell = "";
    } else if (char === "\n") {
      rows.push([...row, cell.replace(/\r$/, "")]);
      row = [];
      cell = "";
    } else cell += char;
  }
  if (cell !== "" || row.length > 0) rows.push([...row, cell]);
  return rows.filter((cells) => cells.some((entry) => entry.trim() !== ""));
}
