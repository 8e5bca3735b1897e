import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  anAppend,
  rawDatabase,
  sessionId,
  sqliteStore,
  temporaryHome,
} from "../../../test/contract/store-fixtures.ts";
import { sha256 } from "../../core/hash.ts";
import { must } from "../../core/result.ts";

describe("reading only", () => {
  test("a home that is not there reads as empty and is not made", async () => {
    const home = temporaryHome();
    const { store, queue } = await sqliteStore(home, { readOnly: true });
    expect(must(await store.sessions({}))).toEqual([]);
    expect(must(await store.runs({}))).toEqual([]);
    expect(must(await queue.list(sessionId(1)))).toEqual([]);
    expect(must(await store.blob(sha256("x")))).toBeUndefined();
    expect(existsSync(home)).toBe(false);
  });

  test("a store that nobody writes to is read without making or touching a file", async () => {
    const home = temporaryHome();
    const writer = await sqliteStore(home);
    await anAppend(writer);
    await writer.store.close();
    const listing = () => readdirSync(home).map((name) => [name, statSync(join(home, name)).mtimeMs]);
    const before = listing();
    const { store } = await sqliteStore(home, { readOnly: true });
    expect(must(await store.events(sessionId(1), 0))).toHaveLength(1);
    await store.close();
    expect(listing()).toEqual(before);
  });

  test("a reader follows a store that is made, written, closed and written again", async () => {
    const home = temporaryHome();
    const reader = await sqliteStore(home, { readOnly: true });
    const seen = async () => must(await reader.store.events(sessionId(1), 0)).length;
    expect(await seen()).toBe(0);
    const first = await sqliteStore(home);
    const next = await anAppend(first);
    expect(await seen()).toBe(1);
    await first.store.close();
    const second = await sqliteStore(home);
    must(await second.store.append(next));
    expect(await seen()).toBe(2);
    await second.store.close();
    expect(await seen()).toBe(2);
  });

  test("a quiet reader notices a writer that came and went between two reads", async () => {
    const home = temporaryHome();
    const first = await sqliteStore(home);
    const next = await anAppend(first);
    await first.store.close();
    const reader = await sqliteStore(home, { readOnly: true });
    expect(must(await reader.store.events(sessionId(1), 0))).toHaveLength(1);
    const second = await sqliteStore(home);
    must(await second.store.append(next));
    await second.store.close();
    expect(must(await reader.store.events(sessionId(1), 0))).toHaveLength(2);
  });

  test("a reader reads while somebody holds the write lock, and does not delay it", async () => {
    const home = temporaryHome();
    await anAppend(await sqliteStore(home));
    const raw = rawDatabase(home);
    raw.exec("BEGIN IMMEDIATE");
    const { store } = await sqliteStore(home, { readOnly: true, lockWaitMs: 0 });
    expect(must(await store.events(sessionId(1), 0))).toHaveLength(1);
    raw.exec("COMMIT");
  });

  test("writing through a reader is a bug", async () => {
    const home = temporaryHome();
    const { store } = await sqliteStore(home, { readOnly: true });
    await expect(store.unlockCheckout("/repo", sessionId(1))).rejects.toThrow("opened for reading");
  });
});
