/** Numbers, `true`, `false` and `null`. */
import { FALSE, NULL, TRUE } from "./layout";
import { brokenAt } from "./position";

/** Whole numbers of so many digits are exact. */
const EXACT_DIGITS: i32 = 15;
/** The number that was read last; NaN for what is not a whole number of a few digits. */
export let wholeNumber: f64 = NaN;

export function isDigit(c: i32): bool {
  return c >= 0x30 && c <= 0x39;
}

/** Behind one digit or more; -1 when there is none. */
function skipDigits(from: i32): i32 {
  let p = from;
  while (isDigit(load<u8>(p))) ++p;
  return p === from ? brokenAt(p) : p;
}

/** Behind the number that starts here; -1 when it is none. Most are whole and have a few digits. */
export function skipNumber(from: i32): i32 {
  const digits = load<u64>(from) ^ 0x3030303030303030;
  // The first bit that is set belongs to the first byte that is no digit.
  const others = ((digits + 0x7676767676767676) | digits) & 0x8080808080808080;
  const bits = ctz(others) & 56;
  const next = <i32>load<u8>(from + <i32>(bits >> 3));
  const isOdd = others === 0 || bits === 0 || (bits > 8 && (digits & 255) === 0) || next === 0x2e || (next | 32) === 0x65;
  if (isOdd) return skipOddNumber(from);
  // Pairs, then fours, then all eight of them; what is missing in front counts as zeros.
  let value = digits << (64 - bits);
  value = ((value * 2561) >> 8) & 0x00ff00ff00ff00ff;
  value = ((value * 6553601) >> 16) & 0x0000ffff0000ffff;
  wholeNumber = <f64>((value * 42949672960001) >> 32);
  return from + <i32>(bits >> 3);
}

function skipOddNumber(from: i32): i32 {
  let p = load<u8>(from) === 0x2d ? from + 1 : from;
  p = load<u8>(p) === 0x30 ? p + 1 : skipDigits(p);
  if (p < 0) return p;
  if (load<u8>(p) === 0x2e) {
    p = skipDigits(p + 1);
    if (p < 0) return p;
  }
  if ((load<u8>(p) | 32) === 0x65) {
    const sign = load<u8>(p, 1);
    p = skipDigits(sign === 0x2b || sign === 0x2d ? p + 2 : p + 1);
  }
  wholeNumber = toWholeNumber(from, p);
  return p;
}

function toWholeNumber(start: i32, end: i32): f64 {
  if (end - start > EXACT_DIGITS) return NaN;
  let value: i64 = 0;
  for (let p = start; p < end; ++p) {
    const digit = <i32>load<u8>(p) - 0x30;
    if (<u32>digit > 9) return NaN;
    value = value * 10 + digit;
  }
  return <f64>value;
}

/** `true`, `false` or `null` here; its type, or -1. */
export function literalType(p: i32): i32 {
  const word = load<u32>(p);
  if (word === 0x65757274) return TRUE;
  if (word === 0x6c6c756e) return NULL;
  return word === 0x736c6166 && load<u8>(p, 4) === 0x65 ? FALSE : -1;
}

export function skipLiteral(p: i32): i32 {
  const type = literalType(p);
  return type < 0 ? brokenAt(p) : p + (type === FALSE ? 5 : 4);
}
