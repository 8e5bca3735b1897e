import { SECOND_MS } from "../core/time.ts";
import type { LoopTrigger, LoopTriggers } from "../formats/loop/index.ts";
import type { Firing } from "./due.ts";

/** A run that a watcher started, or a reason that it turned down. */
export interface Admitted {
  readonly key: string;
  readonly at: number;
}
export interface StartedRun {
  readonly startedAt: number;
  /** Absent while it is going on. */
  readonly endedAt?: number;
  /** How many runs before it led to it. */
  readonly depth: number;
}

export interface WatchHistory {
  /** Keys with the time at which they were let in. */
  readonly admitted: readonly Admitted[];
  readonly lastRun?: StartedRun;
}

export type Admission =
  | { readonly isAdmitted: true; readonly key: string; readonly depth: number }
  | { readonly isAdmitted: false; readonly key: string; readonly why: "duplicate" | "too-deep" };

/** What a run writes may be noticed a moment after it has ended. */
const AFTERMATH_MS = 5 * SECOND_MS;

/**
 * Whether a reason to run leads to one: not when the same was let in a moment ago, and not at the end of a chain of runs
 * that start each other. The clock and a webhook start a new chain, and so does a file that no run of ours can have
 * written.
 */
export function admit(
  { idempotencyKey }: Pick<LoopTrigger, "idempotencyKey">,
  firing: Firing,
  { admitted, lastRun }: WatchHistory,
  { maxDepth, dedupWindowMs }: Pick<LoopTriggers, "maxDepth" | "dedupWindowMs">,
  now: number,
): Admission {
  const key = idempotencyKey ?? firing.key;
  const isDuplicate = admitted.some((one) => one.key === key && now - one.at < dedupWindowMs);
  if (isDuplicate) return { isAdmitted: false, key, why: "duplicate" };
  const depth = lastRun !== undefined && isCausedBy(lastRun, firing) ? lastRun.depth + 1 : 0;
  return depth > 0 && depth >= maxDepth
    ? { isAdmitted: false, key, why: "too-deep" }
    : { isAdmitted: true, key, depth };
}

function isCausedBy({ startedAt, endedAt }: StartedRun, { cause, at }: Firing): boolean {
  if (cause === "goal") return true;
  if (cause !== "file") return false;
  return at >= startedAt && (endedAt === undefined || at <= endedAt + AFTERMATH_MS);
}

/** Keys that no later firing can be a duplicate of are forgotten. */
export function remembering(
  { admitted }: WatchHistory,
  key: string,
  dedupWindowMs: number,
  now: number,
): readonly Admitted[] {
  return [...admitted.filter(({ at }) => now - at < dedupWindowMs), { key, at: now }];
}
