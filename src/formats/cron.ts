import { Cron } from "croner";
import { fail, ok, type Result } from "../core/result.ts";

export interface CronSchedule {
  /** The first time after `after`; undefined when there is none. */
  next(after: number): number | undefined;
}

/**
 * Five fields in the time of a zone, or a nickname such as `@daily`. When both day fields are restricted either may match,
 * as in every cron. A fixed time of day that a change of clocks leaves out comes right after it, and one that comes twice
 * counts once; a step (`*\/15`) counts every time. Problem: `bad-input`.
 */
export function parseCron(expr: string, timezone: string): Result<CronSchedule> {
  try {
    const cron = new Cron(expr, { timezone, paused: true, mode: "5-part", fixedTimeRule: "no-wildcard" });
    const next = (after: number) => cron.nextRun(new Date(after))?.getTime();
    // An unknown zone shows only when a time is asked for.
    next(0);
    return ok({ next });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return fail("bad-input", reasonOf(error, timezone));
  }
}

function reasonOf(error: Error, timezone: string): string {
  if (/timezone/i.test(error.message)) return `no time zone "${timezone}"`;
  const reason = error.message.replace(/^Cron\w*: /, "");
  return `not a cron expression: ${reason.charAt(0).toLowerCase()}${reason.slice(1).replace(/\.$/, "")}`;
}

/** Days of the month and days of the week are both restricted, so that either may match. */
export function hasBothDayFields(expr: string): boolean {
  const [, , day = "*", , weekday = "*"] = expr.trim().split(/\s+/);
  return !/^[*?]/.test(day) && !/^[*?]/.test(weekday);
}
