import { describe, expect, test } from "vitest";
import { verifyChain } from "../../src/core/chain.ts";
import { parseDigest, sha256 } from "../../src/core/hash.ts";
import { must } from "../../src/core/result.ts";
import {
  ADAPTERS,
  aLease,
  anAttempt,
  aRun,
  aSession,
  aSummary,
  claim,
  codeOf,
  EMPTY_HEAD,
  OTHER_HOLDER,
  runId,
  sessionId,
  someEvents,
  T0,
  T1,
  T2,
} from "./store-fixtures.ts";

const ses1 = sessionId(1);
const ses2 = sessionId(2);

describe.each(ADAPTERS)("sessions, $name", ({ open }) => {
  test("a new session has its events, the first number of its top level and the first lease", async () => {
    const { store } = await open();
    const made = must(
      await store.createSession(ses1, "/repo", someEvents(2), aSummary({ outcome: "open" }), aLease()),
    );
    expect(made.lease).toEqual({ session: ses1, fence: 1, ...aLease() });
    const events = must(await store.events(ses1, 0));
    expect(events.map(({ seq, type, at, data }) => ({ seq, type, at, data }))).toEqual([
      { seq: 1, type: "note:made", at: T0, data: { n: 1 } },
      { seq: 2, type: "note:made", at: T0, data: { n: 2 } },
    ]);
    expect(made.summary).toEqual({
      session: ses1,
      number: 1,
      topLevel: "/repo",
      ...aSummary({ outcome: "open" }),
      createdAt: T0,
      updatedAt: T0,
      head: { seq: 2, hash: events[1]?.hash },
    });
    expect(await store.session(ses1)).toEqual({ ok: true, value: made.summary });
    expect(await store.lease(ses1)).toEqual({ ok: true, value: made.lease });
  });

  test("sessions are numbered per top level", async () => {
    const { store } = await open();
    const numbers: number[] = [];
    for (const [n, folder] of ["/a", "/a", "/b", "/a"].entries()) {
      const made = await store.createSession(sessionId(n), folder, someEvents(1), aSummary(), aLease());
      numbers.push(must(made).summary.number);
    }
    expect(numbers).toEqual([1, 2, 1, 3]);
  });

  test("a session that exists is not made again", async () => {
    const opened = await open();
    await aSession(opened);
    await expect(opened.store.createSession(ses1, "/repo", [], aSummary(), aLease())).rejects.toThrow(
      "exists already",
    );
  });

  test("lists are newest first and follow their filter", async () => {
    const { store } = await open();
    const ages = [T0, T2, T1];
    for (const [n, at] of ages.entries()) {
      const summary = aSummary({ state: n === 1 ? "closed" : "running" });
      const events = [{ type: "a:b", at, data: {} }];
      must(await store.createSession(sessionId(n), n === 0 ? "/x" : "/repo", events, summary, aLease()));
    }
    const list = async (filter: Parameters<typeof store.sessions>[0]) =>
      must(await store.sessions(filter)).map((summary) => summary.session);
    expect(await list({})).toEqual([sessionId(1), sessionId(2), sessionId(0)]);
    expect(await list({ topLevel: "/repo" })).toEqual([sessionId(1), sessionId(2)]);
    expect(await list({ states: ["running", "paused"] })).toEqual([sessionId(2), sessionId(0)]);
    expect(await list({ states: [] })).toEqual([]);
    expect(await list({ limit: 1 })).toEqual([sessionId(1)]);
    expect(await list({ topLevel: "/none" })).toEqual([]);
  });

  test("an unknown session has no summary, no lease, no events and no head", async () => {
    const { store } = await open();
    expect(must(await store.session(ses2))).toBeUndefined();
    expect(must(await store.lease(ses2))).toBeUndefined();
    expect(must(await store.events(ses2, 0))).toEqual([]);
    expect(codeOf(await store.head(ses2))).toBe("no-such-session");
  });
});

