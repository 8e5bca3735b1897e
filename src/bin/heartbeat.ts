import { parentPort, workerData } from "node:worker_threads";
import { openStore } from "../adapters/store-sqlite/index.ts";
import { systemClock } from "../adapters/system/clock.ts";
import type { SessionId } from "../core/ids.ts";
import type { AttemptQueue } from "../ports/queue.ts";

/** Renews one session's lease, and its workers' claims, on its own thread and connection, so that a busy event loop does not lose it. */
interface Beat {
  readonly home: string;
  readonly session: SessionId;
  readonly fence: number;
  readonly everyMs: number;
  readonly leaseMs: number;
}

async function beat(data: Beat): Promise<void> {
  const opened = await openStore(data.home, systemClock, {});
  if (!opened.ok) return;
  let stopped = false;
  parentPort?.on("message", () => {
    stopped = true;
  });
  while (!stopped) {
    await systemClock.sleep(data.everyMs);
    if (stopped) break;
    const until = new Date(systemClock.now() + data.leaseMs).toISOString();
    await renewClaims(opened.value.queue, data.session, until);
    const renewed = await opened.value.store.renewLease(data.session, data.fence, until);
    if (renewed.ok && renewed.value === "lost") {
      parentPort?.postMessage("lost");
      break;
    }
  }
  await opened.value.store.close();
  parentPort?.close();
}

/** Every claim of the session is held by the process that this thread beats for. */
async function renewClaims(queue: AttemptQueue, session: SessionId, leaseUntil: string): Promise<void> {
  const rows = await queue.list(session);
  if (!rows.ok) return;
  for (const row of rows.value) {
    if (row.state === "claimed") await queue.heartbeat(row, leaseUntil);
  }
}

void beat(workerData as Beat);
