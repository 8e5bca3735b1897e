import { canonicalJson } from "../../core/canonical-json.ts";
import type { SessionId } from "../../core/ids.ts";
import { ok } from "../../core/result.ts";
import type { LeaseHolder, SessionLease, Store } from "../../ports/store.ts";
import { integer, leaseHolder, optionalText, type Row, sessionId, text } from "./columns.ts";
import type { Connection } from "./connection.ts";
import type { Database } from "./driver.ts";
import { checkoutBusy, grantLease, type LeaseRecord, noSuchSession } from "./rules.ts";
import { SQL } from "./statements.ts";

type Leases = Pick<
  Store,
  | "acquireLease"
  | "lease"
  | "renewLease"
  | "releaseLease"
  | "lockCheckout"
  | "unlockCheckout"
  | "checkoutLock"
>;

export function leases(connection: Connection): Leases {
  return {
    acquireLease: (session, request, now, allowTakeover) =>
      connection.write("lease", (db) => {
        if (db.get(SQL.session, session) === undefined) return noSuchSession(session);
        const granted = grantLease(session, leaseRecord(db, session), request, now, allowTakeover);
        if (granted.ok) writeLease(db, granted.value);
        return granted;
      }),
    lease: (session) => connection.read((db) => leaseRecord(db, session).held),
    renewLease: (session, fence, expiresAt) =>
      connection.write("lease", (db) =>
        ok(db.run(SQL.renewLease, expiresAt, session, fence) === 1 ? "renewed" : "lost"),
      ),
    releaseLease: (session, fence) =>
      connection.write("lease", (db) => {
        db.run(SQL.releaseLease, session, fence);
        return ok(undefined);
      }),
    lockCheckout: (realPath, session, holder) =>
      connection.write("checkout", (db) => {
        const lock = checkoutIn(db, realPath);
        if (lock !== undefined && lock.session !== session)
          return checkoutBusy(realPath, lock.session, lock.holder);
        db.run(SQL.putCheckout, realPath, session, holderText(holder));
        return ok(undefined);
      }),
    unlockCheckout: (realPath, session) =>
      connection.write("checkout", (db) => {
        db.run(SQL.dropCheckout, realPath, session);
        return ok(undefined);
      }),
    checkoutLock: (realPath) => connection.read((db) => checkoutIn(db, realPath)),
  };
}

export function writeLease(db: Database, lease: SessionLease): void {
  db.run(SQL.putLease, lease.session, lease.fence, lease.owner, lease.expiresAt, holderText(lease.holder));
}

function leaseRecord(db: Database, session: SessionId): LeaseRecord {
  const row = db.get(SQL.lease, session);
  if (row === undefined) return { fence: 0 };
  const fence = integer(row, "fence");
  const owner = optionalText(row, "owner");
  return owner === undefined ? { fence } : { fence, held: leaseFrom(row, owner) };
}

function leaseFrom(row: Row, owner: string): SessionLease {
  return {
    session: sessionId(row),
    owner,
    fence: integer(row, "fence"),
    expiresAt: text(row, "expires_at"),
    holder: leaseHolder(row),
  };
}

function checkoutIn(db: Database, realPath: string): { session: SessionId; holder: LeaseHolder } | undefined {
  const row = db.get(SQL.checkout, realPath);
  return row === undefined ? undefined : { session: sessionId(row), holder: leaseHolder(row) };
}

function holderText(holder: LeaseHolder): string {
  return canonicalJson({ ...holder });
}
