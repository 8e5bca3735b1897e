import { logSource } from "./compose-sources.ts";
import { readGroups } from "./logs/group-reading.ts";
import type { LogCache, LogGroup } from "./ports/log-source.ts";

/** What threads share that read the same batches: each takes the one that `next` counts. */
export interface BatchWork {
  readonly batches: readonly (readonly LogGroup[])[];
  /** One counter in shared memory. */
  readonly next: Int32Array;
  readonly cacheDir: string | undefined;
}

/** The readings of the batches that `take` names, one line of JSON a group. */
export async function* readBatches(
  batches: BatchWork["batches"],
  take: () => number,
  cache: LogCache | undefined,
): AsyncGenerator<string> {
  const source = logSource();
  for (let batch = batches[take()]; batch !== undefined; batch = batches[take()]) {
    for (const group of batch) yield JSON.stringify(await readGroups(source, [group], cache));
  }
}
