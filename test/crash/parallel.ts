import { availableParallelism } from "node:os";

/** Does the work for every item, some at a time: what is waited for is other processes. */
export async function inParallel<T>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<void>,
  lanes = 2 * availableParallelism() + 1,
): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < items.length) {
      const index = next;
      next += 1;
      const item = items[index];
      if (item !== undefined) await work(item, index);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
