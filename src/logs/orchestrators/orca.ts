import type { LogDatabase, LogTree } from "../../ports/log-source.ts";
import type { WorkState } from "../call.ts";
import type { LogEnvironment } from "../environment.ts";
import { epochMs, type Fields, fields, optional, parseFields, text } from "../fields.ts";
import { noPlainFacts, type PlainFacts } from "../plain-calls.ts";
import { TableRows } from "../table-rows.ts";

/** What orca keeps of tasks and of the workers it sent; specifications, results and messages are left alone. */
export const ORCA_DATABASE: LogDatabase = {
  fileName: /^orchestration\.db$/,
  queries: {
    task: "select id, parent_id from tasks",
    worker: `select w.dispatch_id, w.state, w.worktree_id, w.start_options, w.created_at, w.updated_at, d.task_id, d.run_id
      from worker_dispatches w join dispatch_contexts d on d.id = w.dispatch_id order by w.created_at, w.dispatch_id`,
  },
};

export function orcaTrees(env: LogEnvironment): LogTree[] {
  const root = `${env.homeDir}/Library/Application Support/orca`;
  return [{ root, wants: (path) => path === "orchestration.db" || path === "orchestration.db-wal" }];
}

const STATES: ReadonlyMap<string, WorkState> = new Map([
  ["starting", "working"],
  ["ready", "working"],
  ["start_unknown", "working"],
  ["stopping", "working"],
  ["stop_unknown", "working"],
  ["failed", "failed"],
  ["succeeded", "done"],
  ["stopped", "canceled"],
  ["abandoned", "settled_unverified"],
]);

/** One session for each worker that was sent; the first worker of the parent task is its parent. */
export class OrcaParser {
  readonly #path: string;
  readonly #rows: TableRows;
  readonly #parents = new Map<string, string>();
  readonly #workers: PlainFacts[] = [];
  #unknown = 0;

  constructor(path: string) {
    this.#path = path;
    this.#rows = new TableRows(path, (table, row) =>
      table === "task" ? this.#task(row) : this.#worker(row),
    );
  }

  push(chunk: Uint8Array): void {
    this.#rows.push(chunk);
  }

  finish(): readonly PlainFacts[] {
    this.#rows.finish();
    const first = new Map<string, string>();
    for (const { reported, session = "" } of this.#workers) {
      const task = reported?.task ?? "";
      if (!first.has(task)) first.set(task, session);
    }
    for (const worker of this.#workers) {
      const parent = first.get(this.#parents.get(worker.reported?.task ?? "") ?? "");
      if (parent !== undefined) worker.parent = parent;
    }
    return [...this.#workers, { ...noPlainFacts(this.#path), damaged: this.#rows.damaged }];
  }

  #task(row: Fields): void {
    const [id, parent] = [text(row["id"]), text(row["parent_id"])];
    if (id !== undefined && parent !== undefined) this.#parents.set(id, parent);
  }

  #worker(row: Fields): void {
    const id = text(row["dispatch_id"]);
    const state = STATES.get(text(row["state"]) ?? "");
    if (id === undefined || state === undefined) {
      this.#unknown += 1;
      this.#rows.damage(this.#unknown, `worker ${String(id)} has an unknown state`);
      return;
    }
    const facts = noPlainFacts(this.#path);
    facts.session = id;
    facts.reported = {
      state,
      ...optional("task", text(row["task_id"])),
      ...optional("run", text(row["run_id"])),
      ...startOptions(row["start_options"]),
    };
    const startMs = epochMs(row["created_at"]);
    const lastAtMs = epochMs(row["updated_at"]);
    const place = text(row["worktree_id"]);
    if (startMs !== undefined) facts.startMs = startMs;
    if (lastAtMs !== undefined) facts.lastAtMs = lastAtMs;
    if (place !== undefined) facts.cwd = place;
    this.#workers.push(facts);
  }
}

/** What took effect, else what was asked for. */
function startOptions(
  stored: unknown,
): Pick<NonNullable<PlainFacts["reported"]>, "harness" | "model" | "effort"> {
  const parsed = typeof stored === "string" ? parseFields(stored) : undefined;
  if (parsed === undefined || parsed === "broken") return {};
  const effective = fields(fields(parsed["launch"])?.["effective"]);
  const said = (key: string): string | undefined => text(effective?.[key]) ?? text(parsed[key]);
  return {
    ...optional("harness", said("agent")),
    ...optional("model", said("model")),
    ...optional("effort", said("effort")),
  };
}
