import { parentPort, workerData } from "node:worker_threads";
import { logCache } from "../adapters/log-cache/index.ts";
import { logSource } from "../compose-sources.ts";
import { readGroups } from "../logs/group-reading.ts";
import type { LogGroup } from "../ports/log-source.ts";

/** Reads log groups on a thread of its own: batches come in, one line of JSON a group goes out. */
const { cacheDir } = workerData as { readonly cacheDir: string | undefined };
const source = logSource();
const cache = cacheDir === undefined ? undefined : logCache(cacheDir);

parentPort?.on("message", async (batch: readonly LogGroup[]) => {
  const lines: string[] = [];
  for (const group of batch) lines.push(JSON.stringify(await readGroups(source, [group], cache)));
  parentPort?.postMessage(lines);
});
