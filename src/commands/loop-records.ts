import { ok, type Result } from "../core/result.ts";
import type { LoopRecord, LoopRecordKind, Store } from "../ports/store.ts";
import type { CommandContext } from "./types.ts";

/**
 * What is kept between the runs of a loop in this folder, newest first; none without a store. `loop` is empty for what
 * all loops of the folder share.
 */
export async function keptRecords(
  context: CommandContext,
  loop: string,
  kind?: LoopRecordKind,
): Promise<Result<readonly LoopRecord[]>> {
  const [store, topLevel] = [await context.readStore(), await context.topLevel()];
  if (!store.ok) return store;
  if (!topLevel.ok) return topLevel;
  if (store.value === undefined) return ok([]);
  return store.value.loopRecords({ topLevel: topLevel.value, loop, ...(kind !== undefined && { kind }) });
}

/** Changes it, given the folder that it belongs to. */
export async function changeRecords(
  context: CommandContext,
  changes: (topLevel: string) => Parameters<Store["changeLoopRecords"]>[0],
): Promise<Result<void>> {
  const [store, topLevel] = [await context.writeStore(), await context.topLevel()];
  if (!store.ok) return store;
  return topLevel.ok ? store.value.changeLoopRecords(changes(topLevel.value)) : topLevel;
}
