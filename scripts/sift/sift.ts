/**
 * AssemblyScript, built by `node scripts/build-sift.mjs` into src/logs/sift/wasm.ts. Checks lines of JSON to the letter
 * and writes down where the wanted members stand, each in a place of its own. What is wanted is a tree: a member counts
 * by its name within a wanted object, an element within a wanted list. Lines that rules pass over are counted here; at
 * any other line the reading stops, for somebody else to look at it. Of lines that some rules pass over, what is wanted
 * becomes a row of numbers.
 *
 * Most lines have the shape of an earlier one: the same bytes between their texts and numbers. Such a line is compared with
 * what was read to the letter before, and only its texts and numbers are looked at. Shapes are learned from lines that are
 * valid, and tell no less of a line than reading it member by member.
 *
 * The input ends with a newline: in no state is that a byte of the object, so nothing else bounds the loops. Up to
 * a kept object's length behind it may be loaded and are never judged.
 */

/** 512 slots of 16 bytes: node, address of the name, its length, node around it. Node 0 is an empty slot. */
const SLOTS: i32 = 1024;
/** What is checked; its node; address and length of a text; two nodes more, or a settled kind; a settled value. */
const CHECK_BYTES: i32 = 32;
/** Per open container 8 bytes: what it is, and its node. */
const STACK: i32 = 32768;
const MAX_DEPTH: i32 = 1024;
/** Per node 32 bytes: line that it was last in; type; start; end; value; version; length of what is remembered. */
const NODES: i32 = 40960;
/** Per node 8 bytes: what is special about it, and the node of its elements. */
const TRAITS: i32 = 45056;
/** Per rule 16 bytes: what it is now; how many lines it passed over, and the last of them; whether it makes no rows. */
const PASSED: i32 = 46080;
/** Earliest and latest time of lines that were passed over. */
const PASSED_TIMES: i32 = 46336;
/** Per node 128 bytes: its last text. */
const TEXTS: i32 = 49152;
const TEXT_BYTES: i32 = 128;
/** Entries of 16 bytes for what lies in lists: node, type, start, end. */
const TAPE: i32 = 65536;
const TAPE_END: i32 = 131072;
/** Per node that is kept 4096 bytes: its last object. */
const OBJECTS: i32 = 131072;
const OBJECT_BYTES: i32 = 4096;
/** Per rule, of which there are up to sixteen: how many columns it writes and which rule it settles, checks, columns. */
const RULES: i32 = 147456;
const RULE_BYTES: i32 = 2048;
const CHECKS: i32 = 16;
/** What is written of a node: how, the node, and the seed of a hash. */
const COLUMNS: i32 = 1536;
const COLUMN_BYTES: i32 = 16;
/** Rows of doubles, for whoever reads: the rule, the first and the last line that it stands for, and the columns. */
const ROWS: i32 = 180224;
const ROW_BYTES: i32 = 160;
const MAX_ROWS: i32 = 400;
/** What is known of shapes: the first step of lines, then steps with their bytes and marks, as they were learned. */
const SHAPES: i32 = 245760;
const FIRST_SHAPE: i32 = 245776;
const SHAPES_END: i32 = 372736;
/** Marks of the step that is being learned. */
const NEW_MARKS: i32 = 372736;
const MAX_MARKS: i32 = 250;

/**
 * A step of a shape: the step that is tried where it does not fit, the first step behind it, and the first one inside what
 * follows it; the number of bytes that must be here, what follows them, and its node; how many of the first 16 bytes there
 * are, and how many marks. The bytes themselves stand behind it, its marks in front: what is looked at together lies
 * together. Where nothing follows, the node says whether such lines are idle.
 */
const STEP_BYTES: i32 = 18;
const NEXT: i32 = 4;
const INSIDE: i32 = 8;
const BYTES: i32 = 12;
const FOLLOWS: i32 = 14;
const NODE_OF: i32 = 15;
const FIRST_BYTES: i32 = 16;
const MARKS: i32 = 17;
/** A mark: a node, its type, and where it starts and ends, counted from the start of the bytes. */
const MARK_BYTES: i32 = 8;
const MARK_TYPE: i32 = 1;
const MARK_START: i32 = 2;
const MARK_END: i32 = 4;
/** So many bytes of ones, and as many zeros behind them. */
const ONES: i32 = 12288;
for (let i = 0; i < 16; ++i) store<u8>(ONES + i, 255);
/** What follows the bytes of a step. */
const TEXT: i32 = 1;
const COUNTED: i32 = 2;
const NESTED: i32 = 3;
const LIST: i32 = 4;
const NOTHING: i32 = 5;
/** In place of where a step ends: it does not fit, or nothing does. */
const TRY_NEXT: i32 = -1;
const NO_SHAPE: i32 = -2;
/** More ways to go on than this are no shape. */
const MAX_WAYS: i32 = 16;
const MAX_STEP: i32 = 1024;
/** Bytes of a text that tells kinds of lines apart. */
const MAX_NAME: i32 = 64;
/** Deeper objects are read member by member: so no byte is read more often than this. */
const MAX_LEVELS: i32 = 4;
/** When there is no room left and so many lines had no shape, others are learned. */
const MAX_STRANGERS: i32 = 2048;

