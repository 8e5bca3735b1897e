import { fail, ok, type Result } from "../core/result.ts";
import { type Instant, instant } from "../core/time.ts";

const HOURS = { h: 1, d: 24, w: 168 } as const;

/**
 * A moment as people type it: so long ago (`36h`, `90d`, `12w`), or a date, with or without time; without an offset it
 * is local. `3m` could be minutes or months and is refused.
 */
export function readMoment(text: string | undefined, nowMs: number): Result<Instant | undefined> {
  if (text === undefined) return ok(undefined);
  const ago = /^(\d+)(h|d|w)$/.exec(text);
  if (ago !== null) {
    const unit = ago[2] === "w" ? "w" : ago[2] === "d" ? "d" : "h";
    return ok(instant(nowMs - Number(ago[1]) * HOURS[unit] * 3_600_000));
  }
  if (/^\d+m$/.test(text))
    return fail("bad-flag", `${text} may mean minutes or months`, {
      hint: "use hours (36h), days (90d) or weeks (12w)",
    });
  // A date alone is midnight UTC to the parser, and local midnight to people.
  const ms = /^\d{4}-\d{2}-\d{2}/.test(text)
    ? Date.parse(text.length === 10 ? `${text}T00:00` : text)
    : Number.NaN;
  if (!Number.isNaN(ms)) return ok(instant(ms));
  return fail("bad-flag", `${text} is no moment, expected 90d, 12w, 36h or a date such as 2026-11-30`);
}

/** A moment of a flag, now when it is not given. */
export function momentFlag(text: string | undefined, flag: string, nowMs: number): Result<Instant> {
  const read = readMoment(text, nowMs);
  if (!read.ok)
    return fail(
      "bad-flag",
      `${flag}: ${read.problem.message}`,
      read.problem.hint === undefined ? {} : { hint: read.problem.hint },
    );
  return ok(read.value ?? instant(nowMs));
}
