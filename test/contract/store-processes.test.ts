import { describe, expect, test } from "vitest";
import { type OpenedStore, WRITE_POINTS } from "../../src/adapters/store-sqlite/index.ts";
import { verifyChain } from "../../src/core/chain.ts";
import { sha256 } from "../../src/core/hash.ts";
import type { SessionId } from "../../src/core/ids.ts";
import { must } from "../../src/core/result.ts";
import type { Store } from "../../src/ports/store.ts";
import { type Child, storeChildren } from "./store-children.ts";
import {
  aLease,
  anAttempt,
  aSession,
  codeOf,
  sessionId,
  someEvents,
  sqliteStore,
  temporaryHome,
} from "./store-fixtures.ts";

const child = storeChildren();
const ses1 = sessionId(1);

function acknowledged({ lines }: Child): number {
  return Math.max(0, ...lines.map((line) => Number(/^acknowledged (\d+)/.exec(line)?.[1] ?? 0)));
}

/** The chain of a session, after a check that it is whole and ends where its summary says. */
async function wholeChain(store: Store, session = ses1) {
  const events = must(await store.events(session, 0));
  const head = must(await store.head(session));
  expect(verifyChain(events, head)).toEqual({ ok: true, value: head });
  return events;
}

const PATIENT = { timeout: 120_000 };

