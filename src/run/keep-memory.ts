import { memoryRecords, outdated } from "../record/index.ts";
import { leftBehind } from "./notes.ts";
import type { SessionRun } from "./session-run.ts";

/** Keeps what a session leaves for later runs of its loop; a resume says the same again in its own place. */
export async function keepMemory(run: SessionRun): Promise<void> {
  const { spec } = run.state;
  if (spec.memory === undefined) return;
  const { kept, refused } = leftBehind(run.state);
  const scope = { topLevel: spec.topLevel, loop: spec.title };
  const known = await run.ports.store.loopRecords({ ...scope, kind: "memory" });
  if (!known.ok) return;
  const days = Object.fromEntries(
    Object.entries(spec.memory.keeps).map(([name, { retentionDays }]) => [name, retentionDays]),
  );
  const drop = outdated(known.value, days, run.ports.clock.now());
  if (kept.length + refused.length + drop.length === 0) return;
  const put = memoryRecords(scope, run.session, run.now(), kept);
  const changed = await run.ports.store.changeLoopRecords({ put, drop });
  if (!changed.ok) return;
  await run.chain.commit(() => ({
    events: [{ type: "memory:kept", data: { kept: put.map(({ key }) => key), refused } }],
  }));
}
