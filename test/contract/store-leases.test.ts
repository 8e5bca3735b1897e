import { describe, expect, test } from "vitest";
import { must } from "../../src/core/result.ts";
import {
  ADAPTERS,
  aLease,
  aSession,
  codeOf,
  HOLDER,
  OTHER_HOLDER,
  sessionId,
  T0,
  T1,
  T2,
} from "./store-fixtures.ts";

const ses1 = sessionId(1);
const ses2 = sessionId(2);

describe.each(ADAPTERS)("leases, $name", ({ open }) => {
  const second = aLease({ owner: "second", expiresAt: T2, holder: OTHER_HOLDER });

  test("a held lease is refused to others, and the refusal names its holder", async () => {
    const opened = await open();
    await aSession(opened);
    const refused = await opened.store.acquireLease(ses1, second, T0, true);
    expect(refused).toMatchObject({ ok: false, problem: { code: "session-running" } });
    expect(refused.ok ? "" : refused.problem.message).toContain("pid 42 on box");
    expect(must(await opened.store.lease(ses1))?.owner).toBe("first");
  });

  test("a lapsed lease is taken over only by a caller that knows the holder to be dead", async () => {
    const opened = await open();
    await aSession(opened);
    expect(codeOf(await opened.store.acquireLease(ses1, second, T2, false))).toBe("session-running");
    expect(must(await opened.store.acquireLease(ses1, second, T2, true))).toEqual({
      session: ses1,
      fence: 2,
      ...second,
    });
  });

  test("a lease that lapses at this very moment is still held", async () => {
    const opened = await open();
    await aSession(opened);
    expect(codeOf(await opened.store.acquireLease(ses1, second, T1, true))).toBe("session-running");
  });

  test("a released lease is free, and its next holder gets a higher fence", async () => {
    const opened = await open();
    await aSession(opened);
    must(await opened.store.releaseLease(ses1, 1));
    expect(must(await opened.store.lease(ses1))).toBeUndefined();
    expect(must(await opened.store.acquireLease(ses1, second, T0, false)).fence).toBe(2);
    must(await opened.store.releaseLease(ses1, 1));
    expect(must(await opened.store.lease(ses1))?.owner).toBe("second");
  });

  test("an owner that asks again keeps its fence, unless it is another process by now", async () => {
    const opened = await open();
    await aSession(opened);
    expect(must(await opened.store.acquireLease(ses1, aLease({ expiresAt: T2 }), T0, false))).toEqual({
      session: ses1,
      fence: 1,
      ...aLease({ expiresAt: T2 }),
    });
    const restarted = aLease({ holder: OTHER_HOLDER });
    expect(must(await opened.store.acquireLease(ses1, restarted, T0, false)).fence).toBe(2);
  });

  test("only the current holder renews", async () => {
    const opened = await open();
    await aSession(opened);
    expect(must(await opened.store.renewLease(ses1, 1, T2))).toBe("renewed");
    expect(must(await opened.store.lease(ses1))?.expiresAt).toBe(T2);
    expect(must(await opened.store.renewLease(ses1, 2, T2))).toBe("lost");
    must(await opened.store.releaseLease(ses1, 1));
    expect(must(await opened.store.renewLease(ses1, 1, T2))).toBe("lost");
    expect(must(await opened.store.renewLease(ses2, 1, T2))).toBe("lost");
  });

  test("an unknown session has no lease to take", async () => {
    const { store } = await open();
    expect(codeOf(await store.acquireLease(ses2, second, T0, true))).toBe("no-such-session");
  });
});

describe.each(ADAPTERS)("checkouts and commands, $name", ({ open }) => {
  test("a checkout has one writer, and a refusal names it", async () => {
    const { store } = await open();
    must(await store.lockCheckout("/repo", ses1, HOLDER));
    const refused = await store.lockCheckout("/repo", ses2, OTHER_HOLDER);
    expect(codeOf(refused)).toBe("checkout-busy");
    expect(refused.ok ? "" : refused.problem.message).toMatch(new RegExp(`/repo .*${ses1}.*pid 42 on box`));
    must(await store.lockCheckout("/other", ses2, OTHER_HOLDER));
  });

  test("a session may lock its checkout again and shows its newest holder", async () => {
    const { store } = await open();
    must(await store.lockCheckout("/repo", ses1, HOLDER));
    must(await store.lockCheckout("/repo", ses1, OTHER_HOLDER));
    expect(must(await store.checkoutLock("/repo"))).toEqual({ session: ses1, holder: OTHER_HOLDER });
  });

  test("only the session that locked a checkout unlocks it", async () => {
    const { store } = await open();
    must(await store.lockCheckout("/repo", ses1, HOLDER));
    must(await store.unlockCheckout("/repo", ses2));
    expect(must(await store.checkoutLock("/repo"))?.session).toBe(ses1);
    must(await store.unlockCheckout("/repo", ses1));
    expect(must(await store.checkoutLock("/repo"))).toBeUndefined();
    must(await store.lockCheckout("/repo", ses2, HOLDER));
  });

  const stop = { id: "cmd_1", session: ses1, kind: "stop", payload: { why: "enough" }, at: T0 };

  test("commands wait in order until an append answers them", async () => {
    const opened = await open();
    const next = await aSession(opened);
    const update = { ...stop, id: "cmd_0", kind: "update" };
    must(await opened.store.submitCommand(stop));
    must(await opened.store.submitCommand(update));
    expect(must(await opened.store.pendingCommands(ses1))).toEqual([stop, update]);
    expect(must(await opened.store.pendingCommands(ses2))).toEqual([]);
    must(await opened.store.append({ ...next, answered: ["cmd_1"] }));
    expect(must(await opened.store.pendingCommands(ses1))).toEqual([update]);
  });

  test("a command is answered once, also when it is submitted again", async () => {
    const opened = await open();
    const next = await aSession(opened);
    must(await opened.store.submitCommand(stop));
    must(await opened.store.submitCommand({ ...stop, kind: "changed" }));
    expect(must(await opened.store.pendingCommands(ses1))).toEqual([stop]);
    must(await opened.store.append({ ...next, answered: ["cmd_1"] }));
    must(await opened.store.submitCommand(stop));
    expect(must(await opened.store.pendingCommands(ses1))).toEqual([]);
    await expect(opened.store.append({ ...next, answered: ["cmd_1"] })).rejects.toThrow(
      "cmd_1 is not pending",
    );
  });

  test("a refused append answers nothing", async () => {
    const opened = await open();
    const next = await aSession(opened);
    must(await opened.store.submitCommand(stop));
    expect(codeOf(await opened.store.append({ ...next, fence: 9, answered: ["cmd_1"] }))).toBe("stale-lease");
    expect(must(await opened.store.pendingCommands(ses1))).toEqual([stop]);
  });

  test("a command for an unknown session is refused", async () => {
    const { store } = await open();
    expect(codeOf(await store.submitCommand(stop))).toBe("no-such-session");
  });
});
