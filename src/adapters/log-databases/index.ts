import { basename } from "node:path";
import type { LogDatabase, LogSource } from "../../ports/log-source.ts";

/** A database that is open for reading. */
export interface OpenedDatabase {
  exec(sql: string): void;
  all(sql: string): readonly object[];
  close(): void;
}

/** Opens a database read-only; fails with an Error that says why when it cannot. */
export type OpenLogDatabase = (path: string) => Promise<OpenedDatabase>;

/** Log files, with the agents' databases among them read as lines: one row each. */
export function withDatabases(
  files: LogSource,
  known: readonly LogDatabase[],
  open: OpenLogDatabase,
): LogSource {
  const databaseAt = (path: string): LogDatabase | undefined =>
    path.endsWith(".jsonl") ? undefined : known.find(({ fileName }) => fileName.test(basename(path)));
  return {
    list: (trees) => files.list(trees),
    pour: (file, fromByte, into) => databaseAt(file.path) === undefined && files.pour(file, fromByte, into),
    read: (file, fromByte, toByte) => {
      const database = databaseAt(file.path);
      return database === undefined ? files.read(file, fromByte, toByte) : rowsOf(file.path, database, open);
    },
  };
}

/** Enough rows for one chunk. */
const ROWS = 500;

/** A database is always read whole: rows change in place, so there is no byte to go on from. */
async function* rowsOf(
  path: string,
  { queries }: LogDatabase,
  open: OpenLogDatabase,
): AsyncGenerator<Uint8Array> {
  const database = await open(path);
  try {
    database.exec("PRAGMA query_only = 1");
    for (const [table, sql] of Object.entries(queries)) {
      const rows = answer(database, sql);
      for (let i = 0; i < rows.length; i += ROWS) {
        const lines = rows.slice(i, i + ROWS).map((row) => JSON.stringify({ table, ...row }));
        yield Buffer.from(`${lines.join("\n")}\n`);
      }
    }
  } finally {
    database.close();
  }
}

function answer(database: OpenedDatabase, sql: string): readonly object[] {
  try {
    return database.all(sql);
  } catch (error) {
    return [{ problem: error instanceof Error ? error.message : String(error) }];
  }
}
