import { canonicalJson } from "../../core/canonical-json.ts";
import { EMPTY_CHAIN, extendChain } from "../../core/chain.ts";
import type { SessionId } from "../../core/ids.ts";
import { InvariantError, ok, type Result } from "../../core/result.ts";
import { instant } from "../../core/time.ts";
import type { Clock } from "../../ports/clock.ts";
import type {
  Append,
  ChainHead,
  SessionFilter,
  SessionSummary,
  Store,
  StoredEvent,
} from "../../ports/store.ts";
import { digest, integer, json, jsonObject, optionalText, type Row, sessionId, text } from "./columns.ts";
import { answerCommand } from "./commands.ts";
import type { Connection } from "./connection.ts";
import type { Database } from "./driver.ts";
import { writeLease } from "./leases.ts";
import { acknowledgeAttempt, enqueueAttempt } from "./queue.ts";
import { headMoved, noSuchSession, staleLease } from "./rules.ts";
import { SQL, selection } from "./statements.ts";

type Sessions = Pick<Store, "createSession" | "append" | "events" | "head" | "session" | "sessions">;
type Appended = { readonly head: ChainHead; readonly events: readonly StoredEvent[] };

export function sessions(connection: Connection, clock: Clock): Sessions {
  return {
    createSession: (session, topLevel, events, summary, lease) =>
      connection.write("create-session", (db) => {
        if (db.get(SQL.session, session)) throw new InvariantError(`session ${session} exists already`);
        const chain = extendChain(session, EMPTY_CHAIN, events);
        const head = headOf(chain);
        const number = integer(db.get(SQL.nextNumber, topLevel) ?? {}, "number");
        const createdAt = events[0]?.at ?? instant(clock.now());
        const row = {
          session,
          number,
          topLevel,
          ...summary,
          createdAt,
          updatedAt: events.at(-1)?.at ?? createdAt,
          head,
        };
        insertSession(db, row);
        insertEvents(db, chain);
        const granted = { session, ...lease, fence: 1 };
        writeLease(db, granted);
        return ok({ summary: sessionIn(db, session) ?? row, lease: granted });
      }),
    append: (append) => connection.write("append", (db) => appendTo(db, append)),
    events: (session, afterSeq, limit) =>
      connection.read((db) =>
        limit === undefined
          ? db.all(SQL.events, session, afterSeq).map(eventFrom)
          : db.all(`${SQL.events} LIMIT ?`, session, afterSeq, limit).map(eventFrom),
      ),
    head: async (session) => {
      const found = await connection.read((db) => sessionIn(db, session)?.head);
      if (!found.ok) return found;
      return found.value === undefined ? noSuchSession(session) : ok(found.value);
    },
    session: (session) => connection.read((db) => sessionIn(db, session)),
    sessions: (filter) => connection.read((db) => selectSessions(db, filter)),
  };
}

/** Everything that is checked is checked in the transaction that writes, so that no other writer comes between. */
function appendTo(db: Database, append: Append): Result<Appended> {
  const { session, fence, expectedHead, summary } = append;
  const point = db.get(SQL.appendPoint, session);
  if (point === undefined) return noSuchSession(session);
  if (point["fence"] !== fence || point["owner"] === null) return staleLease(session, fence);
  const found = headFrom(point);
  if (found.seq !== expectedHead.seq || found.hash !== expectedHead.hash) {
    return headMoved(session, expectedHead.seq, found.seq);
  }
  // An event without a head that knows of it was not written by this program.
  const lastSeq = integer(point, "last_seq");
  if (lastSeq !== found.seq) return headMoved(session, expectedHead.seq, lastSeq);
  const events = extendChain(session, found, append.events);
  const head = events.length === 0 ? found : headOf(events);
  insertEvents(db, events);
  db.run(
    SQL.updateSession,
    summary.title,
    summary.state,
    summary.outcome,
    events.at(-1)?.at ?? text(point, "updated_at"),
    // Of the state nothing is hashed, and it is written whole with each append: the plain writer is ten times quicker.
    JSON.stringify(summary.projection),
    head.seq,
    head.hash,
    session,
  );
  for (const attempt of append.acknowledge ?? []) acknowledgeAttempt(db, attempt);
  for (const attempt of append.enqueue ?? []) enqueueAttempt(db, attempt);
  for (const command of append.answered ?? []) answerCommand(db, session, command);
  return ok({ head, events });
}

function insertSession(db: Database, row: SessionSummary): void {
  db.run(
    SQL.insertSession,
    row.session,
    row.number,
    row.topLevel,
    row.title,
    row.state,
    row.outcome,
    row.createdAt,
    row.updatedAt,
    JSON.stringify(row.projection),
    row.head.seq,
    row.head.hash,
  );
}

function insertEvents(db: Database, events: readonly StoredEvent[]): void {
  for (const { session, seq, type, at, data, prev, hash } of events) {
    db.run(SQL.insertEvent, session, seq, type, at, canonicalJson(data), prev, hash);
  }
}

function selectSessions(db: Database, filter: SessionFilter): readonly SessionSummary[] {
  const { sql, params } = selection(SQL.sessions, SQL.sessionsNewestFirst, filter.limit, [
    ["top_level = ?", filter.topLevel],
    ["state", filter.states],
  ]);
  return db.all(sql, ...params).map(summaryFrom);
}

function sessionIn(db: Database, session: SessionId): SessionSummary | undefined {
  const row = db.get(SQL.session, session);
  return row === undefined ? undefined : summaryFrom(row);
}

function summaryFrom(row: Row): SessionSummary {
  const outcome = optionalText(row, "outcome");
  return {
    session: sessionId(row),
    number: integer(row, "number"),
    topLevel: text(row, "top_level"),
    title: text(row, "title"),
    state: text(row, "state"),
    ...(outcome === undefined ? {} : { outcome }),
    createdAt: text(row, "created_at"),
    updatedAt: text(row, "updated_at"),
    projection: json(row, "projection"),
    head: headFrom(row),
  };
}

function eventFrom(row: Row): StoredEvent {
  return {
    session: sessionId(row),
    seq: integer(row, "seq"),
    type: text(row, "type"),
    at: text(row, "at"),
    data: jsonObject(row, "data"),
    prev: digest(row, "prev"),
    hash: digest(row, "hash"),
  };
}

function headFrom(row: Row): ChainHead {
  return { seq: integer(row, "head_seq"), hash: digest(row, "head_hash") };
}

function headOf(chain: readonly StoredEvent[]): ChainHead {
  const last = chain.at(-1);
  return last === undefined ? EMPTY_CHAIN : { seq: last.seq, hash: last.hash };
}
