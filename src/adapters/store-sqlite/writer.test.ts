import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  aNote,
  anAppend,
  aSummary,
  codeOf,
  HOLDER,
  rawDatabase,
  realClock,
  sessionId,
  sqliteStore,
  temporaryHome,
} from "../../../test/contract/store-fixtures.ts";
import { fail, must, ok } from "../../core/result.ts";
import { type Database, loadDriver } from "./driver.ts";
import { assemble } from "./index.ts";
import { openWriter } from "./open-writer.ts";
import { Writer } from "./writer.ts";

describe("writing", () => {
  test("writes of one turn share a commit", async () => {
    const home = temporaryHome();
    const points: string[] = [];
    const opened = await sqliteStore(home, { onWritePoint: (name) => void points.push(name) });
    const nexts = await Promise.all(Array.from({ length: 100 }, (_, n) => anAppend(opened, sessionId(n))));
    must(await opened.store.lockCheckout("/repo", sessionId(1), HOLDER));
    const results = await Promise.all(nexts.map((next) => opened.store.append(next)));
    expect(results.every((result) => result.ok)).toBe(true);
    expect(points).toEqual([
      ...["migrate:before", "migrate:after", "create-session:before", "create-session:after"],
      ...["checkout:before", "checkout:after", "append:before", "append:after"],
    ]);
  });

  test("a write that is refused after it has written leaves nothing, whatever shares its commit", async () => {
    const home = temporaryHome();
    await anAppend(await sqliteStore(home));
    const options = { clock: realClock, lockWaitMs: 0, onWritePoint: () => undefined };
    const writer = new Writer(join(home, "loopwright.db"), rawDatabase(home), options);
    const rename = (title: string) => (db: Database) => void db.run("UPDATE sessions SET title = ?", title);
    const first = writer.write("run", (db) => ok(rename("kept")(db)));
    const refused = writer.write("run", (db) => {
      rename("refused")(db);
      return fail("bad-input", "refused");
    });
    const broken = writer.write("run", (db) => {
      rename("broken")(db);
      throw new TypeError("broken");
    });
    expect(codeOf(await refused)).toBe("bad-input");
    await expect(broken).rejects.toThrow("broken");
    expect((await first).ok).toBe(true);
    expect(must(await writer.read((db) => db.get("SELECT title FROM sessions")?.["title"]))).toBe("kept");
  });

  test("a commit is synced to the disk before it is acknowledged", async () => {
    const options = { clock: realClock, lockWaitMs: 0, onWritePoint: () => undefined };
    const writer = must(await openWriter(temporaryHome(), must(loadDriver()), options));
    onTestFinished(() => writer.close());
    const settings = await writer.read((db) => [
      { ...db.get("PRAGMA journal_mode") },
      // 2 is FULL: the log is synced at each commit.
      { ...db.get("PRAGMA synchronous") },
    ]);
    expect(must(settings)).toEqual([{ journal_mode: "wal" }, { synchronous: 2 }]);
  });

  test("a full disk is reported, leaves the store as it was, and is over when there is room", async () => {
    const home = temporaryHome();
    await anAppend(await sqliteStore(home));
    const db = rawDatabase(home);
    db.exec("PRAGMA synchronous = FULL");
    const pages = Number(db.get("PRAGMA page_count")?.["page_count"]);
    db.exec(`PRAGMA max_page_count = ${pages + 2}`);
    const writer = new Writer(join(home, "loopwright.db"), db, {
      clock: realClock,
      lockWaitMs: 0,
      onWritePoint: () => undefined,
    });
    const { store } = assemble(writer, home, realClock, () => undefined);
    const head = must(await store.head(sessionId(1)));
    const big = Array.from({ length: 200 }, (_, n) => aNote(n, "x".repeat(500)));
    const append = {
      session: sessionId(1),
      fence: 1,
      expectedHead: head,
      events: big,
      summary: { ...aSummary(), title: "big" },
    };
    expect(codeOf(await store.append(append))).toBe("store-full");
    expect(must(await store.events(sessionId(1), 0))).toHaveLength(1);
    expect(must(await store.session(sessionId(1)))?.title).toBe(aSummary().title);
    must(await store.append({ ...append, events: [aNote(1, "")] }));
    db.exec(`PRAGMA max_page_count = ${pages + 1000}`);
    must(await store.append({ ...append, expectedHead: must(await store.head(sessionId(1))) }));
    expect(must(await store.events(sessionId(1), 0))).toHaveLength(202);
  });

  test("a lock that stays is reported, one that ends in time is waited for", async () => {
    const home = temporaryHome();
    const opened = await sqliteStore(home, { lockWaitMs: 200 });
    const next = await anAppend(opened);
    const raw = rawDatabase(home);
    raw.exec("BEGIN IMMEDIATE");
    const refused = await opened.store.append(next);
    expect(refused).toMatchObject({ ok: false, problem: { code: "store-locked" } });
    if (process.platform === "linux") {
      expect(refused.ok ? "" : refused.problem.message).toContain(`by pid ${process.pid} (`);
    }
    const patient = await sqliteStore(home, { lockWaitMs: 60_000 });
    const waiting = patient.store.append(next);
    await pause(80);
    raw.exec("COMMIT");
    expect((await waiting).ok).toBe(true);
  });
});