const VALID: i32 = 0;
const BROKEN: i32 = 1;
/** More members, deeper, or keys with escapes: somebody else must parse it. */
const UNSURE: i32 = 2;
/** No object begins the line. */
const OTHER: i32 = 3;
/** No line is left. */
const END: i32 = 4;
/** No room is left for rows. */
const FULL: i32 = 5;

/** A rule passes over lines: while it is settled, or always and without counting them. */
const IS_SETTLED: i32 = 1;
const IS_IDLE: i32 = 2;

/** Is this text. */
const IS: i32 = 1;
/** Of the kind that it was when the rule was settled; texts, numbers and kept objects with what they were. */
const SAME: i32 = 2;
/** Not there, null, or a whole number. */
const COUNT: i32 = 3;
/** A time as every known writer writes it; and none before the one when the rule was settled. */
const TIME: i32 = 4;
const LATER: i32 = 5;
/** A list: an object in it has this text as one member, and some text as another. */
const HOLDS: i32 = 6;
/** A plain text, and not this one. */
const IS_NOT: i32 = 7;
/** An object that was read here, rather than known from an earlier line. */
const FRESH: i32 = 8;
/** A plain text with something in it. */
const GIVEN: i32 = 9;
/** No text, or one whose bytes are its characters. */
const PLAIN: i32 = 10;
const ABSENT: i32 = 11;

/** Columns: a count or -1, milliseconds, the hash of a text or -1, whether there is a text with something in it. */
const COUNT_OF: i32 = 1;
const TIME_OF: i32 = 2;
const HASH_OF: i32 = 3;
const TELLS: i32 = 4;

const OBJECT: i32 = 0;
const ARRAY: i32 = 1;
/** ASCII without escapes. */
const PLAIN_STRING: i32 = 2;
const OTHER_STRING: i32 = 3;
const NUMBER: i32 = 4;
const TRUE: i32 = 5;
const FALSE: i32 = 6;
const NULL: i32 = 7;

/** Beside the type: an object that was equal to the last one and has not been read again; a list with something in it. */
const IS_SKIPPED: i32 = 16;
const HAS_ELEMENTS: i32 = 32;

/** Traits of nodes. The number of the place for a kept object stands above them. */
const IS_TIME: i32 = 1;
const IS_KEPT: i32 = 2;
const IN_LIST: i32 = 4;
/** Its text tells kinds of lines apart. */
const IS_NAME: i32 = 8;

const IS_OBJECT: i32 = 1;
const ROOT: i32 = 1;
const MAX_NODES: i32 = 128;
/** Whole numbers of so many digits are exact. */
const EXACT_DIGITS: i32 = 15;

const ODD_BITS: u64 = 0xaaaaaaaaaaaaaaaa;

let tapeEnd: i32 = TAPE;
let at: i32 = 0;
let serial: i32 = 0;
let isPlain: bool = true;
let hasEscape: bool = false;
/** The number that was read last; NaN for what is not a whole number of a few digits. */
let wholeNumber: f64 = NaN;

let shapesEnd: i32 = FIRST_SHAPE;
let isFull: bool = false;
let strangers: i32 = 0;
/** Something was kept while a line was compared with shapes. */
let hasKept: bool = false;
/** The line had the shape of lines that rules always pass over. */
let isIdle: bool = false;
/** Where the step that is learned next is named, or 0; where its bytes begin; how many marks it has. */
let way: i32 = 0;
let learnFrom: i32 = 0;
let marks: i32 = 0;

let lineNumber: i32 = 0;
let lineStart: i32 = 0;
let rules: i32 = 0;
let passed: i32 = 0;
let rows: i32 = 0;

/** The number of the line that was read last. */
export function number(): i32 {
  return lineNumber;
}

/** Where the line that was read last begins. */
export function begin(): i32 {
  return lineStart;
}

/** How many lines rules passed over that count, since they were last forgotten. */
export function passedLines(): i32 {
  return passed;
}

/** How many rows were written since they were last forgotten. */
export function rowCount(): i32 {
  return rows;
}

export function entries(): i32 {
  return (tapeEnd - TAPE) >> 4;
}

/** The line whose members count. */
export function line(): i32 {
  return serial;
}

/** The newline behind a valid line; else where the reading stopped, which is before the line's end or on it. */
export function position(): i32 {
  return at;
}

/** Wants a member by its name, or, without one, the elements of a list. */
export function want(node: i32, parent: i32, text: i32, length: i32, traits: i32): void {
  store<i32>(traitsOf(node), traits);
  if (length === 0) {
    store<i32>(traitsOf(parent), node, 4);
    return;
  }
  let slot = slotOf(parent, text, length);
  while (load<i32>(slot) !== 0) slot = after(slot);
  store<i32>(slot, node);
  store<i32>(slot, text, 4);
  store<i32>(slot, length, 8);
  store<i32>(slot, parent, 12);
}

function nodeAt(node: i32): i32 {
  return NODES + (node << 5);
}

function traitsOf(node: i32): i32 {
  return TRAITS + (node << 3);
}

function slotOf(parent: i32, text: i32, length: i32): i32 {
  let head = load<u64>(text);
  let tail: u64 = 0;
  if (length >= 8) tail = load<u64>(text + length - 8);
  else head &= lowBytes(length);
  const mixed =
    (head ^ rotl<u64>(tail, 7)) * 0x9e3779b97f4a7c15 + <u64>(length + (parent << 8)) * 0xc2b2ae3d27d4eb4f;
  return SLOTS + ((<i32>((mixed ^ (mixed >> 29)) >> 20) & 511) << 4);
}

