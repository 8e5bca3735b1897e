/**
 * AssemblyScript, built by `node scripts/build-sift.mjs` into src/logs/sift/wasm.ts. Checks one line of JSON to the
 * letter and writes down where the wanted members stand. A key is wanted by its name when everything around it is.
 *
 * The input ends with a newline: in no state is that a byte of the object, so nothing else bounds the loops. Up to
 * 64 bytes behind it may be loaded and are never judged.
 */

/** 512 slots of 16 bytes: id, address and length of a wanted key. Id 0 is an empty slot. */
const SLOTS: i32 = 1024;
/** Per open container 8 bytes: what it is, and its entry on the tape. */
const STACK: i32 = 32768;
const MAX_DEPTH: i32 = 1024;
/** Entries of 16 bytes: depth, type and key; start; end. */
const TAPE: i32 = 65536;
const TAPE_END: i32 = 131072;
const MAX_LIVE_DEPTH: i32 = 15;

const VALID: i32 = 0;
const BROKEN: i32 = 1;
/** More members, deeper, or keys with escapes: somebody else must parse it. */
const UNSURE: i32 = 2;

const OBJECT: i32 = 0;
const ARRAY: i32 = 1;
/** ASCII without escapes. */
const PLAIN_STRING: i32 = 2;
const OTHER_STRING: i32 = 3;
const NUMBER: i32 = 4;
const TRUE: i32 = 5;
const FALSE: i32 = 6;
const NULL: i32 = 7;

const IS_OBJECT: i32 = 1;
const IS_LIVE: i32 = 2;

const ODD_BITS: u64 = 0xaaaaaaaaaaaaaaaa;

let tapeEnd: i32 = TAPE;
let at: i32 = 0;
let isPlain: bool = true;
let hasEscape: bool = false;

export function entries(): i32 {
  return (tapeEnd - TAPE) >> 4;
}

/** The newline behind a valid line; else where the reading stopped, which is before the line's end or on it. */
export function position(): i32 {
  return at;
}

export function addKey(text: i32, length: i32, id: i32): void {
  let slot = slotOf(text, length);
  while (load<i32>(slot) !== 0) slot = after(slot);
  store<i32>(slot, id);
  store<i32>(slot, text, 4);
  store<i32>(slot, length, 8);
}

function slotOf(text: i32, length: i32): i32 {
  let head = load<u64>(text);
  let tail: u64 = 0;
  if (length >= 8) tail = load<u64>(text + length - 8);
  else head &= lowBytes(length);
  const mixed = (head ^ rotl<u64>(tail, 7)) * 0x9e3779b97f4a7c15 + <u64>length * 0xc2b2ae3d27d4eb4f;
  return SLOTS + ((<i32>((mixed ^ (mixed >> 29)) >> 20) & 511) << 4);
}

function after(slot: i32): i32 {
  return SLOTS + ((slot + 16 - SLOTS) & 8191);
}

function lowBytes(count: i32): u64 {
  return ((<u64>1) << ((<u64>count) << 3)) - 1;
}

function keyId(text: i32, length: i32): i32 {
  let slot = slotOf(text, length);
  let id = load<i32>(slot);
  while (id !== 0) {
    if (load<i32>(slot, 8) === length && areEqual(load<i32>(slot, 4), text, length)) break;
    slot = after(slot);
    id = load<i32>(slot);
  }
  return id;
}

function areEqual(a: i32, b: i32, length: i32): bool {
  let i = 0;
  for (; i + 8 <= length; i += 8) {
    if (load<u64>(a + i) !== load<u64>(b + i)) return false;
  }
  return ((load<u64>(a + i) ^ load<u64>(b + i)) & lowBytes(length - i)) === 0;
}

function isHex(c: i32): bool {
  return isDigit(c) || ((c | 32) >= 0x61 && (c | 32) <= 0x66);
}

function areHex(p: i32): bool {
  return isHex(load<u8>(p)) && isHex(load<u8>(p, 1)) && isHex(load<u8>(p, 2)) && isHex(load<u8>(p, 3));
}

