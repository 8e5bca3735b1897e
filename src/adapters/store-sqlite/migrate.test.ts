import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { must } from "../../core/result.ts";
import { type Database, loadDriver } from "./driver.ts";
import { type MigrationRoom, migrate, schemaVersion } from "./migrate.ts";
import { MIGRATIONS } from "./schema.ts";

const FIRST = "CREATE TABLE notes (body TEXT); INSERT INTO notes VALUES ('kept')";
const SECOND = "ALTER TABLE notes ADD COLUMN at TEXT";

function aDatabase(): { readonly db: Database; readonly room: MigrationRoom; readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "loopwright-migrate-"));
  const file = join(folder, "loopwright.db");
  const open = must(loadDriver());
  const db = open(file);
  db.exec("PRAGMA journal_mode = WAL");
  onTestFinished(() => {
    db.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { db, folder, room: { file, open, onWritePoint: () => undefined } };
}

describe("migrations", () => {
  test("a new database gets every step and no backup", () => {
    const { db, room, folder } = aDatabase();
    must(migrate(db, room, [FIRST, SECOND]));
    expect(schemaVersion(db)).toBe(2);
    expect({ ...db.get("SELECT * FROM notes") }).toEqual({ body: "kept", at: null });
    expect(readdirSync(folder).filter((name) => name.includes("bak"))).toEqual([]);
  });

  test("the released schema applies, and applying it again changes nothing", () => {
    const { db, room } = aDatabase();
    must(migrate(db, room));
    must(migrate(db, room));
    expect(schemaVersion(db)).toBe(MIGRATIONS.length);
  });

  test("a step that fails leaves nothing behind", () => {
    const { db, room } = aDatabase();
    must(migrate(db, room, [FIRST]));
    const broken = "CREATE TABLE half (n INTEGER); INSERT INTO nowhere VALUES (1)";
    expect(() => migrate(db, room, [FIRST, SECOND, broken])).toThrow("nowhere");
    expect(schemaVersion(db)).toBe(1);
    expect(db.get("SELECT name FROM sqlite_master WHERE name = 'half'")).toBeUndefined();
    expect({ ...db.get("SELECT * FROM notes") }).toEqual({ body: "kept" });
    must(migrate(db, room, [FIRST, SECOND]));
    expect(schemaVersion(db)).toBe(2);
  });

  test("a database with a schema is copied before it is migrated", () => {
    const { db, room } = aDatabase();
    must(migrate(db, room, [FIRST]));
    db.exec("INSERT INTO notes VALUES ('in the log only')");
    must(migrate(db, room, [FIRST, SECOND]));
    const backup = `${room.file}.v1.bak`;
    const copy = room.open(backup);
    onTestFinished(() => copy.close());
    expect(schemaVersion(copy)).toBe(1);
    expect(copy.all("SELECT body FROM notes").map((row) => row["body"])).toEqual(["kept", "in the log only"]);
    expect(existsSync(`${backup}.tmp`)).toBe(false);
    if (process.platform !== "win32") expect(statSync(backup).mode & 0o777).toBe(0o600);
  });

  test("a schema that is newer than the program is refused and left alone", () => {
    const { db, room } = aDatabase();
    must(migrate(db, room, [FIRST, SECOND]));
    expect(migrate(db, room, [FIRST])).toMatchObject({ ok: false, problem: { code: "store-newer" } });
    expect(schemaVersion(db)).toBe(2);
  });

  test("a program that waited while another one migrated does not migrate again", () => {
    const { db, room } = aDatabase();
    const other = room.open(room.file);
    onTestFinished(() => other.close());
    must(migrate(db, room, [FIRST]));
    must(migrate(other, room, [FIRST]));
    expect(db.all("SELECT * FROM notes")).toHaveLength(1);
  });
});
