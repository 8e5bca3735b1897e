import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  aNote,
  anAppend,
  codeOf,
  rawDatabase,
  realClock,
  sessionId,
  sqliteStore,
  temporaryHome,
} from "../../../test/contract/store-fixtures.ts";
import { must } from "../../core/result.ts";
import { openStore } from "./index.ts";

describe("opening", () => {
  test("what was stored is there after closing and opening", async () => {
    const home = temporaryHome();
    const first = await sqliteStore(home);
    const next = await anAppend(first);
    must(await first.store.append(next));
    await first.store.close();
    expect(must(await (await sqliteStore(home)).store.events(sessionId(1), 0))).toHaveLength(2);
  });

  test("writes that were asked for before closing are committed, later ones are a bug", async () => {
    const home = temporaryHome();
    const first = await sqliteStore(home);
    const next = await anAppend(first);
    const last = first.store.append(next);
    await first.store.close();
    expect((await last).ok).toBe(true);
    await expect(async () => first.store.append(next)).rejects.toThrow("closed");
    await expect(first.store.head(sessionId(1))).rejects.toThrow("closed");
  });

  test("a file that is not a database is reported as damaged and left alone", async () => {
    const home = temporaryHome();
    await (await sqliteStore(home)).store.close();
    const garbage = "not a database ".repeat(1000);
    writeFileSync(join(home, "loopwright.db"), garbage);
    for (const readOnly of [true, false]) {
      expect(codeOf(await openStore(home, realClock, { readOnly }))).toBe("store-damaged");
    }
    expect(readFileSync(join(home, "loopwright.db"), "utf8")).toBe(garbage);
  });

  test("a page overwritten with noise is reported as damaged when it is read", async () => {
    const home = temporaryHome();
    const first = await sqliteStore(home);
    const next = await anAppend(first);
    must(
      await first.store.append({
        ...next,
        events: Array.from({ length: 300 }, (_, n) => aNote(n, "x".repeat(99))),
      }),
    );
    await first.store.close();
    const file = join(home, "loopwright.db");
    const bytes = readFileSync(file);
    bytes.fill(0x5a, Math.floor(bytes.length / 2));
    writeFileSync(file, bytes);
    const damaged = await openStore(home, realClock);
    expect(
      damaged.ok ? codeOf(await damaged.value.store.events(sessionId(1), 0)) : damaged.problem.code,
    ).toBe("store-damaged");
    if (damaged.ok) await damaged.value.store.close();
  });

  test("a row that does not hold what was written is reported as damaged", async () => {
    const home = temporaryHome();
    const { store, queue } = await sqliteStore(home);
    const next = await anAppend({ store, queue });
    rawDatabase(home).exec("UPDATE events SET data = '{\"cut'; UPDATE sessions SET head_hash = 'short'");
    expect(codeOf(await store.events(sessionId(1), 0))).toBe("store-damaged");
    expect(codeOf(await store.sessions({}))).toBe("store-damaged");
    expect(codeOf(await store.append(next))).toBe("store-damaged");
  });

  test("a newer schema is refused by readers and writers", async () => {
    const home = temporaryHome();
    await (await sqliteStore(home)).store.close();
    rawDatabase(home).exec("UPDATE schema_version SET version = 999");
    for (const readOnly of [true, false]) {
      expect(codeOf(await openStore(home, realClock, { readOnly }))).toBe("store-newer");
    }
  });
});
