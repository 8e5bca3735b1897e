import { ok } from "../../core/result.ts";
import type { RecommendationRow, Store } from "../../ports/store.ts";
import { optionalText, type Row, text } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { SQL, selection } from "./statements.ts";

type Recommendations = Pick<
  Store,
  "putRecommendation" | "recommendations" | "recommendation" | "recommendationOf"
>;

export function recommendations(connection: Connection): Recommendations {
  const document = (sql: string, key: string) =>
    connection.read((db) => {
      const row = db.get(sql, key);
      return row === undefined ? undefined : text(row, "document");
    });
  return {
    putRecommendation: ({ recommendation, at, taskType, repo, pick }, written, configurations) =>
      connection.write("recommendation", (db) => {
        db.run(SQL.putRecommendation, recommendation, at, taskType, repo, pick, written);
        for (const one of new Set(configurations)) db.run(SQL.putRecommended, one, recommendation);
        return ok(undefined);
      }),
    recommendations: (limit) =>
      connection.read((db) => {
        const { sql, params } = selection(SQL.recommendations, SQL.recommendationsNewestFirst, limit, []);
        return db.all(sql, ...params).map(rowFrom);
      }),
    recommendation: (id) => document(SQL.recommendation, id),
    recommendationOf: (configuration) => document(SQL.recommendationOf, configuration),
  };
}

function rowFrom(row: Row): RecommendationRow {
  const repo = optionalText(row, "repo");
  return {
    recommendation: text(row, "recommendation"),
    at: text(row, "at"),
    taskType: text(row, "task_type"),
    ...(repo !== undefined && { repo }),
    pick: text(row, "pick"),
  };
}
