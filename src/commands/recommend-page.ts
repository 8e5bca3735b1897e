import type { Json, JsonObject } from "../core/canonical-json.ts";
import { escapeHtml, htmlPage } from "../core/page/page.ts";
import { SORT_SCRIPT, sortableTable, type TableColumn, type TableRow } from "../core/page/sortable-table.ts";
import {
  basisText,
  chanceText,
  costText,
  explorationText,
  items,
  member,
  percent,
  usd,
} from "./recommend-words.ts";

const COLUMNS: readonly TableColumn[] = [
  { title: "way" },
  { title: "chance", isNumber: true },
  { title: "from", isNumber: true },
  { title: "to", isNumber: true },
  { title: "expected cost", isNumber: true },
  { title: "a run, typically", isNumber: true },
  { title: "rounds", isNumber: true },
  { title: "your runs of it", isNumber: true },
];

/** An answer of `recommend` as one page: the numbers are those of its data, in the words of its text. */
export function recommendationPage(json: JsonObject): string {
  const pick = member(json["pick"]);
  const title = `${String(pick["name"])} for this task`;
  const notes = Array.isArray(json["notes"]) ? json["notes"] : [];
  const body = `<h1>${escapeHtml(String(pick["name"]))}</h1>
<p>${escapeHtml(chanceText(pick, json["success_from"]))}<br>${escapeHtml(costText(pick))}</p>
<p>${escapeHtml(String(json["why"]))}</p>
${command(pick["command"])}
${list(notes.map((note) => escapeHtml(String(note))))}
${section("Ways that may be best", table(json))}
${section("Worth trying", list(items(json["explorations"]).map(exploration)))}
${section("The pair that teaches most", pair(member(json["pair"])))}
<p class="soft">${escapeHtml(basisText(member(json["fit"])))}${typeof json["rec"] === "string" ? `. ${escapeHtml(json["rec"])}` : ""}</p>`;
  return htmlPage({ title, body, script: SORT_SCRIPT });
}

function section(title: string, body: string): string {
  return body === "" ? "" : `<h2>${title}</h2>\n${body}`;
}

function list(lines: readonly string[]): string {
  return lines.length === 0 ? "" : `<ul>${lines.map((line) => `<li>${line}</li>`).join("")}</ul>`;
}

function command(text: Json | undefined): string {
  return typeof text === "string" ? `<pre><code>${escapeHtml(text)}</code></pre>` : "";
}

function table(json: JsonObject): string {
  const rows = items(json["curve"]).map((row) => member(row["choice"]));
  return rows.length === 0 ? "" : sortableTable(COLUMNS, rows.map(tableRow));
}

function tableRow(choice: JsonObject): TableRow {
  const isKnown = choice["chance_known"] === true;
  const [success, cost] = [member(choice["success"]), member(choice["expected_cost_usd"])];
  const numeric = (value: Json | undefined, text: string) => ({
    text,
    value: typeof value === "number" ? value : undefined,
  });
  const chance = (value: Json | undefined) =>
    isKnown ? numeric(value, percent(value)) : { text: "?", value: undefined };
  const { same } = member(choice["support"]);
  const { median } = member(choice["run_cost_usd"]);
  return {
    cells: [
      { text: String(choice["name"]) },
      chance(success["mean"]),
      chance(success["lo"]),
      chance(success["hi"]),
      numeric(cost["mean"], usd(cost["mean"])),
      numeric(median, usd(median)),
      numeric(choice["rounds"], Number(choice["rounds"]).toFixed(1)),
      numeric(same, String(same)),
    ],
  };
}

function exploration(pick: JsonObject): string {
  const choice = member(pick["choice"]);
  return `${escapeHtml(`${String(choice["name"])}, ${explorationText(pick)}`)}${command(choice["command"])}`;
}

function pair(found: JsonObject): string {
  if (typeof found["other"] !== "string") return "";
  const text = `The answer and ${found["other"]}, about ${usd(found["cost_usd"])} together.`;
  return `<p>${escapeHtml(text)}</p>${command(found["command"])}`;
}
