import { InvariantError, ok, type Result } from "../../core/result.ts";
import { type Connection, type Patience, whileBusy } from "./connection.ts";
import type { Database } from "./driver.ts";
import { rollBack } from "./migrate.ts";
import { storeProblem } from "./problems.ts";
import type { WriteName, WritePoint } from "./write-points.ts";

/** A write that waits for its transaction. `run` gives what to tell the caller once the commit is known. */
interface Job {
  readonly name: WriteName;
  readonly run: (db: Database) => Settle;
  readonly refuse: (problem: Result<never>) => void;
  readonly reject: (error: unknown) => void;
}
type Settle = () => void;

export interface WriterOptions extends Patience {
  readonly onWritePoint: (name: WritePoint) => void;
}

/** The log is folded into the main file after a quiet second, so that it stays short without slowing a commit. */
const IDLE_BEFORE_CHECKPOINT_MS = 1000;

/**
 * The one writing connection of a process. Writes asked for in the same turn of the event loop share a transaction
 * and its sync; each is a savepoint of its own in it, so that a refused one leaves nothing of itself.
 */
export class Writer implements Connection {
  readonly file: string;
  readonly #db: Database;
  readonly #options: WriterOptions;
  #waiting: Job[] = [];
  #draining: Promise<void> | undefined;
  #closed = false;
  #checkpoint: NodeJS.Timeout | undefined;

  constructor(file: string, db: Database, options: WriterOptions) {
    this.file = file;
    this.#db = db;
    this.#options = options;
  }

  async read<T>(work: (db: Database) => T): Promise<Result<T>> {
    return whileBusy(this.#options, this.file, () => ok(work(this.#open())));
  }

  write<T>(name: WriteName, work: (db: Database) => Result<T>): Promise<Result<T>> {
    this.#open();
    return new Promise((resolve, reject) => {
      this.#waiting.push({
        name,
        run: (db) => settle(inSavepoint(db, this.file, work), resolve, reject),
        refuse: resolve,
        reject,
      });
      this.#draining ??= this.#drain();
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#draining;
    clearTimeout(this.#checkpoint);
    // The packaged driver leaves a closed connection to the garbage collector, so SQLite itself does not do this.
    this.#foldLog("TRUNCATE");
    this.#db.close();
  }

  #open(): Database {
    if (this.#closed) throw new InvariantError("the store is closed");
    return this.#db;
  }

  async #drain(): Promise<void> {
    clearTimeout(this.#checkpoint);
    while (this.#waiting.length > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      const begun = await whileBusy(this.#options, this.file, () =>
        ok(this.#db.exec("BEGIN IMMEDIATE")),
      ).catch((bug: unknown) => ({ bug }));
      const batch = this.#waiting;
      this.#waiting = [];
      for (const tell of this.#outcomes(batch, begun)) tell();
    }
    this.#draining = undefined;
    if (!this.#closed)
      this.#checkpoint = setTimeout(() => this.#foldLog("PASSIVE"), IDLE_BEFORE_CHECKPOINT_MS).unref();
  }

  #outcomes(batch: readonly Job[], begun: Result<void> | { readonly bug: unknown }): readonly Settle[] {
    if ("bug" in begun) return batch.map((job) => () => job.reject(begun.bug));
    if (!begun.ok) return batch.map((job) => () => job.refuse(begun));
    try {
      return this.#commit(batch);
    } catch (error) {
      rollBack(this.#db);
      const outcome = explain<never>(error, this.file);
      return batch.map((job) => settle(outcome, job.refuse, job.reject));
    }
  }

  #commit(batch: readonly Job[]): readonly Settle[] {
    const names = [...new Set(batch.map((job) => job.name))];
    const settles = batch.map((job) => job.run(this.#db));
    for (const name of names) this.#options.onWritePoint(`${name}:before`);
    this.#db.exec("COMMIT");
    for (const name of names) this.#options.onWritePoint(`${name}:after`);
    return settles;
  }

  #foldLog(mode: "PASSIVE" | "TRUNCATE"): void {
    try {
      this.#db.exec(`PRAGMA wal_checkpoint(${mode})`);
    } catch {
      // The next write meets the same trouble, and has somebody to report it to.
    }
  }
}

type Outcome<T> = Result<T> | { readonly bug: unknown };

/** @throws what `work` threw when SQLite has given up the whole transaction with it */
function inSavepoint<T>(db: Database, file: string, work: (db: Database) => Result<T>): Outcome<T> {
  // Prepared once: with thousands of jobs in a transaction, compiling these words costs more than the rows.
  db.run("SAVEPOINT job");
  try {
    const result = work(db);
    if (!result.ok) db.exec("ROLLBACK TO job");
    db.run("RELEASE job");
    return result;
  } catch (error) {
    undoSavepoint(db, error);
    return explain(error, file);
  }
}

function undoSavepoint(db: Database, reason: unknown): void {
  try {
    db.exec("ROLLBACK TO job");
    db.exec("RELEASE job");
  } catch {
    throw reason;
  }
}

function explain<T>(error: unknown, file: string): Outcome<T> {
  try {
    return storeProblem(error, file);
  } catch (bug) {
    return { bug };
  }
}

function settle<T>(
  outcome: Outcome<T>,
  resolve: (result: Result<T>) => void,
  reject: (error: unknown) => void,
): Settle {
  return "bug" in outcome ? () => reject(outcome.bug) : () => resolve(outcome);
}