describe.each(ADAPTERS)("appending, $name", ({ open }) => {
  test("events join the chain and the summary moves with them", async () => {
    const opened = await open();
    const next = await aSession(opened);
    const events = [
      { type: "check:passed", at: T2, data: { b: [1, null], a: { deep: "é" }, gone: undefined } },
    ];
    const summary = aSummary({
      title: "renamed",
      state: "succeeded",
      outcome: "accepted",
      projection: [1, { x: 2 }],
    });
    const appended = must(await opened.store.append({ ...next, events, summary }));
    const stored = must(await opened.store.events(ses1, 0));
    expect(stored.slice(1)).toEqual(appended.events);
    expect(stored[1]?.data).toEqual({ b: [1, null], a: { deep: "é" } });
    expect(verifyChain(stored, appended.head)).toEqual({ ok: true, value: appended.head });
    expect(must(await opened.store.session(ses1))).toEqual({
      session: ses1,
      number: 1,
      topLevel: "/repo",
      ...summary,
      createdAt: T0,
      updatedAt: T2,
      head: appended.head,
    });
  });

  test("an outcome that is left out of the next summary is gone", async () => {
    const opened = await open();
    const next = await aSession(opened);
    const { head } = must(await opened.store.append({ ...next, summary: aSummary({ outcome: "rejected" }) }));
    must(await opened.store.append({ ...next, expectedHead: head }));
    expect(must(await opened.store.session(ses1))).not.toHaveProperty("outcome");
  });

  test("events are read from a place on and in pages", async () => {
    const opened = await open();
    await aSession(opened, ses1, 5);
    const seqs = async (after: number, limit?: number) =>
      must(await opened.store.events(ses1, after, limit)).map((event) => event.seq);
    expect(await seqs(0, 2)).toEqual([1, 2]);
    expect(await seqs(2, 2)).toEqual([3, 4]);
    expect(await seqs(4)).toEqual([5]);
    expect(await seqs(5)).toEqual([]);
  });

  test("an append decided on another head is refused and leaves nothing", async () => {
    const opened = await open();
    const next = await aSession(opened);
    must(await opened.store.append({ ...next, events: someEvents(1, 2) }));
    const before = must(await opened.store.session(ses1));
    const late = {
      ...next,
      events: someEvents(1, 9),
      summary: aSummary({ title: "late" }),
      enqueue: [anAttempt(1)],
    };
    expect(codeOf(await opened.store.append(late))).toBe("head-moved");
    const sameSeq = { ...next, expectedHead: { seq: 2, hash: sha256("forged") }, events: someEvents(1, 9) };
    expect(codeOf(await opened.store.append(sameSeq))).toBe("head-moved");
    expect(must(await opened.store.session(ses1))).toEqual(before);
    expect(must(await opened.queue.list(ses1))).toEqual([]);
  });

  test("a holder whose lease went to another or was released appends nothing more", async () => {
    const opened = await open();
    const next = await aSession(opened);
    const taken = must(
      await opened.store.acquireLease(ses1, aLease({ owner: "second", holder: OTHER_HOLDER }), T2, true),
    );
    expect(codeOf(await opened.store.append({ ...next, events: someEvents(1) }))).toBe("stale-lease");
    must(await opened.store.append({ ...next, fence: taken.fence, events: someEvents(1) }));
    must(await opened.store.releaseLease(ses1, taken.fence));
    const head = must(await opened.store.head(ses1));
    const after = await opened.store.append({ ...next, fence: taken.fence, expectedHead: head });
    expect(codeOf(after)).toBe("stale-lease");
  });

  test("an append to an unknown session is refused", async () => {
    const { store } = await open();
    const append = { session: ses2, fence: 1, expectedHead: EMPTY_HEAD, events: [], summary: aSummary() };
    expect(codeOf(await store.append(append))).toBe("no-such-session");
  });

  test("an append that breaks a promise leaves nothing of itself", async () => {
    const opened = await open();
    const next = await aSession(opened);
    const append = { ...next, events: someEvents(1), enqueue: [anAttempt(1), anAttempt(1)] };
    await expect(opened.store.append(append)).rejects.toThrow("queued already");
    await expect(opened.store.append({ ...next, events: someEvents(1), answered: ["none"] })).rejects.toThrow(
      "pending",
    );
    await expect(
      opened.store.append({ ...next, events: [{ type: "a:b", at: T0, data: { n: Number.NaN } }] }),
    ).rejects.toThrow(TypeError);
    expect(must(await opened.store.head(ses1))).toEqual(next.expectedHead);
    expect(must(await opened.queue.list(ses1))).toEqual([]);
  });

  test("appends of many sessions at once all land, a refused one among them alone does not", async () => {
    const opened = await open();
    const nexts = await Promise.all(Array.from({ length: 20 }, (_, n) => aSession(opened, sessionId(n))));
    const results = await Promise.all(
      nexts.map((next, n) =>
        opened.store.append({ ...next, fence: n === 7 ? 99 : next.fence, events: someEvents(3, 2) }),
      ),
    );
    expect(results.map(codeOf)).toEqual(nexts.map((_, n) => (n === 7 ? "stale-lease" : "ok")));
    for (const [n, next] of nexts.entries()) {
      const events = must(await opened.store.events(next.session, 0));
      expect(events).toHaveLength(n === 7 ? 1 : 4);
      expect(verifyChain(events).ok).toBe(true);
    }
  });

  test("what a caller does to its values afterwards does not reach the store", async () => {
    const opened = await open();
    const next = await aSession(opened);
    const data = { list: [1] };
    const projection = { list: [1] };
    const events = [{ type: "a:b", at: T0, data }];
    must(await opened.store.append({ ...next, events, summary: aSummary({ projection }) }));
    data.list.push(2);
    projection.list.push(2);
    expect(must(await opened.store.events(ses1, 1))[0]?.data).toEqual({ list: [1] });
    expect(must(await opened.store.session(ses1))?.projection).toEqual({ list: [1] });
  });
});

