/** Strings of JSON, 32 or 64 bytes at a time. */
import { isDigit } from "./numbers";
import { brokenAt } from "./position";

const ODD_BITS: u64 = 0xaaaaaaaaaaaaaaaa;
export let isPlain: bool = true;
export let hasEscape: bool = false;

function isHex(c: i32): bool {
  return isDigit(c) || ((c | 32) >= 0x61 && (c | 32) <= 0x66);
}

function areHex(p: i32): bool {
  return isHex(load<u8>(p)) && isHex(load<u8>(p, 1)) && isHex(load<u8>(p, 2)) && isHex(load<u8>(p, 3));
}

/** From behind the opening quote to behind the closing one; -1 when broken. Most strings are short and plain. */
export function skipString(from: i32): i32 {
  const v = v128.load(from);
  const w = v128.load(from, 16);
  const quote = i8x16.splat(0x22);
  const quotes = bits32(i8x16.eq(v, quote), i8x16.eq(w, quote));
  // Bytes from 0x80 on have the bit that the mask collects.
  const others = bits32(v128.or(notPlain(v), v), v128.or(notPlain(w), w));
  if (quotes === 0 || (others & (quotes - 1) & ~quotes) !== 0) return skipLongString(from);
  isPlain = true;
  hasEscape = false;
  return from + ctz(quotes) + 1;
}

function notPlain(v: v128): v128 {
  return v128.or(i8x16.eq(v, i8x16.splat(0x5c)), i8x16.lt_u(v, i8x16.splat(0x20)));
}

function bits32(a: v128, b: v128): i32 {
  return i8x16.bitmask(a) | (i8x16.bitmask(b) << 16);
}

function bits64(a: v128, b: v128, c: v128, d: v128): u64 {
  return <u64>(<u32>bits32(a, b)) | ((<u64>(<u32>bits32(c, d))) << 32);
}

/** Marks what mostly follows a backslash, each in the place of its lower half: " / \ f n t. */
function oftenEscaped(v: v128): v128 {
  const often = i8x16(-1, -1, 0x22, -1, 0x74, -1, 0x66, -1, -1, -1, -1, -1, 0x5c, -1, 0x6e, 0x2f);
  return i8x16.eq(v, i8x16.swizzle(often, v128.and(v, i8x16.splat(15))));
}

/** Whether this may follow a backslash too. */
function isSeldomEscaped(p: i32): bool {
  const c = load<u8>(p);
  return c === 0x72 || c === 0x62 || (c === 0x75 && areHex(p + 1));
}

/** 64 bytes at a time, up to the first block with an escape. */
function skipLongString(from: i32): i32 {
  const quote = i8x16.splat(0x22);
  const slash = i8x16.splat(0x5c);
  const space = i8x16.splat(0x20);
  let high = i8x16.splat(0);
  for (let p = from; true; p += 64) {
    const v0 = v128.load(p);
    const v1 = v128.load(p, 16);
    const v2 = v128.load(p, 32);
    const v3 = v128.load(p, 48);
    const slashes = v128.or(
      v128.or(i8x16.eq(v0, slash), i8x16.eq(v1, slash)),
      v128.or(i8x16.eq(v2, slash), i8x16.eq(v3, slash)),
    );
    if (v128.any_true(slashes)) return skipEscapedString(p);
    high = v128.or(high, v128.or(v128.or(v0, v1), v128.or(v2, v3)));
    const q0 = i8x16.eq(v0, quote);
    const q1 = i8x16.eq(v1, quote);
    const q2 = i8x16.eq(v2, quote);
    const q3 = i8x16.eq(v3, quote);
    const low = i8x16.lt_u(i8x16.min_u(i8x16.min_u(v0, v1), i8x16.min_u(v2, v3)), space);
    if (v128.any_true(v128.or(low, v128.or(v128.or(q0, q1), v128.or(q2, q3))))) {
      const quotes = bits64(q0, q1, q2, q3);
      const wrong = lowBits(v0, v1, v2, v3);
      hasEscape = false;
      isPlain = i8x16.bitmask(high) === 0;
      return ended(p, quotes, wrong);
    }
  }
  return -1;
}

/** The same from the first block with an escape on, without branches that text would make hard to foresee. */
function skipEscapedString(from: i32): i32 {
  const quote = i8x16.splat(0x22);
  const slash = i8x16.splat(0x5c);
  const space = i8x16.splat(0x20);
  let isEscaped: u64 = 0;
  hasEscape = true;
  isPlain = false;
  for (let p = from; true; p += 64) {
    const v0 = v128.load(p);
    const v1 = v128.load(p, 16);
    const v2 = v128.load(p, 32);
    const v3 = v128.load(p, 48);
    const slashes = bits64(i8x16.eq(v0, slash), i8x16.eq(v1, slash), i8x16.eq(v2, slash), i8x16.eq(v3, slash));
    let quotes = bits64(i8x16.eq(v0, quote), i8x16.eq(v1, quote), i8x16.eq(v2, quote), i8x16.eq(v3, quote));
    // A subtraction carries through each run of backslashes: every other one of a run escapes.
    const open = slashes & ~isEscaped;
    const code = (((open << 1) | ODD_BITS) - open) ^ ODD_BITS;
    const escaped = code ^ (slashes | isEscaped);
    isEscaped = (code & slashes) >> 63;
    quotes &= ~escaped;
    let wrong: u64 = 0;
    const often = bits64(oftenEscaped(v0), oftenEscaped(v1), oftenEscaped(v2), oftenEscaped(v3));
    for (let seldom = escaped & ~often; seldom !== 0; seldom &= seldom - 1) {
      if (!isSeldomEscaped(p + <i32>ctz(seldom))) wrong |= (<u64>1) << ctz(seldom);
    }
    const low = i8x16.lt_u(i8x16.min_u(i8x16.min_u(v0, v1), i8x16.min_u(v2, v3)), space);
    if (v128.any_true(low)) wrong |= lowBits(v0, v1, v2, v3);
    if ((quotes | wrong) !== 0) return ended(p, quotes, wrong);
  }
  return -1;
}

function lowBits(v0: v128, v1: v128, v2: v128, v3: v128): u64 {
  const space = i8x16.splat(0x20);
  return bits64(i8x16.lt_u(v0, space), i8x16.lt_u(v1, space), i8x16.lt_u(v2, space), i8x16.lt_u(v3, space));
}

/** Behind the first quote, unless something wrong stands before it. */
function ended(block: i32, quotes: u64, wrong: u64): i32 {
  const i = ctz(quotes | wrong);
  const p = block + <i32>i;
  return ((wrong >> i) & 1) === 0 ? p + 1 : brokenAt(p);
}
