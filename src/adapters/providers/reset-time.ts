import { MINUTE_MS, SECOND_MS } from "../../core/time.ts";

const DAY_MS = 24 * 60 * MINUTE_MS;
const UNIT_MS: Readonly<Record<string, number>> = {
  d: DAY_MS,
  h: 60 * MINUTE_MS,
  m: MINUTE_MS,
  s: SECOND_MS,
  ms: 1,
};
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** `resets 12:33pm (UTC)`, `will reset at 9am (America/Chicago)`, `resets Dec 5, 3pm`, `try again at Dec 5th, 2026 1:41 AM`. */
const CLOCK =
  /(?:resets?|try again)(?: at| on)? (?:([a-z]{3})[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?(?:, ?(\d{4}))?,?(?: at)? )?(\d{1,2})(?::(\d{2}))? ?([ap])\.?m\.?(?: \(([\w/+-]+)\))?/i;
/** `try again in 2 days 17 hours 14 minutes`, `try again in 6m0s`. */
const WAIT = /try again in ((?:\d+(?:\.\d+)? ?(?:d|h|m|s|ms)[a-z]*[ ,]*)+)/i;

/**
 * When a provider's limit ends, read from what its program says about it; milliseconds since the epoch, or undefined
 * when the text names no time. Wall-clock times without a zone are meant in `zone`, by default this machine's.
 *
 * Programs drop the seconds, so a wall-clock time is taken to its end of minute.
 */
export function parseResetMs(text: string, nowMs: number, zone?: string): number | undefined {
  const epoch = /limit reached\|(\d{10})(\d{3})?\b/i.exec(text);
  if (epoch !== null) return Number(epoch[1]) * SECOND_MS;
  const wait = WAIT.exec(text)?.[1];
  if (wait !== undefined) return nowMs + waitMs(wait);
  const retryAfter = /retry-after["']?[:=]? ?["']?(\d+)/i.exec(text)?.[1];
  if (retryAfter !== undefined) return nowMs + Number(retryAfter) * SECOND_MS;
  const clock = CLOCK.exec(text);
  return clock === null ? undefined : clockMs(clock, nowMs, zone);
}

function waitMs(text: string): number {
  let total = 0;
  for (const part of text.matchAll(/(\d+(?:\.\d+)?) ?(ms|[dhms])/gi)) {
    total += Number(part[1]) * (UNIT_MS[(part[2] ?? "").toLowerCase()] ?? 0);
  }
  return Math.round(total);
}

function clockMs(match: RegExpExecArray, nowMs: number, fallbackZone?: string): number | undefined {
  const [, monthName, day, year, hour, minute, half, named] = match;
  const zone = named ?? fallbackZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!isZone(zone)) return undefined;
  const today = wallClock(nowMs, zone);
  const month = monthName === undefined ? today.month : MONTHS.indexOf(monthName.toLowerCase()) + 1;
  if (month === 0) return undefined;
  const wall = {
    year: year === undefined ? today.year : Number(year),
    month,
    day: day === undefined ? today.day : Number(day),
    hour: (Number(hour) % 12) + (half?.toLowerCase() === "p" ? 12 : 0),
    minute: Number(minute ?? 0),
  };
  const at = epochOf(wall, zone) + MINUTE_MS;
  // A moment just past is a limit that has ended while we read; one long past means the next day or year.
  if (at > nowMs - 60 * MINUTE_MS || year !== undefined) return at;
  const next = monthName === undefined ? { ...wall, day: wall.day + 1 } : { ...wall, year: wall.year + 1 };
  return epochOf(next, zone) + MINUTE_MS;
}

interface Wall {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

function wallClock(epochMs: number, zone: string): Wall {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  });
  const parts = new Map(format.formatToParts(epochMs).map((part) => [part.type, Number(part.value)]));
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  return { year: of("year"), month: of("month"), day: of("day"), hour: of("hour"), minute: of("minute") };
}

function asUtc(wall: Wall): number {
  return Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute);
}

/** The zone's offset is looked up at the guess and again at the corrected moment, which settles clock changes. */
function epochOf(wall: Wall, zone: string): number {
  const target = asUtc(wall);
  let at = target;
  for (let round = 0; round < 2; round += 1)
    at = target - (asUtc(wallClock(at, zone)) - Math.floor(at / MINUTE_MS) * MINUTE_MS);
  return at;
}
