import type { LogDatabase, LogTree } from "../../ports/log-source.ts";
import type { LogEnvironment } from "../environment.ts";
import { epochMs, type Fields, text } from "../fields.ts";
import { noPlainFacts, type PlainFacts } from "../plain-calls.ts";
import { TableRows } from "../table-rows.ts";

/** Which agent session worked in which workspace, and when; nothing else is kept in a stable form. */
export const ATRIUM_DATABASE: LogDatabase = {
  fileName: /^tasks\.db$/,
  queries: {
    segment: `select workspace_id, started_at, ended_at, adapter_session_id from task_run_segments
      where adapter_session_id is not null order by started_at, id`,
  },
};

export function atriumTrees(env: LogEnvironment): LogTree[] {
  return [
    { root: `${env.homeDir}/.atrium`, wants: (path) => path === "tasks.db" || path === "tasks.db-wal" },
  ];
}

/** One session for each workspace: its id is the only one that atrium keeps. */
export class AtriumParser {
  readonly #path: string;
  readonly #rows: TableRows;
  readonly #workspaces = new Map<string, PlainFacts>();
  readonly #agents = new Map<string, Set<string>>();

  constructor(path: string) {
    this.#path = path;
    this.#rows = new TableRows(path, (_, row) => this.#segment(row));
  }

  push(chunk: Uint8Array): void {
    this.#rows.push(chunk);
  }

  finish(): readonly PlainFacts[] {
    this.#rows.finish();
    for (const [id, facts] of this.#workspaces) {
      const [only, ...others] = this.#agents.get(id) ?? [];
      const isOne = only !== undefined && others.length === 0;
      facts.reported = { state: "settled_unverified", ...(isOne ? { agentSession: only } : {}) };
    }
    return [...this.#workspaces.values(), { ...noPlainFacts(this.#path), damaged: this.#rows.damaged }];
  }

  #segment(row: Fields): void {
    const id = text(row["workspace_id"]);
    const agent = text(row["adapter_session_id"]);
    if (id === undefined || agent === undefined) return;
    const facts = this.#workspaces.get(id) ?? noPlainFacts(this.#path);
    facts.session = id;
    this.#workspaces.set(id, facts);
    this.#agents.set(id, (this.#agents.get(id) ?? new Set()).add(agent));
    const times = [row["started_at"], row["ended_at"]].flatMap((at) => epochMs(at) ?? []);
    const [first] = times;
    if (first !== undefined) facts.startMs = Math.min(facts.startMs ?? first, first);
    const last = times.at(-1);
    if (last !== undefined) facts.lastAtMs = Math.max(facts.lastAtMs ?? last, last);
  }
}
