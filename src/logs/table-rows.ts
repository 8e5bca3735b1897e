import { type Fields, parseFields, text } from "./fields.ts";
import { addDamage, type DamageList, LineScanner, type LineVisitor, type MarkedLine } from "./lines.ts";

/** Reads the lines that a database gives, one row each, and hands them on by the name of their query. */
export class TableRows implements LineVisitor {
  readonly damaged: DamageList = { lines: [], more: 0 };
  readonly #scanner = new LineScanner([], this);
  readonly #path: string;
  readonly #take: (table: string, row: Fields) => void;

  constructor(path: string, take: (table: string, row: Fields) => void) {
    this.#path = path;
    this.#take = take;
  }

  push(chunk: Uint8Array): void {
    this.#scanner.push(chunk);
  }

  finish(): void {
    this.#scanner.finish();
  }

  damage(line: number, reason: string): void {
    addDamage(this.damaged, { path: this.#path, line, reason });
  }

  line(line: MarkedLine): void {
    const row = parseFields(line.text());
    if (row === undefined || row === "broken") return;
    const problem = text(row["problem"]);
    if (problem !== undefined) this.damage(line.number, problem);
    else this.#take(text(row["table"]) ?? "", row);
  }
}