describe.each(ADAPTERS)("blobs and runs, $name", ({ open }) => {
  test("bytes come back under their hash, whether written once or twice", async () => {
    const { store } = await open();
    const bytes = Uint8Array.from([0, 255, 10, 13]);
    expect(must(await store.putBlob(bytes))).toBe(sha256(bytes));
    expect(await store.putBlob(bytes)).toEqual({ ok: true, value: sha256(bytes) });
    expect([...(must(await store.blob(sha256(bytes))) ?? [])]).toEqual([...bytes]);
    expect(must(await store.putBlob("grüße"))).toBe(sha256("grüße"));
    expect(Buffer.from(must(await store.blob(sha256("grüße"))) ?? []).toString()).toBe("grüße");
  });

  test("the empty blob is a blob, an unknown one is absent", async () => {
    const { store } = await open();
    const empty = must(await store.putBlob(""));
    expect(must(await store.blob(empty))?.length).toBe(0);
    const unknown = parseDigest("a".repeat(64)) ?? empty;
    expect(must(await store.blob(unknown))).toBeUndefined();
  });

  test("a run's document and row are rewritten together", async () => {
    const { store } = await open();
    must(await store.putRun(aRun(1), "first"));
    const known = {
      session: ses1,
      endedAt: T2,
      configuration: "c",
      repo: "r",
      taskType: "t",
      costBasis: "measured",
    };
    const full = aRun(1, { ...known, outcome: "rejected", costMicroUsd: 5_000_000_000 });
    must(await store.putRun(full, "second"));
    expect(must(await store.runs({}))).toEqual([full]);
    expect(must(await store.runDocument(runId(1)))).toBe("second");
    must(await store.putRun(aRun(1), "third"));
    expect(must(await store.runs({}))).toEqual([aRun(1)]);
    expect(must(await store.runDocument(runId(2)))).toBeUndefined();
  });

  test("the documents of several runs come in the order asked for, and none for one that is not there", async () => {
    const { store } = await open();
    must(await store.putRun(aRun(1), "first"));
    must(await store.putRun(aRun(3), "third"));
    const asked = [runId(3), runId(2), runId(1), runId(3)];
    expect(must(await store.runDocuments(asked))).toEqual(["third", undefined, "first", "third"]);
    expect(must(await store.runDocuments([]))).toEqual([]);
  });

  test("runs are newest first and follow their filter", async () => {
    const { store } = await open();
    const rows = [
      aRun(1, { repo: "r" }),
      aRun(2, { startedAt: T2, outcome: "rejected" }),
      aRun(3, { startedAt: T1 }),
    ];
    for (const row of rows) must(await store.putRun(row, "{}"));
    const list = async (filter: Parameters<typeof store.runs>[0]) =>
      must(await store.runs(filter)).map((row) => row.run);
    expect(await list({})).toEqual([runId(2), runId(3), runId(1)]);
    expect(await list({ outcome: "accepted" })).toEqual([runId(3), runId(1)]);
    expect(await list({ since: T1 })).toEqual([runId(2), runId(3)]);
    expect(await list({ repo: "r" })).toEqual([runId(1)]);
    expect(await list({ limit: 2 })).toEqual([runId(2), runId(3)]);
  });

  test("work that an append orders is claimable with it and not before", async () => {
    const opened = await open();
    const next = await aSession(opened);
    expect(await claim(opened)).toEqual([]);
    must(await opened.store.append({ ...next, events: someEvents(1), enqueue: [anAttempt(1)] }));
    expect(await claim(opened)).toHaveLength(1);
  });
});
