import { clip } from "../text.ts";

export interface Column {
  readonly title: string;
  /** Numbers stand at the right. */
  readonly align: "left" | "right";
  /** The higher, the sooner it is left out on a narrow terminal; 0 stays. */
  readonly drop: number;
}

/**
 * Aligned columns that fit the terminal: columns that can be spared go first, then the first column is cut.
 */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
): readonly string[] {
  let shown = columns.map((_, i) => i);
  const widthOf = (i: number): number =>
    Math.max(
      ...[columns[i]?.title ?? "", ...rows.map((row) => row[i] ?? "")].map((cell) => [...cell].length),
    );
  const total = (): number => shown.reduce((sum, i) => sum + widthOf(i) + 2, -2);
  while (total() > width) {
    const spare = shown.reduce(
      (most, i) => ((columns[i]?.drop ?? 0) > (columns[most]?.drop ?? 0) ? i : most),
      0,
    );
    if ((columns[spare]?.drop ?? 0) === 0) break;
    shown = shown.filter((i) => i !== spare);
  }
  const over = Math.max(0, total() - width);
  const line = (cells: readonly string[]): string =>
    shown
      .map((i) => {
        const most = Math.max(8, widthOf(i) - (i === 0 ? over : 0));
        const cell = clip(cells[i] ?? "", i === 0 ? most : widthOf(i));
        const room = i === 0 ? Math.min(most, widthOf(i)) : widthOf(i);
        const gap = " ".repeat(Math.max(0, room - [...cell].length));
        return columns[i]?.align === "right" ? gap + cell : cell + gap;
      })
      .join("  ")
      .trimEnd();
  return [line(columns.map((column) => column.title)), ...rows.map(line)];
}
