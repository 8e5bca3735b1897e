import { parentPort, workerData } from "node:worker_threads";
import { logCache } from "../adapters/log-cache/index.ts";
import { type BatchWork, readBatches } from "../compose-batches.ts";

/** The second thread of a scan: takes batches of log groups until none is left, then hands in all its lines. */
const { batches, next, cacheDir } = workerData as BatchWork;
const cache = cacheDir === undefined ? undefined : logCache(cacheDir);

async function read(): Promise<void> {
  const lines: string[] = [];
  for await (const line of readBatches(batches, () => Atomics.add(next, 0, 1), cache)) lines.push(line);
  parentPort?.postMessage(lines);
}

// A failure ends the thread with an error, of which the other one is told.
void read();
