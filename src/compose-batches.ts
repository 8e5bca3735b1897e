import { logSource } from "./compose-sources.ts";
import { lineOf, readGroups } from "./logs/group-reading.ts";
import type { LogCache, LogSet } from "./ports/log-source.ts";

/** What threads share that read the same batches: each takes the one that `next` counts. */
export interface BatchWork {
  readonly batches: readonly (readonly LogSet[])[];
  /** One counter in shared memory. */
  readonly next: Int32Array;
}

/** The readings of the batches that `take` names. */
export async function* readBatches(
  batches: BatchWork["batches"],
  take: () => number,
  cache: LogCache | undefined,
): AsyncGenerator<readonly string[]> {
  const source = logSource();
  for (let batch = batches[take()]; batch !== undefined; batch = batches[take()]) {
    const lines: string[] = [];
    for (const set of batch) {
      const reading = readGroups(source, set, cache);
      lines.push(lineOf(reading instanceof Promise ? await reading : reading));
    }
    yield lines;
  }
}
