import { BadCount, epochMs, type Fields, text } from "../fields.ts";
import { noPlainFacts, type PlainFacts } from "../plain-calls.ts";
import { TableRows } from "../table-rows.ts";
import { readOpencodeCall } from "./schema.ts";

/** Reads the rows of one opencode database: many sessions. */
export class OpencodeParser {
  readonly #path: string;
  readonly #rows: TableRows;
  readonly #sessions = new Map<string, PlainFacts>();

  constructor(path: string) {
    this.#path = path;
    this.#rows = new TableRows(path, (table, row) => this.#take(table, row));
  }

  push(chunk: Uint8Array): void {
    this.#rows.push(chunk);
  }

  finish(): readonly PlainFacts[] {
    this.#rows.finish();
    const damage = { ...noPlainFacts(this.#path), damaged: this.#rows.damaged };
    return [...this.#sessions.values(), damage];
  }

  #take(table: string, row: Fields): void {
    if (table === "session") this.#session(row);
    if (table === "message") this.#message(row);
  }

  #session(row: Fields): void {
    const id = text(row["id"]);
    if (id === undefined) return;
    const facts = noPlainFacts(this.#path);
    facts.session = id;
    const cwd = text(row["directory"]);
    const parent = text(row["parent_id"]);
    const startMs = epochMs(row["time_created"]);
    const lastAtMs = epochMs(row["time_updated"]);
    if (cwd !== undefined) facts.cwd = cwd;
    if (parent !== undefined) facts.parent = parent;
    if (startMs !== undefined) facts.startMs = startMs;
    if (lastAtMs !== undefined) facts.lastAtMs = lastAtMs;
    facts.isArchived = epochMs(row["time_archived"]) !== undefined;
    this.#sessions.set(id, facts);
  }

  #message(row: Fields): void {
    const facts = this.#sessions.get(text(row["session_id"]) ?? "");
    if (facts === undefined) return;
    if (text(row["error"]) !== undefined) facts.errors += 1;
    try {
      const call = readOpencodeCall(row);
      if (call !== undefined) facts.calls.push(call);
    } catch (error) {
      if (!(error instanceof BadCount)) throw error;
      facts.warnings.push(`message ${String(row["id"])}: ${error.message}`);
    }
  }
}
