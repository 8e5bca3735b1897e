import { canonicalJson } from "../../core/canonical-json.ts";
import type { AttemptId } from "../../core/ids.ts";
import { InvariantError, ok, type Result } from "../../core/result.ts";
import type { AttemptQueue, Claim, QueueRow, QueueState } from "../../ports/queue.ts";
import type { QueuedAttempt } from "../../ports/store.ts";
import {
  attemptId,
  DamagedRowError,
  digest,
  integer,
  jsonObject,
  optionalText,
  type Row,
  sessionId,
  text,
} from "./columns.ts";
import type { Connection } from "./connection.ts";
import type { Database } from "./driver.ts";
import { bestReadyAttempt, SQL } from "./statements.ts";

type ClaimRequest = Parameters<AttemptQueue["claim"]>[0];

/** The queue in the store's own tables. */
export function attemptQueue(connection: Connection): AttemptQueue {
  return {
    claim: (request) => claim(connection, request),
    heartbeat: ({ attempt, fence }, leaseUntil) =>
      connection.write("heartbeat", (db) => {
        const row = db.get(SQL.heartbeat, leaseUntil, attempt, fence);
        if (row === undefined) return ok("lost");
        return ok(integer(row, "cancel_requested") === 1 ? "canceled" : "ok");
      }),
    complete: ({ attempt, fence, assignment }, result) =>
      connection.write("complete", (db) =>
        ok(db.run(SQL.complete, canonicalJson(result), attempt, fence, assignment) === 1),
      ),
    cancel: (attempt) =>
      connection.write("cancel", (db) => {
        db.run(SQL.cancel, attempt);
        return ok(undefined);
      }),
    revoke: (attempt, fence) =>
      connection.write("revoke", (db) => ok(db.run(SQL.revoke, attempt, fence) === 1)),
    list: (session) => connection.read((db) => db.all(SQL.attempts, session).map(queueRowFrom)),
  };
}

/** Looks first without a lock, so that idle workers that poll do not stand in each other's way. */
async function claim(connection: Connection, request: ClaimRequest): Promise<Result<readonly Claim[]>> {
  if (request.max < 1 || request.capabilities.length === 0) return ok([]);
  const ready = await connection.read((db) => bestReady(db, request) !== undefined);
  if (!ready.ok) return ready;
  if (!ready.value) return ok([]);
  return connection.write("claim", (db) => {
    const claims: Claim[] = [];
    while (claims.length < request.max) {
      const attempt = bestReady(db, request);
      if (attempt === undefined) break;
      claims.push(claimFrom(db.get(SQL.claimAttempt, request.worker, request.leaseUntil, attempt) ?? {}));
    }
    return ok(claims);
  });
}

function bestReady(db: Database, { capabilities, session, now }: ClaimRequest): AttemptId | undefined {
  const sql = bestReadyAttempt(capabilities.length, session !== undefined);
  const row = db.get(sql, now, ...capabilities, ...(session === undefined ? [] : [session]));
  return row === undefined ? undefined : attemptId(row);
}

/** Part of `Store.append`. */
export function enqueueAttempt(db: Database, queued: QueuedAttempt): void {
  const { attempt, session, key, capability, priority, notBefore, assignment } = queued;
  if (db.get(SQL.attemptState, attempt)) throw new InvariantError(`attempt ${attempt} is queued already`);
  db.run(SQL.insertAttempt, attempt, session, key, capability, priority, notBefore, assignment);
  for (const needed of queued.dependsOn) db.run(SQL.insertNeed, attempt, needed);
}

/**
 * Part of `Store.append`. An attempt that is already forgotten may be acknowledged again.
 *
 * @throws InvariantError when it has not ended: forgetting it would free its key under a live worker.
 */
export function acknowledgeAttempt(db: Database, attempt: AttemptId): void {
  const row = db.get(SQL.attemptState, attempt);
  if (row === undefined) return;
  const state = queueState(row);
  if (state === "ready" || state === "claimed")
    throw new InvariantError(`attempt ${attempt} is still ${state}`);
  db.run(SQL.dropAttempt, attempt);
  db.run(SQL.dropNeeds, attempt);
}

function claimFrom(row: Row): Claim {
  return {
    attempt: attemptId(row),
    session: sessionId(row),
    worker: text(row, "worker"),
    fence: integer(row, "fence"),
    assignment: digest(row, "assignment"),
    leaseUntil: text(row, "lease_until"),
  };
}

function queueRowFrom(row: Row): QueueRow {
  const worker = optionalText(row, "worker");
  const leaseUntil = optionalText(row, "lease_until");
  return {
    attempt: attemptId(row),
    session: sessionId(row),
    key: text(row, "exclusive_key"),
    state: queueState(row),
    fence: integer(row, "fence"),
    ...(worker === undefined ? {} : { worker }),
    ...(leaseUntil === undefined ? {} : { leaseUntil }),
    cancelRequested: integer(row, "cancel_requested") === 1,
    ...(row["result"] === null ? {} : { result: jsonObject(row, "result") }),
  };
}

function queueState(row: Row): QueueState {
  const state = text(row, "state");
  if (state === "ready" || state === "claimed" || state === "settled" || state === "canceled") return state;
  throw new DamagedRowError(`an attempt has the state ${state}`);
}
