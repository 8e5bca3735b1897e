import { afterEach, expect, test } from "vitest";
import { openStore } from "../../src/adapters/store-sqlite/index.ts";
import { systemClock } from "../../src/adapters/system/clock.ts";
import { must } from "../../src/core/result.ts";
import { type Lab, openLab } from "../lab.ts";

let lab: Lab | undefined;
afterEach(() => lab?.dispose());

test("a running session's lease and claims are renewed before they lapse", async () => {
  lab = openLab({ "a.txt": "a\n" });
  const agent = lab.agent("sleep 16; touch b.txt");
  const running = lab.start(["go", "b", "--check", "test -e b.txt", "--provider", agent, "--json"]);
  const leases = new Set<string>();
  const claims = new Set<string>();
  let over = false;
  void running.finished.then(() => {
    over = true;
  });
  while (!over) {
    await systemClock.sleep(500);
    const opened = await openStore(lab.home, systemClock, { readOnly: true });
    if (!opened.ok) continue;
    const { store, queue } = opened.value;
    for (const { session } of must(await store.sessions({}))) {
      const lease = must(await store.lease(session));
      if (lease !== undefined) leases.add(lease.expiresAt);
      for (const row of must(await queue.list(session)))
        if (row.leaseUntil !== undefined) claims.add(row.leaseUntil);
    }
    await store.close();
  }
  expect((await running.finished).exit).toBe(0);
  expect(leases.size).toBeGreaterThan(1);
  expect(claims.size).toBeGreaterThan(1);
});
