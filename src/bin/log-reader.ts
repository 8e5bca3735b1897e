import { parentPort, workerData } from "node:worker_threads";
import { logCache } from "../adapters/log-cache/index.ts";
import { type BatchWork, readBatches } from "../compose-batches.ts";

/** The second thread of a scan: told of batches, it takes some until none is left, then hands in all their lines. */
const cacheDir = workerData as string | undefined;
const cache = cacheDir === undefined ? undefined : logCache(cacheDir);

async function read({ batches, next }: BatchWork): Promise<void> {
  const lines: string[] = [];
  for await (const some of readBatches(batches, () => Atomics.add(next, 0, 1), cache)) lines.push(...some);
  parentPort?.postMessage(lines);
}

// A failure ends the thread; the other one then reads what this one took.
parentPort?.on("message", (work: BatchWork) => void read(work));