/** From behind the opening quote to behind the closing one; -1 when broken. Most strings are short and plain. */
function skipString(from: i32): i32 {
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

/** Marks what may not follow a backslash: all but " / \ b f n r t u. */
function notEscapable(v: v128): v128 {
  // One bit for each row of the table of characters that holds one of them: 0x2_ 0x5_ 0x6_ 0x7_.
  const rows = i8x16.swizzle(i8x16(0, 0, 1, 0, 0, 2, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0), i8x16.shr_u(v, 4));
  const columns = i8x16.swizzle(
    i8x16(0, 0, 13, 0, 8, 8, 4, 0, 0, 0, 0, 0, 2, 0, 4, 1),
    v128.and(v, i8x16.splat(15)),
  );
  return i8x16.eq(v128.and(rows, columns), i8x16.splat(0));
}

/** 64 bytes at a time, without a branch for each escape. */
function skipLongString(from: i32): i32 {
  const quote = i8x16.splat(0x22);
  const slash = i8x16.splat(0x5c);
  const space = i8x16.splat(0x20);
  const u = i8x16.splat(0x75);
  let high = i8x16.splat(0);
  let isEscaped: u64 = 0;
  hasEscape = false;
  for (let p = from; true; p += 64) {
    const v0 = v128.load(p);
    const v1 = v128.load(p, 16);
    const v2 = v128.load(p, 32);
    const v3 = v128.load(p, 48);
    high = v128.or(high, v128.or(v128.or(v0, v1), v128.or(v2, v3)));
    let quotes = bits64(i8x16.eq(v0, quote), i8x16.eq(v1, quote), i8x16.eq(v2, quote), i8x16.eq(v3, quote));
    let wrong = bits64(
      i8x16.lt_u(v0, space),
      i8x16.lt_u(v1, space),
      i8x16.lt_u(v2, space),
      i8x16.lt_u(v3, space),
    );
    const slashes = bits64(
      i8x16.eq(v0, slash),
      i8x16.eq(v1, slash),
      i8x16.eq(v2, slash),
      i8x16.eq(v3, slash),
    );
    if ((slashes | isEscaped) !== 0) {
      hasEscape = true;
      // A subtraction carries through each run of backslashes: every other one of a run escapes.
      const open = slashes & ~isEscaped;
      const code = (((open << 1) | ODD_BITS) - open) ^ ODD_BITS;
      const escaped = code ^ (slashes | isEscaped);
      isEscaped = (code & slashes) >> 63;
      quotes &= ~escaped;
      wrong |= escaped & bits64(notEscapable(v0), notEscapable(v1), notEscapable(v2), notEscapable(v3));
      let hex = escaped & bits64(i8x16.eq(v0, u), i8x16.eq(v1, u), i8x16.eq(v2, u), i8x16.eq(v3, u));
      for (; hex !== 0; hex &= hex - 1) {
        if (!areHex(p + <i32>ctz(hex) + 1)) wrong |= (<u64>1) << ctz(hex);
      }
    }
    if ((quotes | wrong) !== 0) {
      const i = ctz(quotes | wrong);
      at = p + <i32>i;
      if (((wrong >> i) & 1) !== 0) return -1;
      isPlain = !hasEscape && i8x16.bitmask(high) === 0;
      return at + 1;
    }
  }
  return -1;
}

function isDigit(c: i32): bool {
  return c >= 0x30 && c <= 0x39;
}

/** Behind one digit or more; -1 when there is none. */
function skipDigits(from: i32): i32 {
  let p = from;
  while (isDigit(load<u8>(p))) ++p;
  at = p;
  return p === from ? -1 : p;
}

/** Behind the number that starts here; -1 when it is none. */
function skipNumber(from: i32): i32 {
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
  return p;
}

function skipBlanks(from: i32): i32 {
  let p = from;
  let c = load<u8>(p);
  while (c === 0x20 || c === 0x09 || c === 0x0d) c = load<u8>(++p);
  return p;
}

function emit(depth: i32, type: i32, key: i32, start: i32, end: i32): void {
  store<i32>(tapeEnd, depth | (type << 4) | (key << 8));
  store<i32>(tapeEnd, start, 4);
  store<i32>(tapeEnd, end, 8);
  tapeEnd += 16;
}

function levelOf(depth: i32): i32 {
  return STACK + (depth << 3);
}

/** `true`, `false` or `null` here; its type, or -1. */
function literalType(p: i32): i32 {
  const word = load<u32>(p);
  if (word === 0x65757274) return TRUE;
  if (word === 0x6c6c756e) return NULL;
  return word === 0x736c6166 && load<u8>(p, 4) === 0x65 ? FALSE : -1;
}

/** Reads the object that starts here and must end its line. */
export function readLine(start: i32): i32 {
  tapeEnd = TAPE;
  let p = start + 1;
  let depth = 1;
  let isObject = true;
  /** Everything around is wanted. */
  let isLive = true;
  let canClose = true;
  store<i32>(levelOf(1), IS_OBJECT | IS_LIVE);
  while (true) {
    let key = 0;
    p = skipBlanks(p);
    let c = <i32>load<u8>(p);
    let closes = canClose && c === (isObject ? 0x7d : 0x5d);
    if (!closes) {
      if (tapeEnd >= TAPE_END) return stop(UNSURE, p);
      if (isObject) {
        if (c !== 0x22) return stop(BROKEN, p);
        const from = p + 1;
        p = skipString(from);
        if (p < 0) return BROKEN;
        if (isLive) {
          if (hasEscape) return stop(UNSURE, p);
          key = keyId(from, p - 1 - from);
        }
        p = skipBlanks(p);
        if (load<u8>(p) !== 0x3a) return stop(BROKEN, p);
        p = skipBlanks(p + 1);
        c = load<u8>(p);
      }
      const emits = isLive && (key !== 0 || !isObject);
      const from = p;
      if (c === 0x7b || c === 0x5b) {
        if (depth >= MAX_DEPTH - 1 || (emits && depth >= MAX_LIVE_DEPTH)) return stop(UNSURE, p);
        isObject = c === 0x7b;
        isLive = emits;
        if (emits) emit(depth, isObject ? OBJECT : ARRAY, key, from, 0);
        depth += 1;
        store<i32>(levelOf(depth), (isObject ? IS_OBJECT : 0) | (emits ? IS_LIVE : 0));
        store<i32>(levelOf(depth), tapeEnd - 16, 4);
        canClose = true;
        p += 1;
        continue;
      }
      let type = NUMBER;
      if (c === 0x22) {
        p = skipString(p + 1);
        type = isPlain ? PLAIN_STRING : OTHER_STRING;
      } else if (c >= 0x61) {
        type = literalType(p);
        at = p;
        p = type < 0 ? -1 : p + (type === FALSE ? 5 : 4);
      } else p = skipNumber(p);
      if (p < 0) return BROKEN;
      if (emits) emit(depth, type, key, from, p);
    }
    while (true) {
      if (!closes) {
        p = skipBlanks(p);
        c = load<u8>(p);
        if (c === 0x2c) break;
        if (c !== (isObject ? 0x7d : 0x5d)) return stop(BROKEN, p);
      }
      closes = false;
      p += 1;
      depth -= 1;
      if (depth === 0) {
        p = skipBlanks(p);
        return stop(load<u8>(p) === 0x0a ? VALID : BROKEN, p);
      }
      if (isLive) store<i32>(load<i32>(levelOf(depth + 1), 4), p, 8);
      const level = load<i32>(levelOf(depth));
      isObject = (level & IS_OBJECT) !== 0;
      isLive = (level & IS_LIVE) !== 0;
    }
    canClose = false;
    p += 1;
  }
  return BROKEN;
}

function stop(result: i32, p: i32): i32 {
  at = p;
  return result;
}