describe("processes on one store", PATIENT, () => {
  test("three processes that open a new home at once make one store", async () => {
    const home = temporaryHome();
    const children = [1, 2, 3].map((n) => child("tour", home, "", String(n)));
    expect(await Promise.all(children.map((one) => one.ended))).toEqual([0, 0, 0]);
    const { store } = await sqliteStore(home);
    const numbers = must(await store.sessions({})).map((session) => session.number);
    expect(numbers.sort()).toEqual([1, 2, 3]);
  });

  test("three writers of one session and of one file lose nothing", async () => {
    const home = temporaryHome();
    const opened = await sqliteStore(home);
    for (const n of [1, 2, 3]) await aSession(opened, sessionId(n));
    const shared = [1, 1, 1].map((n) => child("append", home, String(n), "60"));
    const own = [2, 3].map((n) => child("append", home, String(n), "60"));
    expect(await Promise.all([...shared, ...own].map((one) => one.ended))).toEqual([0, 0, 0, 0, 0]);
    const events = await wholeChain(opened.store);
    expect(events).toHaveLength(1 + 3 * 60);
    const notes = events.slice(1).map(({ data }) => `${data["by"]}:${data["n"]}`);
    expect(new Set(notes).size).toBe(180);
    expect(await wholeChain(opened.store, sessionId(2))).toHaveLength(61);
  });

  test("400 attempts over four worker processes run exactly once, one at a time per key", async () => {
    const home = temporaryHome();
    const opened = await sqliteStore(home);
    const attempts = Array.from({ length: 400 }, (_, n) => {
      const key = `/checkout/${n % 25}`;
      return anAttempt(n, { key, assignment: sha256(key) });
    });
    const next = await aSession(opened);
    must(await opened.store.append({ ...next, enqueue: attempts }));
    const workers = [1, 2, 3, 4].map(() => child("work", home));
    expect(await Promise.all(workers.map((one) => one.ended))).toEqual([0, 0, 0, 0]);
    const done = workers.flatMap((one) => one.lines.filter((line) => line.startsWith("done ")));
    expect(done.sort()).toEqual(attempts.map(({ attempt }) => `done ${attempt}`).sort());
    const rows = must(await opened.queue.list(ses1));
    expect(rows.filter((row) => row.state === "settled" && row.fence === 1)).toHaveLength(400);
  });

  test("two processes that want the same lease get one holder", async () => {
    const home = temporaryHome();
    const first = await sqliteStore(home);
    const second = await sqliteStore(home);
    await aSession(first);
    must(await first.store.releaseLease(ses1, 1));
    const asked = await Promise.all(
      [first, second].map(({ store }, n) =>
        store.acquireLease(ses1, aLease({ owner: `o${n}` }), "2026-11-30", false),
      ),
    );
    expect(asked.filter((result) => result.ok)).toHaveLength(1);
  });

  test("a reader sees the state before or after each append while another process commits", async () => {
    const home = temporaryHome();
    const opened = await sqliteStore(home);
    await aSession(opened);
    const writer = child("append", home, "1", "100000");
    const watcher = await sqliteStore(home, { readOnly: true });
    const seen = new Set<number>();
    while (seen.size < 10) {
      for (const { store } of [opened, watcher]) {
        const summary = must(await store.session(ses1));
        if (summary !== undefined && summary.head.seq > 1) {
          expect(summary.projection).toEqual({ seq: summary.head.seq });
          seen.add(summary.head.seq);
        }
        const events = must(await store.events(ses1, 0));
        expect(events.length % 2).toBe(1);
        expect(events.length).toBeGreaterThanOrEqual(summary?.head.seq ?? 0);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    writer.process.kill("SIGKILL");
    await writer.ended;
    await wholeChain(opened.store);
  });

  test("a store that another process keeps locked is reported with that process, and nothing is lost", async () => {
    const home = temporaryHome();
    const opened = await sqliteStore(home, { lockWaitMs: 100 });
    const next = await aSession(opened);
    const holder = child("hold", home);
    await holder.said("holding");
    const refused = await opened.store.append({ ...next, events: someEvents(1) });
    expect(codeOf(refused)).toBe("store-locked");
    if (process.platform === "linux") {
      expect(refused.ok ? "" : refused.problem.message).toContain(`pid ${holder.process.pid} (`);
    }
    expect(must(await opened.store.events(ses1, 0))).toHaveLength(1);
    holder.process.kill("SIGKILL");
    await holder.ended;
    must(await opened.store.append({ ...next, events: someEvents(1) }));
    expect(await wholeChain(opened.store)).toHaveLength(2);
  });
});

describe("a killed process", PATIENT, () => {
  test("SIGKILL of a writer in a tight loop loses no acknowledged append and leaves the chain whole", async () => {
    const home = temporaryHome();
    const opened = await sqliteStore(home);
    await aSession(opened);
    for (const appendsBeforeTheKill of [1, 40, 7, 21]) {
      const from = must(await opened.store.head(ses1)).seq;
      const writer = child("append", home, "1", "100000");
      await writer.said(`acknowledged ${from + 2 * appendsBeforeTheKill}`);
      writer.process.kill("SIGKILL");
      expect(await writer.ended).toBe("SIGKILL");
      const events = await wholeChain(opened.store);
      expect(events.length).toBeGreaterThanOrEqual(acknowledged(writer));
      expect(events.length % 2).toBe(1);
    }
  });

  test("what a killed writer had acknowledged is read before anybody opens the store for writing", async () => {
    const home = temporaryHome();
    const opened = await sqliteStore(home);
    await aSession(opened);
    await opened.store.close();
    const writer = child("append", home, "1", "100000");
    await writer.said("acknowledged 11");
    writer.process.kill("SIGKILL");
    await writer.ended;
    const { store } = await sqliteStore(home, { readOnly: true });
    expect((await wholeChain(store)).length).toBeGreaterThanOrEqual(acknowledged(writer));
  });

  test.each(["migrate:before", "migrate:after"])("a kill at %s leaves a home that opens", async (point) => {
    const home = temporaryHome();
    expect(await child("tour", home, point, "1").ended).toBe("SIGKILL");
    const { store } = await sqliteStore(home);
    expect(must(await store.sessions({}))).toEqual([]);
  });

  test("a kill at any write point loses nothing that was acknowledged, and the next process goes on", async () => {
    const home = temporaryHome();
    const opened = await sqliteStore(home);
    const points = WRITE_POINTS.filter((point) => !point.startsWith("migrate:")).entries();
    // Two at a time, as many as a small machine runs at once.
    const killNext = async () => {
      for (const [n, point] of points) {
        const killed = child("tour", home, point, String(n));
        expect([point, await killed.ended]).toEqual([point, "SIGKILL"]);
        await expectAcknowledged(opened, sessionId(n), killed.lines);
      }
    };
    await Promise.all([killNext(), killNext()]);
    const last = child("tour", home, "", "99");
    expect(await last.ended).toBe(0);
    expect(last.lines).toContain("toured");
  });
});

async function expectAcknowledged(
  { store, queue }: OpenedStore,
  session: SessionId,
  lines: readonly string[],
) {
  const created = must(await store.session(session));
  const rows = must(await queue.list(session));
  if (created !== undefined) {
    const events = await wholeChain(store, session);
    expect(must(await store.lease(session))?.fence).toBe(1);
    // The second append enqueues: its event and its work are there together or not at all.
    expect(rows).toHaveLength(events.length === 2 ? 3 : 0);
  }
  for (const line of lines) {
    const [what, which = ""] = line.split(" ");
    if (what === "created") expect(created?.session).toBe(which);
    if (what === "acknowledged") expect(created?.head.seq).toBe(Number(which));
    if (what === "command")
      expect(must(await store.pendingCommands(session)).map(({ id }) => id)).toEqual([which]);
    if (what === "blob") expect(must(await store.blob(sha256(which)))).toBeDefined();
    if (what === "settled") {
      const row = rows.find(({ attempt }) => attempt === which);
      expect(row).toMatchObject({ state: "settled", result: { n: 1 } });
    }
  }
}
