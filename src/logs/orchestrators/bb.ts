import type { LogDatabase, LogTree } from "../../ports/log-source.ts";
import type { LogEnvironment } from "../environment.ts";
import { epochMs, type Fields, optional, text } from "../fields.ts";
import { noPlainFacts, type PlainFacts } from "../plain-calls.ts";
import { TableRows } from "../table-rows.ts";

/** bb's running token counts merge classes, so they are left alone: the agent's own log has the usage. */
export const BB_DATABASE: LogDatabase = {
  fileName: /^bb\.db$/,
  queries: {
    thread: `select t.id, t.parent_thread_id, t.source_thread_id, t.origin_kind, t.model_override,
      t.reasoning_level_override, t.created_at, t.updated_at, e.path
      from threads t left join environments e on e.id = t.environment_id`,
    agent: `select thread_id, min(provider_thread_id) as session from events
      where provider_thread_id is not null group by thread_id having count(distinct provider_thread_id) = 1`,
  },
};

export function bbTrees(env: LogEnvironment): LogTree[] {
  const root = env.variables["BB_DATA_DIR"] || `${env.homeDir}/.bb`;
  return [{ root, wants: (path) => path === "bb.db" || path === "bb.db-wal" }];
}

/** One session for each thread; a fork and a child thread name the thread they came from. */
export class BbParser {
  readonly #path: string;
  readonly #rows: TableRows;
  readonly #threads = new Map<string, PlainFacts>();

  constructor(path: string) {
    this.#path = path;
    this.#rows = new TableRows(path, (table, row) =>
      table === "thread" ? this.#thread(row) : this.#agent(row),
    );
  }

  push(chunk: Uint8Array): void {
    this.#rows.push(chunk);
  }

  finish(): readonly PlainFacts[] {
    this.#rows.finish();
    return [...this.#threads.values(), { ...noPlainFacts(this.#path), damaged: this.#rows.damaged }];
  }

  #thread(row: Fields): void {
    const id = text(row["id"]);
    if (id === undefined) return;
    const facts = noPlainFacts(this.#path);
    facts.session = id;
    facts.reported = {
      state: "settled_unverified",
      ...optional("model", text(row["model_override"])),
      ...optional("effort", text(row["reasoning_level_override"])),
    };
    const parent = text(row["parent_thread_id"]);
    const source = row["origin_kind"] === "fork" ? text(row["source_thread_id"]) : undefined;
    const startMs = epochMs(row["created_at"]);
    const lastAtMs = epochMs(row["updated_at"]);
    const cwd = text(row["path"]);
    if (parent !== undefined) facts.parent = parent;
    if (source !== undefined) facts.forkedFrom = source;
    if (startMs !== undefined) facts.startMs = startMs;
    if (lastAtMs !== undefined) facts.lastAtMs = lastAtMs;
    if (cwd !== undefined) facts.cwd = cwd;
    this.#threads.set(id, facts);
  }

  #agent(row: Fields): void {
    const facts = this.#threads.get(text(row["thread_id"]) ?? "");
    const session = text(row["session"]);
    if (facts !== undefined && session !== undefined) {
      facts.reported = { ...facts.reported, agentSession: session };
    }
  }
}
