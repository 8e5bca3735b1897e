import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { type Database, loadDriver } from "../../../src/adapters/store-sqlite/driver.ts";

type Cell = string | number | null | object;

/** Tables by name, rows as objects; cells that are objects are stored as JSON text, as the agents do. */
export type Tables = Readonly<Record<string, readonly Readonly<Record<string, Cell>>[]>>;

/** Writes a database as an agent keeps it. It stays open, with its journal, until the caller closes it. */
export function buildDatabase(path: string, tables: Tables): Database {
  const driver = loadDriver();
  if (!driver.ok) throw new Error(driver.problem.message);
  mkdirSync(dirname(path), { recursive: true });
  const database = driver.value(path, "read-write");
  database.exec("PRAGMA journal_mode = WAL");
  for (const [table, rows] of Object.entries(tables)) {
    const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    database.exec(`CREATE TABLE ${table} (${columns.join(", ")})`);
    for (const row of rows) insert(database, table, row);
  }
  return database;
}

export function insert(database: Database, table: string, row: Tables[string][number]): void {
  const columns = Object.keys(row);
  const values = Object.values(row).map((cell) =>
    typeof cell === "object" && cell !== null ? JSON.stringify(cell) : cell,
  );
  const places = columns.map(() => "?").join(", ");
  database.run(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places})`, ...values);
}
