import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { sha256 } from "../../core/hash.ts";
import { makeId } from "../../core/ids.ts";
import { must } from "../../core/result.ts";
import type { Append } from "../../ports/store.ts";
import { type Database, loadDriver } from "./driver.ts";
import { assemble, type OpenedStore, openStore, type StoreOptions } from "./index.ts";
import { Writer } from "./writer.ts";

const clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms: number) => pause(ms),
};
const at = "2026-11-30T10:00:00.000Z";
const session = makeId("session", 1, new Uint8Array(10));
const summary = { title: "t", state: "running", projection: null };
const holder = { pid: 1, host: "h", bootId: "b", startTicks: "1", since: at };

function temporaryHome(): string {
  const folder = mkdtempSync(join(tmpdir(), "loopwright-open-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "home");
}

async function aStore(home: string, options?: StoreOptions): Promise<OpenedStore> {
  const opened = must(await openStore(home, clock, options));
  onTestFinished(() => opened.store.close());
  return opened;
}

function rawDatabase(home: string): Database {
  const db = must(loadDriver())(join(home, "loopwright.db"));
  onTestFinished(() => db.close());
  return db;
}

function note(n: number, pad = "") {
  return { type: "note:made", at, data: { n, pad } };
}

async function aSession({ store }: OpenedStore, id = session): Promise<Append> {
  const made = must(
    await store.createSession(id, "/repo", [note(0)], summary, { owner: "o", expiresAt: at, holder }),
  );
  return { session: id, fence: 1, expectedHead: made.summary.head, events: [note(1)], summary };
}

async function codeOf(
  result: Promise<{ readonly ok: boolean; readonly problem?: { readonly code: string } }>,
) {
  return (await result).problem?.code ?? "ok";
}

describe("opening", () => {
  test("what was stored is there after closing and opening", async () => {
    const home = temporaryHome();
    const first = await aStore(home);
    const next = await aSession(first);
    must(await first.store.append(next));
    await first.store.close();
    expect(must(await (await aStore(home)).store.events(session, 0))).toHaveLength(2);
  });

  test("writes that were asked for before closing are committed, later ones are a bug", async () => {
    const home = temporaryHome();
    const first = await aStore(home);
    const next = await aSession(first);
    const last = first.store.append(next);
    await first.store.close();
    expect((await last).ok).toBe(true);
    await expect(async () => first.store.append(next)).rejects.toThrow("closed");
    await expect(first.store.head(session)).rejects.toThrow("closed");
  });

  test("a file that is not a database is reported as damaged and left alone", async () => {
    const home = temporaryHome();
    await (await aStore(home)).store.close();
    const garbage = "not a database ".repeat(1000);
    writeFileSync(join(home, "loopwright.db"), garbage);
    for (const readOnly of [true, false]) {
      expect(await codeOf(openStore(home, clock, { readOnly }))).toBe("store-damaged");
    }
    expect(readFileSync(join(home, "loopwright.db"), "utf8")).toBe(garbage);
  });

  test("a page overwritten with noise is reported as damaged when it is read", async () => {
    const home = temporaryHome();
    const first = await aStore(home);
    const next = await aSession(first);
    must(
      await first.store.append({
        ...next,
        events: Array.from({ length: 300 }, (_, n) => note(n, "x".repeat(99))),
      }),
    );
    await first.store.close();
    const file = join(home, "loopwright.db");
    const bytes = readFileSync(file);
    bytes.fill(0x5a, Math.floor(bytes.length / 2));
    writeFileSync(file, bytes);
    const damaged = await openStore(home, clock);
    expect(damaged.ok ? await codeOf(damaged.value.store.events(session, 0)) : damaged.problem.code).toBe(
      "store-damaged",
    );
    if (damaged.ok) await damaged.value.store.close();
  });

  test("a row that does not hold what was written is reported as damaged", async () => {
    const home = temporaryHome();
    const { store, queue } = await aStore(home);
    const next = await aSession({ store, queue });
    rawDatabase(home).exec("UPDATE events SET data = '{\"cut'; UPDATE sessions SET head_hash = 'short'");
    expect(await codeOf(store.events(session, 0))).toBe("store-damaged");
    expect(await codeOf(store.sessions({}))).toBe("store-damaged");
    expect(await codeOf(store.append(next))).toBe("store-damaged");
  });

  test("a newer schema is refused by readers and writers", async () => {
    const home = temporaryHome();
    await (await aStore(home)).store.close();
    rawDatabase(home).exec("UPDATE schema_version SET version = 999");
    for (const readOnly of [true, false]) {
      expect(await codeOf(openStore(home, clock, { readOnly }))).toBe("store-newer");
    }
  });
});

describe("reading only", () => {
  test("a home that is not there reads as empty and is not made", async () => {
    const home = temporaryHome();
    const { store, queue } = await aStore(home, { readOnly: true });
    expect(must(await store.sessions({}))).toEqual([]);
    expect(must(await store.runs({}))).toEqual([]);
    expect(must(await queue.list(session))).toEqual([]);
    expect(must(await store.blob(sha256("x")))).toBeUndefined();
    expect(existsSync(home)).toBe(false);
  });

  test("a store that nobody writes to is read without making or touching a file", async () => {
    const home = temporaryHome();
    const writer = await aStore(home);
    await aSession(writer);
    await writer.store.close();
    const listing = () => readdirSync(home).map((name) => [name, statSync(join(home, name)).mtimeMs]);
    const before = listing();
    const { store } = await aStore(home, { readOnly: true });
    expect(must(await store.events(session, 0))).toHaveLength(1);
    await store.close();
    expect(listing()).toEqual(before);
  });

  test("a reader follows a store that is made, written, closed and written again", async () => {
    const home = temporaryHome();
    const reader = await aStore(home, { readOnly: true });
    const seen = async () => must(await reader.store.events(session, 0)).length;
    expect(await seen()).toBe(0);
    const first = await aStore(home);
    const next = await aSession(first);
    expect(await seen()).toBe(1);
    await first.store.close();
    const second = await aStore(home);
    must(await second.store.append(next));
    expect(await seen()).toBe(2);
    await second.store.close();
    expect(await seen()).toBe(2);
  });

  test("a quiet reader notices a writer that came and went between two reads", async () => {
    const home = temporaryHome();
    const first = await aStore(home);
    const next = await aSession(first);
    await first.store.close();
    const reader = await aStore(home, { readOnly: true });
    expect(must(await reader.store.events(session, 0))).toHaveLength(1);
    const second = await aStore(home);
    must(await second.store.append(next));
    await second.store.close();
    expect(must(await reader.store.events(session, 0))).toHaveLength(2);
  });

  test("a reader reads while somebody holds the write lock, and does not delay it", async () => {
    const home = temporaryHome();
    await aSession(await aStore(home));
    const raw = rawDatabase(home);
    raw.exec("BEGIN IMMEDIATE");
    const { store } = await aStore(home, { readOnly: true, lockWaitMs: 0 });
    expect(must(await store.events(session, 0))).toHaveLength(1);
    raw.exec("COMMIT");
  });

  test("writing through a reader is a bug", async () => {
    const home = temporaryHome();
    const { store } = await aStore(home, { readOnly: true });
    await expect(store.unlockCheckout("/repo", session)).rejects.toThrow("opened for reading");
  });
});

describe("writing", () => {
  test("writes of one turn share a commit", async () => {
    const home = temporaryHome();
    const points: string[] = [];
    const opened = await aStore(home, { onWritePoint: (name) => void points.push(name) });
    const nexts = await Promise.all(
      Array.from({ length: 100 }, (_, n) => aSession(opened, makeId("session", n, new Uint8Array(10)))),
    );
    must(await opened.store.lockCheckout("/repo", session, holder));
    const results = await Promise.all(nexts.map((next) => opened.store.append(next)));
    expect(results.every((result) => result.ok)).toBe(true);
    expect(points).toEqual([
      ...["migrate:before", "migrate:after", "create-session:before", "create-session:after"],
      ...["checkout:before", "checkout:after", "append:before", "append:after"],
    ]);
  });

  test("a full disk is reported, leaves the store as it was, and is over when there is room", async () => {
    const home = temporaryHome();
    await aSession(await aStore(home));
    const db = rawDatabase(home);
    db.exec("PRAGMA synchronous = FULL");
    const pages = Number(db.get("PRAGMA page_count")?.["page_count"]);
    db.exec(`PRAGMA max_page_count = ${pages + 2}`);
    const writer = new Writer(join(home, "loopwright.db"), db, {
      clock,
      lockWaitMs: 0,
      onWritePoint: () => undefined,
    });
    const { store } = assemble(writer, home, clock, () => undefined);
    const head = must(await store.head(session));
    const big = Array.from({ length: 200 }, (_, n) => note(n, "x".repeat(500)));
    const append = {
      session,
      fence: 1,
      expectedHead: head,
      events: big,
      summary: { ...summary, title: "big" },
    };
    expect(await codeOf(store.append(append))).toBe("store-full");
    expect(must(await store.events(session, 0))).toHaveLength(1);
    expect(must(await store.session(session))?.title).toBe("t");
    must(await store.append({ ...append, events: [note(1)] }));
    db.exec(`PRAGMA max_page_count = ${pages + 1000}`);
    must(await store.append({ ...append, expectedHead: must(await store.head(session)) }));
    expect(must(await store.events(session, 0))).toHaveLength(202);
  });

  test("a lock that stays is reported, one that ends in time is waited for", async () => {
    const home = temporaryHome();
    const opened = await aStore(home, { lockWaitMs: 200 });
    const next = await aSession(opened);
    const raw = rawDatabase(home);
    raw.exec("BEGIN IMMEDIATE");
    const refused = await opened.store.append(next);
    expect(refused).toMatchObject({ ok: false, problem: { code: "store-locked" } });
    if (process.platform === "linux") {
      expect(refused.ok ? "" : refused.problem.message).toContain(`by pid ${process.pid} (`);
    }
    const patient = await aStore(home, { lockWaitMs: 60_000 });
    const waiting = patient.store.append(next);
    await pause(80);
    raw.exec("COMMIT");
    expect((await waiting).ok).toBe(true);
  });
});

describe("blobs", () => {
  test.skipIf(process.platform === "win32")(
    "a blob is a file named by its hash that only the user reads",
    async () => {
      const home = temporaryHome();
      const { store } = await aStore(home);
      const digest = must(await store.putBlob("hello"));
      const folder = join(home, "blobs", digest.slice(0, 2));
      expect(readdirSync(folder)).toEqual([digest.slice(2)]);
      expect(statSync(join(folder, digest.slice(2))).mode & 0o777).toBe(0o600);
      expect(statSync(folder).mode & 0o777).toBe(0o700);
    },
  );

  test("damaged bytes are reported, and putting the blob again mends it", async () => {
    const home = temporaryHome();
    const { store } = await aStore(home);
    const digest = must(await store.putBlob("hello"));
    writeFileSync(join(home, "blobs", digest.slice(0, 2), digest.slice(2)), "hellO");
    expect(await codeOf(store.blob(digest))).toBe("store-damaged");
    must(await store.putBlob("hello"));
    expect(Buffer.from(must(await store.blob(digest)) ?? []).toString()).toBe("hello");
  });

  test("writing the same bytes again writes no file", async () => {
    const home = temporaryHome();
    const points: string[] = [];
    const { store } = await aStore(home, { onWritePoint: (name) => void points.push(name) });
    await Promise.all(["same", "same"].map((text) => store.putBlob(text)));
    await store.putBlob("same");
    expect(points.filter((name) => name === "blob:before").length).toBeLessThan(3);
    const digest = sha256("same");
    expect(readdirSync(join(home, "blobs", digest.slice(0, 2)))).toEqual([digest.slice(2)]);
  });

  test("a blob folder that cannot be written is a problem and leaves no file", async () => {
    const home = temporaryHome();
    const { store } = await aStore(home);
    rmSync(join(home, "blobs"), { recursive: true });
    writeFileSync(join(home, "blobs"), "in the way");
    expect(await codeOf(store.putBlob("hello"))).toBe("store-unusable");
  });
});
