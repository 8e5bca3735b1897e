import { fail, ok, type Result } from "../../core/result.ts";
import { type Connection, whileBusy } from "./connection.ts";
import type { Database, OpenDatabase } from "./driver.ts";
import { databaseFile, prepareHome } from "./home.ts";
import { migrate } from "./migrate.ts";
import { Writer, type WriterOptions } from "./writer.ts";

/** Opens the database of a home for writing, with folders, file and newest schema in place. */
export async function openWriter(
  home: string,
  open: OpenDatabase,
  options: WriterOptions,
): Promise<Result<Connection>> {
  const ready = prepareHome(home);
  if (!ready.ok) return ready;
  const file = databaseFile(home);
  let db: Database | undefined;
  const opened = await whileBusy(options, file, () => {
    db ??= open(file);
    const durable = makeDurable(db, file);
    if (!durable.ok) return durable;
    const current = migrate(db, { file, open, onWritePoint: options.onWritePoint });
    return current.ok ? ok(db) : current;
  });
  if (opened.ok) return ok(new Writer(file, opened.value, options));
  db?.close();
  return opened;
}

/** A write-ahead log that is synced at each commit: readers and a writer do not wait for each other. */
function makeDurable(db: Database, file: string): Result<void> {
  const mode = db.get("PRAGMA journal_mode = WAL")?.["journal_mode"];
  db.exec("PRAGMA synchronous = FULL");
  // What takes back one of several writes that share a transaction; else each of them goes through a file.
  db.exec("PRAGMA temp_store = MEMORY");
  if (mode === "wal") return ok(undefined);
  return fail(
    "store-unusable",
    `the store ${file} is on a file system without shared memory (mode ${String(mode)})`,
    {
      hint: "choose a folder on a local disk with LOOPWRIGHT_HOME",
    },
  );
}
