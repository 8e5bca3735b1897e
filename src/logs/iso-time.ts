/** `YYYY-MM-DDTHH:MM:SS.mmmZ`, which every known writer uses. */
const LENGTH = 24;
/** Months have more days, but not all of them. */
const SAFE_DAYS = 28;
const FIRST_YEAR = 2015;
const LAST_YEAR = 2099;

/**
 * Milliseconds of a time as bytes without making a string of it; undefined when it is written in any other way or
 * needs a calendar to be judged, which says nothing about whether it is a time.
 */
export function isoMs(bytes: Uint8Array, from: number, to: number): number | undefined {
  if (to - from !== LENGTH) return undefined;
  const year = digits(bytes, from, 4);
  const month = digits(bytes, from + 5, 2);
  const day = digits(bytes, from + 8, 2);
  const hour = digits(bytes, from + 11, 2);
  const minute = digits(bytes, from + 14, 2);
  const second = digits(bytes, from + 17, 2);
  const ms = digits(bytes, from + 20, 3);
  const isWritten =
    bytes[from + 4] === 0x2d &&
    bytes[from + 7] === 0x2d &&
    bytes[from + 10] === 0x54 &&
    bytes[from + 13] === 0x3a &&
    bytes[from + 16] === 0x3a &&
    bytes[from + 19] === 0x2e &&
    bytes[from + 23] === 0x5a;
  if (!isWritten || !(year >= FIRST_YEAR && year <= LAST_YEAR && month >= 1 && month <= 12)) return undefined;
  if (!(day >= 1 && day <= SAFE_DAYS && hour <= 23 && minute <= 59 && second <= 59 && ms >= 0))
    return undefined;
  return Date.UTC(year, month - 1, day, hour, minute, second, ms);
}

/** NaN when one of them is no digit. */
function digits(bytes: Uint8Array, from: number, count: number): number {
  let value = 0;
  for (let i = from; i < from + count; i += 1) {
    const digit = (bytes[i] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}
