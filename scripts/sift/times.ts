/** Two digits, or a number far too large. */
function twoDigits(p: i32): i32 {
  const tens = <i32>load<u8>(p) - 0x30;
  const ones = <i32>load<u8>(p, 1) - 0x30;
  return <u32>tens > 9 || <u32>ones > 9 ? 1000000 : tens * 10 + ones;
}

/**
 * Milliseconds of `"YYYY-MM-DDTHH:MM:SS.mmmZ"`, which every known writer uses; NaN when it is written in any other way
 * or is no day of the calendar, which says nothing about whether it is read as a time.
 */
export function isoTime(start: i32, end: i32): f64 {
  if (end - start !== 26) return NaN;
  const p = start + 1;
  const isWritten =
    (load<u8>(p, 4) ^ 0x2d) |
    (load<u8>(p, 7) ^ 0x2d) |
    (load<u8>(p, 10) ^ 0x54) |
    (load<u8>(p, 13) ^ 0x3a) |
    (load<u8>(p, 16) ^ 0x3a) |
    (load<u8>(p, 19) ^ 0x2e) |
    (load<u8>(p, 23) ^ 0x5a);
  const year = twoDigits(p) * 100 + twoDigits(p + 2);
  const month = twoDigits(p + 5);
  const day = twoDigits(p + 8);
  const hour = twoDigits(p + 11);
  const minute = twoDigits(p + 14);
  const second = twoDigits(p + 17);
  const last = <i32>load<u8>(p, 22) - 0x30;
  const isDate = year >= 2015 && year <= 2099 && month >= 1 && month <= 12;
  const isTime = hour <= 23 && minute <= 59 && second <= 59 && twoDigits(p + 20) <= 99 && <u32>last <= 9;
  if (isWritten !== 0 || !isDate || !isTime || day < 1 || day > daysOf(year, month)) return NaN;
  // Counted from the first of March, so that a leap day ends its year.
  const y = month <= 2 ? year - 1 : year;
  const m = month <= 2 ? month + 9 : month - 3;
  const days = y * 365 + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 719469;
  const seconds = hour * 3600 + minute * 60 + second;
  return <f64>days * 86400000 + <f64>(seconds * 1000 + twoDigits(p + 20) * 10 + last);
}

/** Of a month of this century. */
function daysOf(year: i32, month: i32): i32 {
  if (month === 2) return (year & 3) === 0 ? 29 : 28;
  return 30 + ((month + (month >> 3)) & 1);
}
