import { describe, expect, test } from "vitest";
import type { OpenedStore } from "../../src/adapters/store-sqlite/index.ts";
import { sha256 } from "../../src/core/hash.ts";
import { must } from "../../src/core/result.ts";
import {
  ADAPTERS,
  anAttempt,
  aSession,
  attemptId,
  claim,
  claimOne,
  enqueue,
  sessionId,
  T1,
  T2,
} from "./store-fixtures.ts";

const ses1 = sessionId(1);

describe.each(ADAPTERS)("the queue, $name", ({ open }) => {
  async function claimed(opened: OpenedStore, change = {}) {
    return (await claim(opened, { max: 9, ...change })).map((one) => one.attempt);
  }

  test("a claim carries what the worker needs and a fence of its own", async () => {
    const opened = await open();
    await enqueue(opened, anAttempt(1));
    const { assignment } = anAttempt(1);
    const expected = {
      attempt: attemptId(1),
      session: ses1,
      worker: "w1",
      fence: 1,
      assignment,
      leaseUntil: T1,
    };
    expect(await claim(opened)).toEqual([expected]);
    expect(must(await opened.queue.list(ses1))).toEqual([
      {
        attempt: attemptId(1),
        session: ses1,
        key: "/checkout/1",
        state: "claimed",
        fence: 1,
        worker: "w1",
        leaseUntil: T1,
        cancelRequested: false,
      },
    ]);
  });

  test("a claimed attempt is not claimed again, not even after its lease has lapsed", async () => {
    const opened = await open();
    await enqueue(opened, anAttempt(1));
    await claimOne(opened);
    expect(await claimed(opened)).toEqual([]);
    expect(await claimed(opened, { now: T2, worker: "w2" })).toEqual([]);
  });

  test("higher priority goes first, then the older one", async () => {
    const opened = await open();
    const orders = [anAttempt(3), anAttempt(1, { priority: 5 }), anAttempt(2), anAttempt(4, { priority: 9 })];
    await enqueue(opened, ...orders);
    expect(await claimed(opened)).toEqual([4, 1, 3, 2].map(attemptId));
  });

  test("at most the asked number is claimed", async () => {
    const opened = await open();
    await enqueue(opened, anAttempt(1), anAttempt(2), anAttempt(3));
    expect(await claimed(opened, { max: 2 })).toEqual([attemptId(1), attemptId(2)]);
    expect(await claimed(opened, { max: 0 })).toEqual([]);
    expect(await claimed(opened, { max: 2 })).toEqual([attemptId(3)]);
  });

  test("a worker gets what it can do, from the session it asks for, when its time has come", async () => {
    const opened = await open();
    await aSession(opened, sessionId(2));
    await enqueue(
      opened,
      anAttempt(1, { capability: "gpu" }),
      anAttempt(2, { session: sessionId(2) }),
      anAttempt(3, { notBefore: T1 }),
      anAttempt(4),
    );
    expect(await claimed(opened, { capabilities: [] })).toEqual([]);
    expect(await claimed(opened, { session: ses1 })).toEqual([attemptId(4)]);
    expect(await claimed(opened, { session: ses1, now: T1 })).toEqual([attemptId(3)]);
    expect(await claimed(opened, { capabilities: ["gpu", "agent"] })).toEqual([attemptId(1), attemptId(2)]);
  });

  test("a key has one live claim at a time", async () => {
    const opened = await open();
    await enqueue(
      opened,
      anAttempt(1, { key: "/a" }),
      anAttempt(2, { key: "/a", priority: 5 }),
      anAttempt(3, { key: "/b" }),
    );
    const [first] = await claim(opened, { max: 9 });
    expect(first?.attempt).toBe(attemptId(2));
    expect(must(await opened.queue.list(ses1)).map((row) => row.state)).toEqual([
      "ready",
      "claimed",
      "claimed",
    ]);
    if (first !== undefined) must(await opened.queue.complete(first, {}));
    expect(await claimed(opened)).toEqual([attemptId(1)]);
  });

  test("an attempt waits until what it depends on is settled, or settled and forgotten", async () => {
    const opened = await open();
    const next = await enqueue(opened, anAttempt(1), anAttempt(2, { dependsOn: [attemptId(1)] }));
    const first = await claimOne(opened);
    expect(await claimed(opened)).toEqual([]);
    must(await opened.queue.complete(first, { ok: true }));
    must(await opened.store.append({ ...next, enqueue: [anAttempt(3, { dependsOn: [attemptId(1)] })] }));
    must(await opened.store.append({ ...next, acknowledge: [attemptId(1)] }));
    expect(await claimed(opened)).toEqual([attemptId(2), attemptId(3)]);
  });

  test("what depends on a canceled attempt waits until the cancellation is acknowledged", async () => {
    const opened = await open();
    const next = await enqueue(opened, anAttempt(1), anAttempt(2, { dependsOn: [attemptId(1)] }));
    must(await opened.queue.cancel(attemptId(1)));
    expect(await claimed(opened)).toEqual([]);
    must(await opened.store.append({ ...next, acknowledge: [attemptId(1)] }));
    expect(await claimed(opened)).toEqual([attemptId(2)]);
  });

  test("a heartbeat extends the lease of the current claim only", async () => {
    const opened = await open();
    await enqueue(opened, anAttempt(1));
    const mine = await claimOne(opened);
    expect(must(await opened.queue.heartbeat(mine, T2))).toBe("ok");
    expect(must(await opened.queue.list(ses1))[0]?.leaseUntil).toBe(T2);
    expect(must(await opened.queue.heartbeat({ ...mine, fence: 2 }, T2))).toBe("lost");
    must(await opened.queue.complete(mine, {}));
    expect(must(await opened.queue.heartbeat(mine, T2))).toBe("lost");
  });

  test("a completion counts once and needs the current fence and assignment", async () => {
    const opened = await open();
    await enqueue(opened, anAttempt(1));
    const mine = await claimOne(opened);
    expect(must(await opened.queue.complete({ ...mine, fence: 0 }, { n: 1 }))).toBe(false);
    expect(must(await opened.queue.complete({ ...mine, assignment: sha256("other") }, { n: 2 }))).toBe(false);
    expect(must(await opened.queue.complete(mine, { n: 3 }))).toBe(true);
    expect(must(await opened.queue.complete(mine, { n: 4 }))).toBe(false);
    expect(must(await opened.queue.list(ses1))).toEqual([
      {
        attempt: attemptId(1),
        session: ses1,
        key: "/checkout/1",
        state: "settled",
        fence: 1,
        worker: "w1",
        cancelRequested: false,
        result: { n: 3 },
      },
    ]);
  });

  test("a result is kept until an append acknowledges it, and may be acknowledged again", async () => {
    const opened = await open();
    const next = await enqueue(opened, anAttempt(1));
    must(await opened.queue.complete(await claimOne(opened), { n: 1 }));
    const acknowledge = [attemptId(1)];
    await opened.store.append({ ...next, fence: 9, acknowledge });
    expect(must(await opened.queue.list(ses1))[0]?.result).toEqual({ n: 1 });
    must(await opened.store.append({ ...next, acknowledge }));
    expect(must(await opened.queue.list(ses1))).toEqual([]);
    must(await opened.store.append({ ...next, acknowledge }));
  });

  test("an attempt that has not ended cannot be acknowledged", async () => {
    const opened = await open();
    const next = await enqueue(opened, anAttempt(1));
    const acknowledge = [attemptId(1)];
    await expect(opened.store.append({ ...next, acknowledge })).rejects.toThrow("still ready");
    await claimOne(opened);
    await expect(opened.store.append({ ...next, acknowledge })).rejects.toThrow("still claimed");
  });

  test("a canceled ready attempt ends at once", async () => {
    const opened = await open();
    await enqueue(opened, anAttempt(1));
    must(await opened.queue.cancel(attemptId(1)));
    expect(await claimed(opened)).toEqual([]);
    expect(must(await opened.queue.list(ses1))[0]).toMatchObject({
      state: "canceled",
      cancelRequested: true,
    });
  });

  test("a cancellation reaches the worker with its next heartbeat, and what it then reports counts", async () => {
    const opened = await open();
    await enqueue(opened, anAttempt(1));
    const mine = await claimOne(opened);
    must(await opened.queue.cancel(attemptId(1)));
    expect(must(await opened.queue.heartbeat(mine, T2))).toBe("canceled");
    expect(must(await opened.queue.complete(mine, { partial: true }))).toBe(true);
    expect(must(await opened.queue.list(ses1))[0]).toMatchObject({ state: "settled", cancelRequested: true });
  });

  test("canceling what has ended or is unknown changes nothing", async () => {
    const opened = await open();
    await enqueue(opened, anAttempt(1));
    must(await opened.queue.complete(await claimOne(opened), {}));
    const before = must(await opened.queue.list(ses1));
    must(await opened.queue.cancel(attemptId(1)));
    must(await opened.queue.cancel(attemptId(7)));
    expect(must(await opened.queue.list(ses1))).toEqual(before);
  });

  test("a revoked claim's late completion is refused, its key is free and the attempt is not handed out again", async () => {
    const opened = await open();
    await enqueue(opened, anAttempt(1, { key: "/a" }), anAttempt(2, { key: "/a" }));
    const dead = await claimOne(opened);
    expect(must(await opened.queue.revoke(dead.attempt, dead.fence + 1))).toBe(false);
    expect(must(await opened.queue.revoke(dead.attempt, dead.fence))).toBe(true);
    expect(must(await opened.queue.revoke(dead.attempt, dead.fence))).toBe(false);
    expect(must(await opened.queue.complete(dead, { late: true }))).toBe(false);
    expect(must(await opened.queue.heartbeat(dead, T2))).toBe("lost");
    expect(must(await opened.queue.list(ses1))[0]).toEqual({
      attempt: attemptId(1),
      session: ses1,
      key: "/a",
      state: "canceled",
      fence: 2,
      cancelRequested: false,
    });
    expect(await claimed(opened)).toEqual([attemptId(2)]);
  });
});
