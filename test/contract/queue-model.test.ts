import fc from "fast-check";
import { expect, test } from "vitest";
import type { OpenedStore } from "../../src/adapters/store-sqlite/index.ts";
import { must } from "../../src/core/result.ts";
import { memoryStore } from "../../src/testing/memory-store.ts";
import {
  anAttempt,
  attemptId,
  claim,
  enqueue,
  realClock,
  sessionId,
  sqliteStore,
  T0,
  T1,
  T2,
  temporaryHome,
} from "./store-fixtures.ts";

/** One step that a coordinator or a worker may take, by small numbers. */
const step = fc.oneof(
  fc.record({ do: fc.constant("claim" as const), max: fc.nat(3), at: fc.constantFrom(T0, T1) }),
  fc.record({ do: fc.constantFrom("heartbeat" as const, "complete" as const), nth: fc.nat(5) }),
  fc.record({ do: fc.constantFrom("cancel" as const, "acknowledge" as const), attempt: fc.nat(9) }),
  fc.record({ do: fc.constant("revoke" as const), nth: fc.nat(5) }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
const orders = fc.array(
  fc.record({
    key: fc.constantFrom("/a", "/b", "/c"),
    capability: fc.constantFrom("agent", "gpu"),
    priority: fc.nat(2),
    notBefore: fc.constantFrom(T0, T1),
    dependsOn: fc.uniqueArray(fc.nat(9), { maxLength: 2 }),
  }),
  { minLength: 1, maxLength: 8 },
);

test("the embedded queue answers any course of events as the in-memory one does", async () => {
  await fc.assert(
    fc.asyncProperty(orders, fc.array(step, { maxLength: 20 }), async (queued, steps) => {
      const attempts = queued.map((order, n) => {
        const dependsOn = order.dependsOn.filter((m) => m < n).map(attemptId);
        return anAttempt(n, { ...order, dependsOn });
      });
      const traces = [];
      for (const opened of [memoryStore(realClock), await sqliteStore(temporaryHome())]) {
        const next = await enqueue(opened, ...attempts);
        traces.push(await follow(opened, next, steps));
        await opened.store.close();
      }
      expect(traces[1]).toEqual(traces[0]);
    }),
    { numRuns: 40 },
  );
});

async function follow(
  opened: OpenedStore,
  next: Awaited<ReturnType<typeof enqueue>>,
  steps: readonly Step[],
) {
  const trace: unknown[] = [];
  const claims: Awaited<ReturnType<typeof claim>>[number][] = [];
  for (const one of steps) {
    trace.push(await take(opened, next, one, claims).catch((error: unknown) => String(error)));
    trace.push(must(await opened.queue.list(sessionId(1))));
  }
  return trace;
}

async function take(
  { queue, store }: OpenedStore,
  next: Awaited<ReturnType<typeof enqueue>>,
  one: Step,
  claims: Awaited<ReturnType<typeof claim>>[number][],
): Promise<unknown> {
  if (one.do === "claim") {
    const got = await claim({ queue }, { max: one.max, now: one.at, capabilities: ["agent", "gpu"] });
    claims.push(...got);
    return got;
  }
  if ("attempt" in one) {
    const attempt = attemptId(one.attempt);
    return one.do === "cancel" ? queue.cancel(attempt) : store.append({ ...next, acknowledge: [attempt] });
  }
  const mine = claims[one.nth];
  if (mine === undefined) return undefined;
  if (one.do === "heartbeat") return queue.heartbeat(mine, T2);
  if (one.do === "complete") return queue.complete(mine, { by: one.nth });
  return queue.revoke(mine.attempt, mine.fence);
}
