import { chmodSync, closeSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { ok, type Result } from "../../core/result.ts";
import { integer } from "./columns.ts";
import type { Database, OpenDatabase } from "./driver.ts";
import { syncFolder } from "./home.ts";
import { storeNewer } from "./problems.ts";
import { MIGRATIONS, type Migration } from "./schema.ts";
import type { WritePoint } from "./write-points.ts";

/** 0 for a database without tables. */
export function schemaVersion(db: Database): number {
  if (db.get("SELECT name FROM sqlite_master WHERE name = 'schema_version'") === undefined) return 0;
  const row = db.get("SELECT version FROM schema_version");
  return row === undefined ? 0 : integer(row, "version");
}

export interface MigrationRoom {
  readonly file: string;
  readonly open: OpenDatabase;
  readonly onWritePoint: (name: WritePoint) => void;
}

/**
 * Brings a database to the newest schema in one transaction: a migration that throws leaves nothing behind. A database
 * that has a schema already is first copied to `loopwright.db.v<version>.bak`. `store-newer` when it is ahead of us.
 *
 * @throws the driver's errors, busy ones too
 */
export function migrate(
  db: Database,
  room: MigrationRoom,
  migrations: readonly Migration[] = MIGRATIONS,
): Result<void> {
  const latest = migrations.length;
  const found = schemaVersion(db);
  if (found > latest) return storeNewer(room.file, found, latest);
  if (found === latest) return ok(undefined);
  db.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have migrated while this one waited for the lock.
    const version = schemaVersion(db);
    if (version > latest) {
      db.exec("ROLLBACK");
      return storeNewer(room.file, version, latest);
    }
    if (version > 0 && version < latest) backUp(room, version);
    apply(db, migrations.slice(version), latest);
    room.onWritePoint("migrate:before");
    db.exec("COMMIT");
  } catch (error) {
    rollBack(db);
    throw error;
  }
  room.onWritePoint("migrate:after");
  return ok(undefined);
}

/** Writes the newest schema into an empty database that nobody else sees. */
export function createSchema(db: Database): void {
  apply(db, MIGRATIONS, MIGRATIONS.length);
}

function apply(db: Database, steps: readonly Migration[], latest: number): void {
  for (const step of steps) {
    if (typeof step === "string") db.exec(step);
    else step(db);
  }
  db.exec("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)");
  db.exec("DELETE FROM schema_version");
  db.run("INSERT INTO schema_version (version) VALUES (?)", latest);
}

/** Through a second connection: the first holds the write lock, so the copy is what the migration starts from. */
function backUp(room: MigrationRoom, version: number): void {
  const target = `${room.file}.v${version}.bak`;
  const temporary = `${target}.tmp`;
  rmSync(temporary, { force: true });
  const reader = room.open(room.file);
  try {
    reader.run("VACUUM INTO ?", temporary);
  } finally {
    reader.close();
  }
  chmodSync(temporary, 0o600);
  const handle = openSync(temporary, "r+");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(temporary, target);
  syncFolder(dirname(target));
}

/** SQLite has rolled back by itself after some errors, and then says that there is no transaction. */
export function rollBack(db: Database): void {
  try {
    db.exec("ROLLBACK");
  } catch {
    // Already rolled back.
  }
}
