import { ok } from "../../core/result.ts";
import type { RunRow, Store } from "../../ports/store.ts";
import { integer, optionalText, type Row, runId, sessionId, text } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { SQL, selection } from "./statements.ts";

export function runs(connection: Connection): Pick<Store, "putRun" | "runs" | "runDocument"> {
  return {
    putRun: (row, document) =>
      connection.write("run", (db) => {
        db.run(
          SQL.putRun,
          row.run,
          row.session,
          row.title,
          row.startedAt,
          row.endedAt,
          row.outcome,
          row.configuration,
          row.repo,
          row.taskType,
          row.costMicroUsd,
          row.costBasis,
          row.unknownCosts,
          row.attempts,
          document,
        );
        return ok(undefined);
      }),
    runs: (filter) =>
      connection.read((db) => {
        const { sql, params } = selection(SQL.runs, SQL.runsNewestFirst, filter.limit, [
          ["outcome = ?", filter.outcome],
          ["started_at >= ?", filter.since],
          ["repo = ?", filter.repo],
        ]);
        return db.all(sql, ...params).map(runFrom);
      }),
    runDocument: (run) =>
      connection.read((db) => {
        const row = db.get(SQL.runDocument, run);
        return row === undefined ? undefined : text(row, "document");
      }),
  };
}

function runFrom(row: Row): RunRow {
  const endedAt = optionalText(row, "ended_at");
  const configuration = optionalText(row, "configuration");
  const repo = optionalText(row, "repo");
  const taskType = optionalText(row, "task_type");
  const costBasis = optionalText(row, "cost_basis");
  return {
    run: runId(row),
    ...(row["session"] === null ? {} : { session: sessionId(row) }),
    title: text(row, "title"),
    startedAt: text(row, "started_at"),
    ...(endedAt === undefined ? {} : { endedAt }),
    outcome: text(row, "outcome"),
    ...(configuration === undefined ? {} : { configuration }),
    ...(repo === undefined ? {} : { repo }),
    ...(taskType === undefined ? {} : { taskType }),
    costMicroUsd: integer(row, "cost_micro_usd"),
    ...(costBasis === undefined ? {} : { costBasis }),
    unknownCosts: integer(row, "unknown_costs"),
    attempts: integer(row, "attempts"),
  };
}
