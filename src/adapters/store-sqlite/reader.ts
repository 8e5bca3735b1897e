import { statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { fail, InvariantError, ok, type Result } from "../../core/result.ts";
import { type Connection, type Patience, whileBusy } from "./connection.ts";
import type { Database, OpenDatabase } from "./driver.ts";
import { createSchema, schemaVersion } from "./migrate.ts";
import { isBusy, storeNewer } from "./problems.ts";
import { MIGRATIONS } from "./schema.ts";

/**
 * What the files look like from outside. `absent`: no store yet. `quiet`: no write-ahead log, so the main file holds
 * everything and nobody is writing. `live`: there is a log, which SQLite must read with it.
 */
interface Sight {
  readonly kind: "absent" | "quiet" | "live";
  readonly stamp: string;
}

/**
 * Reads without making a file and without a lock. A quiet database is opened as immutable; whether it was is proved
 * after each read by its stamp, and a read that a writer overtook is done again.
 */
export class Reader implements Connection {
  readonly file: string;
  readonly #open: OpenDatabase;
  readonly #patience: Patience;
  #current: { readonly db: Database; readonly sight: Sight } | undefined;

  constructor(file: string, open: OpenDatabase, patience: Patience) {
    this.file = file;
    this.#open = open;
    this.#patience = patience;
  }

  read<T>(work: (db: Database) => T): Promise<Result<T>> {
    return whileBusy(this.#patience, this.file, () => this.#settledRead(work));
  }

  async write(): Promise<never> {
    throw new InvariantError("the store was opened for reading");
  }

  async close(): Promise<void> {
    this.#current?.db.close();
    this.#current = undefined;
  }

  #settledRead<T>(work: (db: Database) => T): Result<T> {
    for (;;) {
      const current = this.#connect();
      if (!current.ok) return current;
      const { db, sight } = current.value;
      try {
        const value = work(db);
        if (this.#holds(sight)) return ok(value);
      } catch (error) {
        if (isBusy(error) || this.#holds(sight)) throw error;
      }
    }
  }

  #holds(sight: Sight): boolean {
    return sight.kind === "live" || sightOf(this.file).stamp === sight.stamp;
  }

  #connect(): Result<{ readonly db: Database; readonly sight: Sight }> {
    if (this.#current !== undefined && this.#holds(this.#current.sight)) return ok(this.#current);
    this.#current?.db.close();
    this.#current = undefined;
    const sight = sightOf(this.file);
    const db = openAs(sight, this.file, this.#open);
    const known = this.#knownSchema(db);
    if (!known.ok) {
      db.close();
      return known;
    }
    this.#current = { db, sight };
    return ok(this.#current);
  }

  #knownSchema(db: Database): Result<void> {
    const version = schemaVersion(db);
    if (version > MIGRATIONS.length) return storeNewer(this.file, version, MIGRATIONS.length);
    if (version === MIGRATIONS.length) return ok(undefined);
    return fail("store-older", `the store ${this.file} has the old schema version ${version}`, {
      hint: "any command that writes brings it up to date, with a copy of the old one beside it",
    });
  }
}

function openAs(sight: Sight, file: string, open: OpenDatabase): Database {
  if (sight.kind === "absent") {
    const db = open(":memory:");
    createSchema(db);
    return db;
  }
  return open(sight.kind === "live" ? file : `${pathToFileURL(file).href}?immutable=1`, "read-only");
}

function sightOf(file: string): Sight {
  const main = statSync(file, { bigint: true, throwIfNoEntry: false });
  if (main === undefined || main.size === 0n) return { kind: "absent", stamp: "" };
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
  if (log !== undefined && log.size > 0) return { kind: "live", stamp: "live" };
  return { kind: "quiet", stamp: `${main.ino} ${main.size} ${main.mtimeNs}` };
}
