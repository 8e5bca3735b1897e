import { ok } from "../../core/result.ts";
import { LOOP_RECORD_KINDS, type LoopRecord, type Store } from "../../ports/store.ts";
import { jsonObject, oneOf, type Row, text } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { SQL, selection } from "./statements.ts";

export function loopRecords(connection: Connection): Pick<Store, "changeLoopRecords" | "loopRecords"> {
  return {
    changeLoopRecords: ({ put = [], drop = [] }) =>
      connection.write("loop-records", (db) => {
        for (const { topLevel, loop, kind, key, part } of drop)
          db.run(SQL.dropLoopRecord, topLevel, loop, kind, key, part);
        for (const { topLevel, loop, kind, key, part, at, document } of put)
          db.run(SQL.putLoopRecord, topLevel, loop, kind, key, part, at, JSON.stringify(document));
        return ok(undefined);
      }),
    loopRecords: ({ topLevel, loop, kind }) =>
      connection.read((db) => {
        const { sql, params } = selection(SQL.loopRecords, SQL.loopRecordsNewestFirst, undefined, [
          ["top_level = ?", topLevel],
          ["loop = ?", loop],
          ["kind = ?", kind],
        ]);
        return db.all(sql, ...params).map(rowFrom);
      }),
  };
}

function rowFrom(row: Row): LoopRecord {
  return {
    topLevel: text(row, "top_level"),
    loop: text(row, "loop"),
    kind: oneOf(row, "kind", LOOP_RECORD_KINDS),
    key: text(row, "record_key"),
    part: text(row, "part"),
    at: text(row, "at"),
    document: jsonObject(row, "document"),
  };
}
