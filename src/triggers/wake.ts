import { assertNever, must } from "../core/result.ts";
import { SECOND_MS } from "../core/time.ts";
import { parseCron } from "../formats/cron.ts";
import type { LoopTrigger } from "../formats/loop/index.ts";
import type { Remembered } from "./due.ts";

/** How often things without a clock are looked at. */
const FILE_POLL_MS = 5 * SECOND_MS;
const GOAL_POLL_MS = 30 * SECOND_MS;
const WEBHOOK_POLL_MS = SECOND_MS;

/** The next time that the clock alone makes a trigger due; undefined when it never does. */
export function nextDue(
  { on, isEnabled }: LoopTrigger,
  last: Remembered | undefined,
  now: number,
): number | undefined {
  if (!isEnabled) return undefined;
  switch (on.type) {
    case "cron":
      return must(parseCron(on.expr, on.timezone)).next(now);
    case "interval":
      return Math.max(now, (last?.slotAt ?? now) + on.intervalMs);
    case "file_change":
    case "goal_satisfied":
    case "webhook":
    case "manual":
      return undefined;
    default:
      return assertNever(on);
  }
}

/** When a watcher looks again; undefined when nothing can ever be due. */
export function nextLook(
  triggers: readonly { readonly trigger: LoopTrigger; readonly last: Remembered | undefined }[],
  now: number,
): number | undefined {
  const times = triggers.flatMap(({ trigger, last }) => lookAt(trigger, last, now) ?? []);
  return times.length === 0 ? undefined : Math.max(now + SECOND_MS, Math.min(...times));
}

function lookAt(trigger: LoopTrigger, last: Remembered | undefined, now: number): number | undefined {
  if (!trigger.isEnabled) return undefined;
  switch (trigger.on.type) {
    case "file_change":
      return now + FILE_POLL_MS;
    case "goal_satisfied":
      return now + GOAL_POLL_MS;
    case "webhook":
      return now + WEBHOOK_POLL_MS;
    case "cron":
    case "interval":
    case "manual":
      return nextDue(trigger, last, now);
    default:
      return assertNever(trigger.on);
  }
}

/** Whether anything but a person can start a run. */
export function isWatchable(triggers: readonly LoopTrigger[]): boolean {
  return triggers.some(({ on, isEnabled }) => isEnabled && on.type !== "manual");
}
