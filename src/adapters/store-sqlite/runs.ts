import { fail, ok } from "../../core/result.ts";
import type { RunFilter, RunList, RunRow, RunTotals, Store } from "../../ports/store.ts";
import { integer, oneOf, optionalText, type Row, sessionId, text } from "./columns.ts";
import type { Connection } from "./connection.ts";
import type { Database } from "./driver.ts";
import { type Condition, SQL, selection, whereOf } from "./statements.ts";

type Runs = Pick<
  Store,
  "putRun" | "runs" | "runTotals" | "runsOfCommit" | "run" | "runDocument" | "runDocuments"
>;

export function runs(connection: Connection): Runs {
  return {
    putRun: (row, document, { keys = NO_KEYS, expected } = {}) =>
      connection.write("run", (db) => {
        const revision = revisionOf(db, row.run);
        if (expected !== undefined && expected !== revision) return runMoved(row.run, expected, revision);
        db.run(SQL.putRun, ...columnsOf(row), revision + 1);
        db.run(SQL.putRunDocument, row.run, document);
        if (revision > 0) for (const drop of [SQL.dropRunCommits, SQL.dropRunLabels]) db.run(drop, row.run);
        for (const commit of keys.commits) db.run(SQL.putRunCommit, commit, row.run);
        for (const label of keys.labels) db.run(SQL.putRunLabel, label, row.run);
        return ok(undefined);
      }),
    runs: (list) =>
      connection.read((db) => {
        const { sql, params } = selection(SQL.runs, ORDERS[list.order ?? "started"], list.limit, [
          ...conditionsOf(list),
          ["(started_at, run) < (?, ?)", list.after && [list.after.startedAt, list.after.run]],
        ]);
        return db.all(sql, ...params).map(runFrom);
      }),
    runTotals: (filter) =>
      connection.read((db) => {
        const { sql, params } = whereOf(conditionsOf(filter));
        return totalsFrom(db.get(`${SQL.runTotals}${sql}`, ...params) ?? {});
      }),
    runsOfCommit: (commit) =>
      connection.read((db) => {
        const { sql, params } = commitQuery(commit.toLowerCase());
        return db.all(`${SQL.runs} WHERE run IN (${sql}) ${ORDERS.started}`, ...params).map(runFrom);
      }),
    run: (run) =>
      connection.read((db) => {
        const row = db.get(SQL.run, run);
        if (row === undefined) return undefined;
        return { row: runFrom(row), document: text(row, "document"), revision: integer(row, "revision") };
      }),
    runDocument: (run) => connection.read((db) => documentIn(db, run)),
    runDocuments: (runs) => connection.read((db) => runs.map((run) => documentIn(db, run))),
  };
}

function documentIn(db: Database, run: string): string | undefined {
  const row = db.get(SQL.runDocument, run);
  return row === undefined ? undefined : text(row, "document");
}

const NO_KEYS = { commits: [], labels: [] };
const ORDERS: Readonly<Record<NonNullable<RunList["order"]>, string>> = {
  started: "ORDER BY started_at DESC, run DESC",
  ended: "ORDER BY COALESCE(ended_at, '') DESC, run DESC",
  cost: "ORDER BY cost_micro_usd DESC, run DESC",
  attempts: "ORDER BY attempts DESC, run DESC",
};
const SHORTEST_COMMIT = 7;

export function runMoved(run: string, expected: number, found: number): ReturnType<typeof fail> {
  return fail("run-moved", `run ${run} was at revision ${expected} and is at ${found} now`, {
    hint: "somebody else changed it meanwhile; run the command again",
  });
}

/** 0 when there is none yet. */
function revisionOf(db: Database, run: string): number {
  const row = db.get(SQL.runRevision, run);
  return row === undefined ? 0 : integer(row, "revision");
}

/** Longer stored forms are a range of the index; shorter ones are the few prefixes. */
function commitQuery(commit: string): { readonly sql: string; readonly params: readonly string[] } {
  const exact = "SELECT run FROM run_commits WHERE commit_hash = ?";
  if (commit.length < SHORTEST_COMMIT) return { sql: exact, params: [commit] };
  const shorter = Array.from({ length: commit.length - SHORTEST_COMMIT }, (_, i) =>
    commit.slice(0, SHORTEST_COMMIT + i),
  );
  const prefixes = shorter.length === 0 ? "" : ` OR commit_hash IN (${shorter.map(() => "?").join(", ")})`;
  return {
    sql: `SELECT run FROM run_commits WHERE (commit_hash >= ? AND commit_hash < ?)${prefixes}`,
    params: [commit, `${commit}g`, ...shorter],
  };
}

function conditionsOf(filter: RunFilter): readonly Condition[] {
  return [
    ["state = ?", filter.state],
    ["origin = ?", filter.origin],
    ["outcome = ?", filter.outcome],
    ["configuration = ?", filter.configuration],
    ["source = ?", filter.source],
    ["task = ?", filter.task],
    ["task_type = ?", filter.taskType],
    ["repo = ?", filter.repo],
    ["base_commit = ?", filter.baseCommit],
    ["slate = ?", filter.slate],
    ["run IN (SELECT run FROM run_labels WHERE label = ?)", filter.label],
    ["started_at >= ?", filter.since],
    ["started_at < ?", filter.until],
  ];
}

function columnsOf(row: RunRow): readonly (string | number | undefined)[] {
  return [
    row.run,
    row.session,
    row.title,
    row.state,
    row.origin,
    row.startedAt,
    row.endedAt,
    row.outcome,
    row.configuration,
    row.source,
    row.task,
    row.taskType,
    row.repo,
    row.baseCommit,
    row.slate,
    row.costMicroUsd,
    row.costBasis,
    row.unknownCosts,
    row.attempts,
  ];
}

const OPTIONAL = {
  endedAt: "ended_at",
  configuration: "configuration",
  source: "source",
  task: "task",
  taskType: "task_type",
  repo: "repo",
  baseCommit: "base_commit",
  slate: "slate",
  costBasis: "cost_basis",
} as const;

function runFrom(row: Row): RunRow {
  const known: { [K in keyof typeof OPTIONAL]?: string } = {};
  for (const [name, column] of Object.entries(OPTIONAL)) {
    const value = optionalText(row, column);
    if (value !== undefined) Object.assign(known, { [name]: value });
  }
  return {
    run: text(row, "run"),
    ...(row["session"] === null ? {} : { session: sessionId(row) }),
    title: text(row, "title"),
    state: oneOf(row, "state", ["open", "finished"]),
    origin: oneOf(row, "origin", ["recorded", "imported"]),
    startedAt: text(row, "started_at"),
    outcome: text(row, "outcome"),
    ...known,
    costMicroUsd: integer(row, "cost_micro_usd"),
    unknownCosts: integer(row, "unknown_costs"),
    attempts: integer(row, "attempts"),
  };
}

function totalsFrom(row: Row): RunTotals {
  return {
    runs: integer(row, "runs"),
    costMicroUsd: integer(row, "cost_micro_usd"),
    unknownCosts: integer(row, "unknown_costs"),
    runsNotCosted: integer(row, "runs_not_costed"),
  };
}
