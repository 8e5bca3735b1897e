import { escapeHtml } from "./page.ts";

export interface TableColumn {
  readonly title: string;
  readonly isNumber?: boolean;
}

export interface TableCell {
  readonly text: string;
  /** What the column is sorted by; unknown (absent) comes last either way. Without it, the text. */
  readonly value?: number | undefined;
}

export interface TableRow {
  readonly cells: readonly TableCell[];
  /** `data-` attributes of the row, for filters. */
  readonly data?: Readonly<Record<string, string>>;
}

/** A table whose headings sort it, where `SORT_SCRIPT` runs. */
export function sortableTable(columns: readonly TableColumn[], rows: readonly TableRow[]): string {
  const heads = columns.map(
    ({ title, isNumber = false }) =>
      `<th${isNumber ? ' class="n"' : ""}><button type="button">${escapeHtml(title)}</button></th>`,
  );
  const lines = rows.map(({ cells, data = {} }) => {
    const attributes = Object.entries(data).map(([name, value]) => ` data-${name}="${escapeHtml(value)}"`);
    const parts = cells.map((cell, at) => tableCell(cell, columns[at]?.isNumber ?? false));
    return `<tr${attributes.join("")}>${parts.join("")}</tr>`;
  });
  return `<table class="sortable"><thead><tr>${heads.join("")}</tr></thead><tbody>\n${lines.join("\n")}\n</tbody></table>`;
}

function tableCell({ text, value }: TableCell, isNumber: boolean): string {
  const attributes = isNumber ? ` class="n" data-value="${value ?? ""}"` : "";
  return `<td${attributes}>${escapeHtml(text)}</td>`;
}

export const SORT_SCRIPT = `
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  heads.forEach((head, at) => head.firstChild.addEventListener("click", () => {
    const isUp = head.getAttribute("aria-sort") === "ascending";
    for (const other of heads) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", isUp ? "descending" : "ascending");
    const key = (row) => row.cells[at].dataset.value ?? row.cells[at].textContent;
    const isNumber = head.classList.contains("n");
    const order = (a, b) => {
      const [x, y] = [key(a), key(b)];
      if (x === y) return 0;
      if (x === "" || y === "") return x === "" ? 1 : -1;
      const less = isNumber ? Number(x) - Number(y) : x.localeCompare(y);
      return isUp ? -less : less;
    };
    body.append(...[...body.rows].sort(order));
  }));
}
`;
