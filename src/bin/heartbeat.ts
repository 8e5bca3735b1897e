import { parentPort, workerData } from "node:worker_threads";
import { openStore } from "../adapters/store-sqlite/index.ts";
import { systemClock } from "../adapters/system/clock.ts";
import type { SessionId } from "../core/ids.ts";

/** Renews one session's lease on its own thread and connection, so that a busy event loop does not lose it. */
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
    const renewed = await opened.value.store.renewLease(data.session, data.fence, until);
    if (renewed.ok && renewed.value === "lost") {
      parentPort?.postMessage("lost");
      break;
    }
  }
  await opened.value.store.close();
  parentPort?.close();
}

void beat(workerData as Beat);
