import { assertNever, must } from "../core/result.ts";
import { HOUR_MS, MINUTE_MS } from "../core/time.ts";
import { type CronSchedule, parseCron } from "../formats/cron.ts";
import type { LoopTrigger, MissedRuns, TriggerEvent } from "../formats/loop/index.ts";

/** What a watcher finds out about the world when it looks. Times are ms. */
export interface Facts {
  /** Newest change of anything at or below a path; 0 when there is nothing. */
  changedAt(path: string): number;
  /** Of this loop, or of the loop of that name. */
  isSatisfied(goal: string, loop?: string): boolean;
  /** Calls of a webhook that were not asked for yet, oldest first. */
  callsOf(webhook: string): readonly { readonly id: string; readonly at: number }[];
}

/** What was found the last time; plain JSON, so that it outlives the watcher. */
export interface Remembered {
  readonly lookedAt: number;
  /** Of an interval: the last time that was due, or the first look. */
  readonly slotAt?: number;
  readonly changedAt?: number;
  readonly wasSatisfied?: boolean;
}

/** A reason to run. The same reason has the same key. */
export interface Firing {
  readonly key: string;
  /** When it was due. */
  readonly at: number;
  readonly cause: "clock" | "file" | "goal" | "webhook";
}

export interface Due {
  readonly firings: readonly Firing[];
  /** Times that the policy for missed runs left out; after a long sleep at least so many. */
  readonly skipped: number;
  readonly remembered: Remembered;
}

/** What is later than this was missed: nobody looked, or a run was going on. */
const GRACE_MS = MINUTE_MS;
/** A year of sleep is no reason for a thousand runs. */
const MAX_CAUGHT_UP = 24;
const DAY_MS = 24 * HOUR_MS;

/**
 * What a trigger asks for now, given the last look; `last` is undefined at the first. Everything fires on an edge: the
 * first look only takes note, so that a watcher that starts finds nothing due that was so before it.
 */
export function due(
  { on, isEnabled, missed }: LoopTrigger,
  last: Remembered | undefined,
  now: number,
  facts: Facts,
): Due {
  if (!isEnabled) return { firings: [], skipped: 0, remembered: { lookedAt: now } };
  switch (on.type) {
    case "cron":
      return dueByCron(on, missed, last, now);
    case "interval":
      return dueByInterval(on, missed, last, now);
    case "file_change": {
      const changedAt = facts.changedAt(on.path);
      const hasGrown = last?.changedAt !== undefined && changedAt > last.changedAt;
      const key = `file:${on.path}:${changedAt}`;
      return {
        firings: hasGrown ? [{ key, at: changedAt, cause: "file" }] : [],
        skipped: 0,
        // What vanished is no news, and what comes back older than it was is none either.
        remembered: { lookedAt: now, changedAt: Math.max(changedAt, last?.changedAt ?? 0) },
      };
    }
    case "goal_satisfied": {
      const isSatisfied = facts.isSatisfied(on.goal, on.loop);
      const isEdge = last?.wasSatisfied === false && isSatisfied;
      const key = `goal:${on.loop === undefined ? "" : `${on.loop}/`}${on.goal}:${now}`;
      return {
        firings: isEdge ? [{ key, at: now, cause: "goal" }] : [],
        skipped: 0,
        remembered: { lookedAt: now, wasSatisfied: isSatisfied },
      };
    }
    case "webhook": {
      const calls = facts
        .callsOf(on.name)
        .map(({ id, at }): Firing => ({ key: `webhook:${on.name}:${id}`, at, cause: "webhook" }));
      return { ...caughtUp(calls, missed, now), remembered: { lookedAt: now } };
    }
    case "manual":
      return { firings: [], skipped: 0, remembered: { lookedAt: now } };
    default:
      return assertNever(on);
  }
}

function dueByCron(
  { expr, timezone }: Extract<TriggerEvent, { readonly type: "cron" }>,
  missed: MissedRuns,
  last: Remembered | undefined,
  now: number,
): Due {
  const remembered = { lookedAt: Math.max(now, last?.lookedAt ?? now) };
  if (last === undefined) return { firings: [], skipped: 0, remembered };
  const firings = timesBetween(must(parseCron(expr, timezone)), last.lookedAt, now).map(
    (at): Firing => ({ key: `cron:${expr}:${timezone}:${Math.floor(at / MINUTE_MS)}`, at, cause: "clock" }),
  );
  return { ...caughtUp(firings, missed, now), remembered };
}

/** After so many the rest of a long sleep is passed over but for its end: nobody wants to know how many more. */
const MAX_COUNTED = 1000;

function timesBetween(cron: CronSchedule, from: number, to: number): readonly number[] {
  const times: number[] = [];
  let at = cron.next(from);
  while (at !== undefined && at <= to) {
    times.push(at);
    at = cron.next(times.length === MAX_COUNTED ? Math.max(at, to - DAY_MS) : at);
  }
  return times;
}

function dueByInterval(
  { intervalMs }: Extract<TriggerEvent, { readonly type: "interval" }>,
  missed: MissedRuns,
  last: Remembered | undefined,
  now: number,
): Due {
  const from = last?.slotAt ?? now;
  const count = Math.max(0, Math.floor((now - from) / intervalMs));
  const newest = from + count * intervalMs;
  const slots = Math.min(count, MAX_CAUGHT_UP + 1);
  const firings = Array.from({ length: slots }, (_, index): Firing => {
    const at = newest - (slots - 1 - index) * intervalMs;
    return { key: `interval:${intervalMs / 1000}:${at}`, at, cause: "clock" };
  });
  const { skipped, ...chosen } = caughtUp(firings, missed, now);
  return { ...chosen, skipped: skipped + count - slots, remembered: { lookedAt: now, slotAt: newest } };
}

/** Of several reasons that came together, oldest first, those that the policy keeps. */
function caughtUp(
  firings: readonly Firing[],
  missed: MissedRuns,
  now: number,
): Pick<Due, "firings" | "skipped"> {
  const kept = keptOf(firings, missed, now);
  return { firings: kept, skipped: firings.length - kept.length };
}

function keptOf(firings: readonly Firing[], missed: MissedRuns, now: number): readonly Firing[] {
  switch (missed) {
    case "skip":
      return firings.slice(-1).filter(({ at }) => now - at < GRACE_MS);
    case "once":
      return firings.slice(-1);
    case "all":
      return firings.slice(-MAX_CAUGHT_UP);
    default:
      return assertNever(missed);
  }
}
