import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fail, ok, type Result } from "../../core/result.ts";
import { isRow, type Row } from "./columns.ts";

export type Param = string | number | boolean | null | undefined;

interface NativeStatement {
  run(...params: readonly (string | number | null)[]): { readonly changes: number | bigint };
  get(...params: readonly (string | number | null)[]): unknown;
  all(...params: readonly (string | number | null)[]): readonly unknown[];
}
interface NativeDatabase {
  exec(sql: string): void;
  prepare(sql: string): NativeStatement;
  close(): void;
}
interface Driver {
  readonly DatabaseSync: new (path: string, options?: { readonly readOnly?: boolean }) => NativeDatabase;
}

/** How long SQLite itself may wait for a lock: it blocks the event loop meanwhile. */
const BUSY_TIMEOUT_MS = 50;

/** One connection. Statements are prepared once; errors are those of the driver (see problems.ts). */
export class Database {
  readonly #native: NativeDatabase;
  readonly #statements = new Map<string, NativeStatement>();

  constructor(native: NativeDatabase) {
    this.#native = native;
    native.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }

  exec(sql: string): void {
    this.#native.exec(sql);
  }

  /** How many rows changed. */
  run(sql: string, ...params: readonly Param[]): number {
    return Number(this.#prepare(sql).run(...params.map(bindable)).changes);
  }

  get(sql: string, ...params: readonly Param[]): Row | undefined {
    const row = this.#prepare(sql).get(...params.map(bindable));
    return isRow(row) ? row : undefined;
  }

  all(sql: string, ...params: readonly Param[]): readonly Row[] {
    return this.#prepare(sql)
      .all(...params.map(bindable))
      .filter(isRow);
  }

  close(): void {
    this.#native.close();
  }

  #prepare(sql: string): NativeStatement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#native.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/** The drivers disagree about booleans and refuse undefined, so neither reaches them. */
function bindable(param: Param): string | number | null {
  return typeof param === "boolean" ? Number(param) : (param ?? null);
}

export type OpenDatabase = (path: string, mode?: "read-write" | "read-only") => Database;

/** Node's own SQLite where it has one, else the prebuilt package; `store-unusable` when neither is there. */
export function loadDriver(load: (name: string) => unknown = requireQuickly): Result<OpenDatabase> {
  const causes: string[] = [];
  for (const name of ["node:sqlite", "@photostructure/sqlite"]) {
    try {
      const driver = withoutSqliteWarning(() => load(name));
      if (isDriver(driver)) {
        return ok(
          (path, mode) => new Database(new driver.DatabaseSync(path, { readOnly: mode === "read-only" })),
        );
      }
    } catch (error) {
      causes.push(
        `${name}: ${error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error)}`,
      );
    }
  }
  return fail("store-unusable", "there is no SQLite driver for this Node", {
    hint: "use Node 22.13 or newer, or install the driver: `npm install @photostructure/sqlite@1.2.1`",
    cause: causes.join("; "),
  });
}

/** By name Node 20 first loads its reader of `exports` maps, which takes longer than the package itself. */
function requireQuickly(name: string): unknown {
  const load = createRequire(import.meta.url);
  const files = (load.resolve.paths(name) ?? []).map((folder) => join(folder, name, "dist/index.cjs"));
  return load(files.find((file) => existsSync(file)) ?? name);
}

function isDriver(loaded: unknown): loaded is Driver {
  return (
    typeof loaded === "object" &&
    loaded !== null &&
    "DatabaseSync" in loaded &&
    typeof loaded.DatabaseSync === "function"
  );
}

/** Node 22 warns once when `node:sqlite` is loaded; that one line is noise on stderr, other warnings pass. */
function withoutSqliteWarning<T>(load: () => T): T {
  const original = process.emitWarning;
  process.emitWarning = (warning: string | Error, ...rest: readonly unknown[]) => {
    if (!String(warning).includes("SQLite is an experimental feature")) {
      Reflect.apply(original, process, [warning, ...rest]);
    }
  };
  try {
    return load();
  } finally {
    process.emitWarning = original;
  }
}
