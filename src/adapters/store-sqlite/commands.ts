import { canonicalJson } from "../../core/canonical-json.ts";
import type { SessionId } from "../../core/ids.ts";
import { InvariantError, ok } from "../../core/result.ts";
import type { InboxCommand, Store } from "../../ports/store.ts";
import { jsonObject, type Row, sessionId, text } from "./columns.ts";
import type { Connection } from "./connection.ts";
import type { Database } from "./driver.ts";
import { noSuchSession } from "./rules.ts";
import { SQL } from "./statements.ts";

/** Commands stay after they are answered, so that one that is submitted again is not carried out again. */
export function commands(connection: Connection): Pick<Store, "submitCommand" | "pendingCommands"> {
  return {
    submitCommand: ({ id, session, kind, payload, at }) =>
      connection.write("command", (db) => {
        if (db.get(SQL.session, session) === undefined) return noSuchSession(session);
        db.run(SQL.insertCommand, id, session, kind, canonicalJson(payload), at);
        return ok(undefined);
      }),
    pendingCommands: (session) =>
      connection.read((db) => db.all(SQL.pendingCommands, session).map(commandFrom)),
  };
}

/** @throws InvariantError when the command is not pending: answering twice would carry it out twice. */
export function answerCommand(db: Database, session: SessionId, id: string): void {
  if (db.run(SQL.answerCommand, id, session) === 0) {
    throw new InvariantError(`command ${id} is not pending in session ${session}`);
  }
}

function commandFrom(row: Row): InboxCommand {
  return {
    id: text(row, "id"),
    session: sessionId(row),
    kind: text(row, "kind"),
    payload: jsonObject(row, "payload"),
    at: text(row, "at"),
  };
}