function after(slot: i32): i32 {
  return SLOTS + ((slot + 16 - SLOTS) & 8191);
}

function lowBytes(count: i32): u64 {
  return ((<u64>1) << ((<u64>count) << 3)) - 1;
}

function nodeOf(parent: i32, text: i32, length: i32): i32 {
  let slot = slotOf(parent, text, length);
  let node = load<i32>(slot);
  while (node !== 0) {
    const isIt =
      load<i32>(slot, 8) === length &&
      load<i32>(slot, 12) === parent &&
      areEqual(load<i32>(slot, 4), text, length);
    if (isIt) break;
    slot = after(slot);
    node = load<i32>(slot);
  }
  return node;
}

function areEqual(a: i32, b: i32, length: i32): bool {
  if (length >= 16) {
    const last = length - 16;
    for (let i = 0; i < last; i += 16) if (differs(a + i, b + i)) return false;
    return !differs(a + last, b + last);
  }
  if (length >= 8) {
    const last = length - 8;
    return load<u64>(a) === load<u64>(b) && load<u64>(a + last) === load<u64>(b + last);
  }
  return ((load<u64>(a) ^ load<u64>(b)) & lowBytes(length)) === 0;
}

function differs(a: i32, b: i32): bool {
  return v128.any_true(v128.xor(v128.load(a), v128.load(b)));
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
  at = block + <i32>i;
  return ((wrong >> i) & 1) === 0 ? at + 1 : -1;
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

/** Behind the number that starts here; -1 when it is none. Most are whole and have a few digits. */
function skipNumber(from: i32): i32 {
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

function skipSomeBlanks(from: i32): i32 {
  let p = from;
  let c = load<u8>(p);
  while (c === 0x20 || c === 0x09 || c === 0x0d) c = load<u8>(++p);
  return p;
}

function skipBlanks(from: i32): i32 {
  return load<u8>(from) > 0x20 ? from : skipSomeBlanks(from);
}

/** Writes a member down. False when the line has it twice, or more members of lists than there is room for. */
function write(node: i32, type: i32, start: i32, end: i32): bool {
  const traits = load<i32>(traitsOf(node));
  if ((traits & IN_LIST) !== 0) {
    if (tapeEnd >= TAPE_END) return false;
    store<i32>(tapeEnd, node);
    store<i32>(tapeEnd, type, 4);
    store<i32>(tapeEnd, start, 8);
    store<i32>(tapeEnd, end, 12);
    tapeEnd += 16;
    return true;
  }
  const place = nodeAt(node);
  if (load<i32>(place) === serial) return false;
  store<i32>(place, serial);
  store<i32>(place, type, 4);
  store<i32>(place, start, 8);
  store<i32>(place, end, 12);
  if (type === NUMBER) store<f64>(place, wholeNumber, 16);
  else if (type === PLAIN_STRING || type === OTHER_STRING) {
    // What remembers objects has no room for texts: each is a new version.
    remember(place, TEXTS + node * TEXT_BYTES, (traits & IS_KEPT) === 0 ? TEXT_BYTES : 0, start, end);
    if ((traits & IS_TIME) !== 0) store<f64>(place, isoTime(start, end), 16);
  }
  return true;
}

/** Counts a new version unless these bytes are those of the last time. */
function remember(place: i32, kept: i32, room: i32, start: i32, end: i32): void {
  const length = end - start;
  if (length === load<i32>(place, 28) && areEqual(kept, start, length)) return;
  store<i32>(place, load<i32>(place, 24) + 1, 24);
  const fits = length <= room;
  // Longer texts do not repeat, and no text has no length.
  store<i32>(place, fits ? length : 0, 28);
  if (!fits) return;
  copy(kept, start, length);
}

function keptOf(traits: i32): i32 {
  return OBJECTS + (traits >> 4) * OBJECT_BYTES;
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
function isoTime(start: i32, end: i32): f64 {
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

/** Reads the object or list that starts here, member by member. `root` is its node; 0 when nothing in it is wanted. */
function readMembers(start: i32, root: i32): i32 {
  let p = start + 1;
  let depth = 1;
  let isObject = load<u8>(start) === 0x7b;
  /** The open container's. */
  let around = root;
  let canClose = true;
  store<i32>(levelOf(1), isObject ? IS_OBJECT : 0);
  store<i32>(levelOf(1), root, 4);
  while (true) {
    p = skipBlanks(p);
    let c = <i32>load<u8>(p);
    let closes = canClose && c === (isObject ? 0x7d : 0x5d);
    if (!closes) {
      let node = 0;
      if (isObject) {
        if (c !== 0x22) return stop(BROKEN, p);
        const from = p + 1;
        p = skipString(from);
        if (p < 0) return BROKEN;
        if (around !== 0) {
          if (hasEscape) return stop(UNSURE, p);
          node = nodeOf(around, from, p - 1 - from);
        }
        p = skipBlanks(p);
        if (load<u8>(p) !== 0x3a) return stop(BROKEN, p);
        p = skipBlanks(p + 1);
        c = load<u8>(p);
      } else if (around !== 0) {
        const place = nodeAt(around);
        store<i32>(place, load<i32>(place, 4) | HAS_ELEMENTS, 4);
        node = load<i32>(traitsOf(around), 4);
      }
      const from = p;
      if (c === 0x7b || c === 0x5b) {
        const type = c === 0x7b ? OBJECT : ARRAY;
        const repeated = node === 0 || type === ARRAY ? 0 : repeatedAt(node, p);
        if (repeated > 0) {
          p += repeated;
          if (!write(node, OBJECT | IS_SKIPPED, from, p)) return stop(UNSURE, from);
        } else {
          if (depth >= MAX_DEPTH - 1) return stop(UNSURE, p);
          if (node !== 0 && !write(node, type, from, 0)) return stop(UNSURE, from);
          isObject = type === OBJECT;
          around = node;
          depth += 1;
          store<i32>(levelOf(depth), isObject ? IS_OBJECT : 0);
          store<i32>(levelOf(depth), node, 4);
          canClose = true;
          p += 1;
          continue;
        }
      } else {
        let type = NUMBER;
        if (c === 0x22) {
          p = skipString(p + 1);
          type = isPlain ? PLAIN_STRING : OTHER_STRING;
        } else if (c >= 0x61) {
          type = literalType(p);
          at = p;
          p = skipLiteral(p);
        } else p = skipNumber(p);
        if (p < 0) return BROKEN;
        if (node !== 0 && !write(node, type, from, p)) return stop(UNSURE, p);
      }
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
      if (depth === 0) return stop(VALID, p);
      if (around !== 0) keep(around, p);
      isObject = (load<i32>(levelOf(depth)) & IS_OBJECT) !== 0;
      around = load<i32>(levelOf(depth), 4);
    }
    canClose = false;
    p += 1;
  }
  return BROKEN;
}

/** Reads the object that starts here and must end its line. */
function readLine(start: i32): i32 {
  beginLine();
  const end = walk(SHAPES, start, 0);
  if (end >= 0) return stop(VALID, end - 1);
  isIdle = false;
  forgetKept();
  beginLine();
  const result = readMembers(start, ROOT);
  if (result !== VALID) return result;
  const newline = skipBlanks(at);
  if (load<u8>(newline) !== 0x0a) return stop(BROKEN, newline);
  learnLine(start, newline + 1);
  return stop(VALID, newline);
}

function beginLine(): void {
  tapeEnd = TAPE;
  serial += 1;
}

/** Follows the steps from the one that `first` names. Behind their end, or negative where there is no such shape. */
function walk(first: i32, from: i32, level: i32): i32 {
  let head = first;
  let p = from;
  while (true) {
    let before = 0;
    let step = load<i32>(head);
    let end = TRY_NEXT;
    for (; step !== 0; step = load<i32>(step)) {
      if (fits(step, p)) {
        const follows = <i32>load<u8>(step, FOLLOWS);
        const start = p + <i32>load<u16>(step, BYTES);
        if (follows === TEXT) end = skipString(start);
        else if (follows === COUNTED) end = skipNumber(start);
        else end = takeOther(step, start, level);
        if (end !== TRY_NEXT) break;
      }
      before = step;
    }
    if (end < 0 || !mark(step, p, end)) return NO_SHAPE;
    if (before !== 0) {
      // What comes often is tried first.
      store<i32>(before, load<i32>(step));
      store<i32>(step, load<i32>(head));
      store<i32>(head, step);
    }
    if (load<u8>(step, FOLLOWS) === NOTHING) return end;
    head = step + NEXT;
    p = end;
  }
  return NO_SHAPE;
}

/** Whether the bytes of the step are here. */
function fits(step: i32, p: i32): bool {
  const bytes = step + STEP_BYTES;
  const isFirst = v128.load(ONES + 16 - <i32>load<u8>(step, FIRST_BYTES));
  if (v128.any_true(v128.and(v128.xor(v128.load(bytes), v128.load(p)), isFirst))) return false;
  const rest = <i32>load<u16>(step, BYTES) - 16;
  return rest <= 0 || areEqual(bytes + 16, p + 16, rest);
}

/** Behind what follows the bytes of the step where that is no text and no number. */
function takeOther(step: i32, start: i32, level: i32): i32 {
  const node = <i32>load<u8>(step, NODE_OF);
  const follows = <i32>load<u8>(step, FOLLOWS);
  if (follows === NOTHING) {
    isIdle = node !== 0;
    return start;
  }
  if (load<u8>(start) !== (follows === NESTED ? 0x7b : 0x5b)) return TRY_NEXT;
  if (follows === LIST) return takeList(step + INSIDE, start, node, level);
  return node === 0 ? takeUnwanted(step + INSIDE, start, level) : takeKept(step + INSIDE, start, node, level);
}

/** Writes down what is wanted of the step that was taken here. */
function mark(step: i32, from: i32, end: i32): bool {
  for (let at = step - <i32>load<u8>(step, MARKS) * MARK_BYTES; at < step; at += MARK_BYTES) {
    const ends = <i32>load<u16>(at, MARK_END);
    const markEnd = ends === 0 ? 0 : from + ends;
    if (!write(load<u8>(at), load<u8>(at, MARK_TYPE), from + <i32>load<u16>(at, MARK_START), markEnd)) return false;
  }
  const node = <i32>load<u8>(step, NODE_OF);
  const follows = <i32>load<u8>(step, FOLLOWS);
  if (node === 0 || follows > COUNTED) return true;
  const start = from + <i32>load<u16>(step, BYTES);
  if (follows === COUNTED) return write(node, NUMBER, start, end);
  return write(node, isPlain ? PLAIN_STRING : OTHER_STRING, start - 1, end);
}

function takeUnwanted(first: i32, start: i32, level: i32): i32 {
  if (level < MAX_LEVELS) {
    const end = walk(first, start, level + 1);
    if (end >= 0) return end;
  }
  if (readMembers(start, 0) !== VALID) return NO_SHAPE;
  const end = at;
  if (level < MAX_LEVELS) learn(first, start, 0, level + 1);
  return end;
}

function takeKept(first: i32, start: i32, node: i32, level: i32): i32 {
  const repeated = repeatedAt(node, start);
  if (repeated > 0) {
    const end = start + repeated;
    return write(node, OBJECT | IS_SKIPPED, start, end) ? end : NO_SHAPE;
  }
  const end = walk(first, start, level);
  if (end < 0 || !write(node, OBJECT, start, 0)) return NO_SHAPE;
  keep(node, end);
  hasKept = true;
  return end;
}

/** `first` is where the steps of objects in the list begin. */
function takeList(first: i32, start: i32, node: i32, level: i32): i32 {
  const element = elementOf(node);
  let p = skipBlanks(start + 1);
  if (node !== 0 && !write(node, listType(node, p), start, 0)) return NO_SHAPE;
  if (load<u8>(p) === 0x5d) return p + 1;
  while (true) {
    if (element !== 0) {
      if (load<u8>(p) !== 0x7b || !write(element, OBJECT, p, 0)) return NO_SHAPE;
      p = walk(first, p, level);
    } else p = load<u8>(p) === 0x7b ? takeUnwanted(first, p, level) : skipOther(p);
    if (p < 0) return NO_SHAPE;
    p = skipBlanks(p);
    const c = load<u8>(p);
    if (c === 0x5d) return p + 1;
    if (c !== 0x2c) return NO_SHAPE;
    p = skipBlanks(p + 1);
  }
  return NO_SHAPE;
}

function elementOf(node: i32): i32 {
  return node === 0 ? 0 : load<i32>(traitsOf(node), 4);
}

/** Of a list whose first element, if it has one, is at `p`. */
function listType(node: i32, p: i32): i32 {
  return load<u8>(p) === 0x5d || (load<i32>(traitsOf(node)) & IN_LIST) !== 0 ? ARRAY : ARRAY | HAS_ELEMENTS;
}

/** Behind the value here, in which nothing is wanted and which is no object; negative when there is none. */
function skipOther(p: i32): i32 {
  const c = load<u8>(p);
  if (c === 0x22) return skipString(p + 1);
  if (c === 0x5b) return readMembers(p, 0) === VALID ? at : NO_SHAPE;
  return c >= 0x61 ? skipLiteral(p) : skipNumber(p);
}

function skipLiteral(p: i32): i32 {
  const type = literalType(p);
  return type < 0 ? NO_SHAPE : p + (type === FALSE ? 5 : 4);
}

/** What was kept of a line that turned out to have no known shape is read, and kept, again. */
function forgetKept(): void {
  if (!hasKept) return;
  hasKept = false;
  for (let node = 0; node < MAX_NODES; ++node) {
    if ((load<i32>(traitsOf(node)) & IS_KEPT) !== 0) store<i32>(nodeAt(node), 0, 28);
  }
}

/** Learns the shape of a valid line. `end` is behind its newline. */
function learnLine(start: i32, end: i32): void {
  if (isFull) {
    strangers += 1;
    if (strangers < MAX_STRANGERS) return;
    isFull = false;
    strangers = 0;
    shapesEnd = FIRST_SHAPE;
    store<i32>(SHAPES, 0);
  }
  way = SHAPES;
  learnFrom = start;
  learnMembers(start, ROOT, 0);
  addStep(NOTHING, isAlwaysPassed() ? 1 : 0, end);
}

/** Adds the steps of a valid object. Behind the object. */
function learn(first: i32, start: i32, node: i32, level: i32): i32 {
  const outerWay = way;
  way = first;
  learnFrom = start;
  const end = learnMembers(start, node, level);
  addStep(NOTHING, 0, end);
  way = outerWay;
  return end;
}

function learnMembers(start: i32, node: i32, level: i32): i32 {
  let p = skipBlanks(start + 1);
  if (load<u8>(p) === 0x7d) return p + 1;
  while (true) {
    const name = p + 1;
    p = skipString(name);
    const member = node === 0 ? 0 : nodeOf(node, name, p - 1 - name);
    p = skipBlanks(learnValue(skipBlanks(skipBlanks(p) + 1), member, level));
    if (load<u8>(p) === 0x7d) return p + 1;
    p = skipBlanks(p + 1);
  }
  return p;
}

function learnValue(p: i32, node: i32, level: i32): i32 {
  const c = load<u8>(p);
  if (c === 0x7b) return learnObject(p, node, level);
  if (c === 0x5b) return learnList(p, node, level);
  if (c >= 0x61) {
    const end = skipLiteral(p);
    addMark(node, literalType(p), p, end);
    return end;
  }
  if (c !== 0x22) {
    addStep(COUNTED, node, p);
    learnFrom = skipNumber(p);
    return learnFrom;
  }
  const end = skipString(p + 1);
  const isName = isPlain && end - p <= MAX_NAME && (load<i32>(traitsOf(node)) & IS_NAME) !== 0;
  if (isName) addMark(node, PLAIN_STRING, p, end);
  else {
    addStep(TEXT, node, p + 1);
    learnFrom = end;
  }
  return end;
}

function learnObject(p: i32, node: i32, level: i32): i32 {
  if (node !== 0 && (load<i32>(traitsOf(node)) & IS_KEPT) === 0) {
    addMark(node, OBJECT, p, 0);
    return learnMembers(p, node, level);
  }
  const step = addStep(NESTED, node, p);
  learnFrom = learnInside(step, p, node, node === 0 ? level + 1 : level);
  return learnFrom;
}

function learnList(start: i32, node: i32, level: i32): i32 {
  const step = addStep(LIST, node, start);
  const element = elementOf(node);
  let p = skipBlanks(start + 1);
  while (load<u8>(p) !== 0x5d) {
    const isObject = load<u8>(p) === 0x7b;
    p = skipBlanks(isObject ? learnInside(step, p, element, element === 0 ? level + 1 : level) : skipOther(p));
    if (load<u8>(p) === 0x2c) p = skipBlanks(p + 1);
  }
  learnFrom = p + 1;
  return learnFrom;
}

/** Behind the object here, whose steps are inside the given one if there is such a step. */
function learnInside(step: i32, p: i32, node: i32, level: i32): i32 {
  if (step !== 0 && level <= MAX_LEVELS) return learn(step + INSIDE, p, node, level);
  readMembers(p, 0);
  return at;
}

/** A member that the next step's bytes hold. */
function addMark(node: i32, type: i32, start: i32, end: i32): void {
  if (way === 0 || node === 0) return;
  if (marks >= MAX_MARKS || max(start, end) - learnFrom > MAX_STEP) {
    way = 0;
    return;
  }
  const place = NEW_MARKS + marks * MARK_BYTES;
  store<u8>(place, node);
  store<u8>(place, type, MARK_TYPE);
  store<u16>(place, start - learnFrom, MARK_START);
  store<u16>(place, end === 0 ? 0 : end - learnFrom, MARK_END);
  marks += 1;
}

/** The step that goes on to `end`: one that is there, or a new one; 0 where there is no room for it. */
function addStep(follows: i32, node: i32, end: i32): i32 {
  const count = marks;
  marks = 0;
  if (way === 0) return 0;
  const length = end - learnFrom;
  let ways = 0;
  for (let step = load<i32>(way); step !== 0; step = load<i32>(step)) {
    const isIt =
      load<u8>(step, FOLLOWS) === follows &&
      load<u16>(step, BYTES) === length &&
      areEqual(step + STEP_BYTES, learnFrom, length);
    if (isIt) {
      way = step + NEXT;
      return step;
    }
    ways += 1;
  }
  const step = (shapesEnd + count * MARK_BYTES + 3) & ~3;
  const behind = step + STEP_BYTES + length;
  if (behind + 16 > SHAPES_END) isFull = true;
  if (ways >= MAX_WAYS || length > MAX_STEP || isFull) {
    way = 0;
    return 0;
  }
  shapesEnd = behind;
  copy(step - count * MARK_BYTES, NEW_MARKS, count * MARK_BYTES);
  store<i32>(step, load<i32>(way));
  store<i32>(step, 0, NEXT);
  store<i32>(step, 0, INSIDE);
  store<u16>(step, length, BYTES);
  store<u8>(step, follows, FOLLOWS);
  store<u8>(step, node, NODE_OF);
  store<u8>(step, min(length, 16), FIRST_BYTES);
  store<u8>(step, count, MARKS);
  copy(step + STEP_BYTES, learnFrom, length);
  store<i32>(way, step);
  way = step + NEXT;
  return step;
}

/** May write up to 15 bytes more. */
function copy(to: i32, from: i32, length: i32): void {
  for (let i = 0; i < length; i += 16) v128.store(to + i, v128.load(from + i));
}

/** The length of the object here when it is the one that was kept; it was read to the letter then. */
function repeatedAt(node: i32, p: i32): i32 {
  const traits = load<i32>(traitsOf(node));
  if ((traits & IS_KEPT) === 0) return 0;
  const length = load<i32>(nodeAt(node), 28);
  return length > 0 && areEqual(keptOf(traits), p, length) ? length : 0;
}

/** At the end of a container. */
function keep(node: i32, end: i32): void {
  const traits = load<i32>(traitsOf(node));
  if ((traits & IS_KEPT) === 0) return;
  const place = nodeAt(node);
  if ((load<i32>(place, 4) & 15) === OBJECT) {
    remember(place, keptOf(traits), OBJECT_BYTES, load<i32>(place, 8), end);
  }
}

function stop(result: i32, p: i32): i32 {
  at = p;
  return result;
}

/**
 * Adds a rule without checks or columns. Returns where its checks go.
 *
 * @param settles the rule that each line which it passes over settles, or -1
 * @param isMore whether the lines that it passes over belong to the last row
 */
export function addRule(isIdle: bool, settles: i32, isMore: bool): i32 {
  store<i32>(passedOf(rules), isIdle ? IS_IDLE : 0);
  const rule = ruleAt(rules);
  store<i32>(rule, settles, 4);
  store<i32>(rule, isMore ? 1 : 0, 8);
  rules += 1;
  return rule + CHECKS;
}

/** Adds a column to the rule that was added last: each line that it passes over becomes a row. */
export function addColumn(column: i32, node: i32, seed: i32): void {
  const rule = ruleAt(rules - 1);
  const columns = load<i32>(rule);
  const place = rule + COLUMNS + columns * COLUMN_BYTES;
  store<i32>(place, column);
  store<i32>(place, node, 4);
  store<i32>(place, seed, 8);
  store<i32>(rule, columns + 1);
}

function ruleAt(rule: i32): i32 {
  return RULES + rule * RULE_BYTES;
}

export function addCheck(place: i32, test: i32, node: i32, text: i32, length: i32, member: i32, other: i32): i32 {
  store<i32>(place, test);
  store<i32>(place, node, 4);
  store<i32>(place, text, 8);
  store<i32>(place, length, 12);
  store<i32>(place, member, 16);
  store<i32>(place, other, 20);
  const named = test === HOLDS ? member : node;
  if (test === IS || test === IS_NOT || test === HOLDS) {
    store<i32>(traitsOf(named), load<i32>(traitsOf(named)) | IS_NAME);
  }
  return place + CHECK_BYTES;
}

function passedOf(rule: i32): i32 {
  return PASSED + (rule << 4);
}

/** From here on the rule passes over what is like the line that was read last. */
export function settle(rule: i32): void {
  store<i32>(passedOf(rule), IS_SETTLED);
  let check = ruleAt(rule) + CHECKS;
  for (let test = load<i32>(check); test !== 0; test = load<i32>(check)) {
    const node = load<i32>(check, 4);
    if (test === SAME) store<i32>(check, kindOf(node), 16);
    if (test === SAME || test === LATER) store<f64>(check, valueOf(node), 24);
    check += CHECK_BYTES;
  }
}

/** Nothing is known of earlier lines. */
export function unsettle(): void {
  for (let rule = 0; rule < rules; ++rule) {
    const place = passedOf(rule);
    if (load<i32>(place) !== IS_IDLE) store<i32>(place, 0);
    store<i32>(place, 0, 12);
  }
}

/** From here on lines that this rule passes over make no rows. */
export function mute(rule: i32): void {
  store<i32>(passedOf(rule), 1, 12);
}

/** Counts anew what is passed over. */
export function forgetPassed(): void {
  passed = 0;
  rows = 0;
  for (let rule = 0; rule < rules; ++rule) store<i32>(passedOf(rule), 0, 4);
  store<f64>(PASSED_TIMES, Infinity);
  store<f64>(PASSED_TIMES, -Infinity, 8);
}

/** Type and whether a list has elements; -1 when it is not in the line. */
function kindOf(node: i32): i32 {
  const place = nodeAt(node);
  return load<i32>(place) === serial ? load<i32>(place, 4) & ~IS_SKIPPED : -1;
}

/** What tells it from others of its kind. */
function valueOf(node: i32): f64 {
  const place = nodeAt(node);
  const type = kindOf(node) & 15;
  if (type === NUMBER || (load<i32>(traitsOf(node)) & IS_TIME) !== 0) return load<f64>(place, 16);
  return <f64>load<i32>(place, 24);
}

function isText(place: i32, text: i32, length: i32): bool {
  const start = load<i32>(place, 8);
  return (
    load<i32>(place, 4) === PLAIN_STRING &&
    load<i32>(place, 12) - start === length + 2 &&
    areEqual(start + 1, text, length)
  );
}

function isAnyText(place: i32): bool {
  const type = load<i32>(place, 4);
  const isString = type === PLAIN_STRING || type === OTHER_STRING;
  return isString && load<i32>(place, 12) - load<i32>(place, 8) > 2;
}

function holds(check: i32): bool {
  const element = load<i32>(check, 4);
  const member = load<i32>(check, 16);
  const other = load<i32>(check, 20);
  let isIt = false;
  let hasOther = false;
  for (let entry = TAPE; entry < tapeEnd; entry += 16) {
    const node = load<i32>(entry);
    if (node === element) {
      if (isIt && hasOther) return true;
      isIt = false;
      hasOther = false;
    } else if (node === member) isIt = isText(entry, load<i32>(check, 8), load<i32>(check, 12));
    else if (node === other) hasOther = isAnyText(entry);
  }
  return isIt && hasOther;
}

function passes(check: i32): bool {
  const test = load<i32>(check);
  if (test === HOLDS) return holds(check);
  const node = load<i32>(check, 4);
  const place = nodeAt(node);
  const kind = kindOf(node);
  if (test === IS) return kind >= 0 && isText(place, load<i32>(check, 8), load<i32>(check, 12));
  if (test === SAME) {
    return kind === load<i32>(check, 16) && (kind < 0 || valueOf(node) === load<f64>(check, 24));
  }
  if (test === IS_NOT) {
    return kind === PLAIN_STRING && !isText(place, load<i32>(check, 8), load<i32>(check, 12));
  }
  if (test === FRESH) return kind === OBJECT && load<i32>(place, 4) === OBJECT;
  if (test === GIVEN) return kind === PLAIN_STRING && isAnyText(place);
  if (test === PLAIN) return kind !== OTHER_STRING;
  if (test === ABSENT) return kind < 0;
  if (test === COUNT) return kind < 0 || kind === NULL || (kind === NUMBER && !isNaN(load<f64>(place, 16)));
  if (kind !== PLAIN_STRING) return false;
  const ms = load<f64>(place, 16);
  return test === LATER ? ms >= load<f64>(check, 24) : !isNaN(ms);
}

function isAlwaysPassed(): bool {
  for (let rule = 0; rule < rules; ++rule) {
    if (load<i32>(passedOf(rule)) === IS_IDLE && passesAll(rule)) return true;
  }
  return false;
}

function passesAll(rule: i32): bool {
  let check = ruleAt(rule) + CHECKS;
  while (load<i32>(check) !== 0) {
    if (!passes(check)) return false;
    check += CHECK_BYTES;
  }
  return true;
}

/** Whether a rule passes over the line that was read last. */
function isPassed(): bool {
  if (isIdle) return true;
  for (let rule = 0; rule < rules; ++rule) {
    const state = load<i32>(passedOf(rule));
    if (state === 0 || !passesAll(rule)) continue;
    if (state === IS_SETTLED) note(rule);
    return true;
  }
  return false;
}

function note(rule: i32): void {
  passed += 1;
  noteTimes(rule);
  const place = passedOf(rule);
  if (load<i32>(ruleAt(rule)) > 0 && load<i32>(place, 12) === 0) addRow(rule);
  else if (rows > 0 && load<i32>(ruleAt(rule), 8) !== 0) store<f64>(rowAt(rows - 1), <f64>lineNumber, 16);
  else {
    store<i32>(place, load<i32>(place, 4) + 1, 4);
    store<i32>(place, lineNumber, 8);
  }
  const settled = load<i32>(ruleAt(rule), 4);
  if (settled >= 0) settle(settled);
}

function noteTimes(rule: i32): void {
  let check = ruleAt(rule) + CHECKS;
  for (let test = load<i32>(check); test !== 0; test = load<i32>(check)) {
    if (test === TIME || test === LATER) {
      const ms = load<f64>(nodeAt(load<i32>(check, 4)), 16);
      store<f64>(PASSED_TIMES, Math.min(load<f64>(PASSED_TIMES), ms));
      store<f64>(PASSED_TIMES, Math.max(load<f64>(PASSED_TIMES, 8), ms), 8);
    }
    check += CHECK_BYTES;
  }
}

function rowAt(row: i32): i32 {
  return ROWS + row * ROW_BYTES;
}

function addRow(rule: i32): void {
  const row = rowAt(rows);
  const place = ruleAt(rule);
  rows += 1;
  store<f64>(row, <f64>rule);
  store<f64>(row, <f64>lineNumber, 8);
  store<f64>(row, <f64>lineNumber, 16);
  const columns = load<i32>(place);
  for (let i = 0; i < columns; ++i) {
    const column = place + COLUMNS + i * COLUMN_BYTES;
    const value = columnOf(load<i32>(column), load<i32>(column, 4), load<i32>(column, 8));
    store<f64>(row + (i << 3), value, 24);
  }
}

function columnOf(column: i32, node: i32, seed: i32): f64 {
  const place = nodeAt(node);
  const kind = kindOf(node);
  if (column === COUNT_OF) return kind === NUMBER ? load<f64>(place, 16) : -1;
  if (column === TIME_OF) return load<f64>(place, 16);
  const isFilled = kind >= 0 && isAnyText(place);
  if (column === TELLS) return isFilled ? 1 : 0;
  return isFilled ? hashOf(load<i32>(place, 8) + 1, load<i32>(place, 12) - 1, seed) : -1;
}

/** `textHash` of a plain text. */
function hashOf(start: i32, end: i32, seed: i32): f64 {
  let a: i32 = 0xdeadbeef ^ seed;
  let b: i32 = 0x41c6ce57 ^ seed;
  for (let p = start; p < end; ++p) {
    const unit = <i32>load<u8>(p);
    a = (a ^ unit) * <i32>2654435761;
    b = (b ^ unit) * 1597334677;
  }
  const mixed = ((a ^ (a >>> 16)) * <i32>2246822507) ^ ((b ^ (b >>> 13)) * <i32>3266489909);
  b = ((b ^ (b >>> 16)) * <i32>2246822507) ^ ((mixed ^ (mixed >>> 13)) * <i32>3266489909);
  return 4294967296.0 * <f64>(b & 2097151) + <f64>(<u32>mixed);
}

/** Reads lines from here on, up to one that no rule passes over. `before` lines were read before; `end` is behind a newline. */
export function readLines(start: i32, end: i32, before: i32): i32 {
  lineNumber = before;
  let p = start;
  while (p < end) {
    if (rows >= MAX_ROWS) return stop(FULL, p);
    lineNumber += 1;
    p = skipBlanks(p);
    const first = load<u8>(p);
    if (first !== 0x0a) {
      lineStart = p;
      if (first !== 0x7b) return stop(OTHER, p);
      const result = readLine(p);
      if (result !== VALID || !isPassed()) return result;
      p = at;
    }
    p += 1;
  }
  return stop(END, p);
}
