/** What is wanted of a line, and what was found of it there. */
import { areEqual, copy, lowBytes } from "./bytes";
import {
  IN_LIST,
  IS_KEPT,
  IS_SKIPPED,
  IS_TIME,
  NODES,
  NUMBER,
  OBJECT,
  OBJECT_BYTES,
  OBJECTS,
  OTHER_STRING,
  PLAIN_STRING,
  SLOTS,
  TAPE,
  TAPE_END,
  TEXT_BYTES,
  TEXTS,
  TRAITS,
} from "./layout";
import { wholeNumber } from "./numbers";
import { isoTime } from "./times";

export let tapeEnd: i32 = TAPE;
let serial: i32 = 0;

export function entries(): i32 {
  return (tapeEnd - TAPE) >> 4;
}

/** The line whose members count. */
export function line(): i32 {
  return serial;
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

export function nodeAt(node: i32): i32 {
  return NODES + (node << 5);
}

export function traitsOf(node: i32): i32 {
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

export function nodeOf(parent: i32, text: i32, length: i32): i32 {
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

/** Writes a member down. False when the line has it twice, or more members of lists than there is room for. */
export function write(node: i32, type: i32, start: i32, end: i32): bool {
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
  const isShort = length <= room;
  // Longer texts do not repeat, and no text has no length.
  store<i32>(place, isShort ? length : 0, 28);
  if (!isShort) return;
  copy(kept, start, length);
}

function keptOf(traits: i32): i32 {
  return OBJECTS + (traits >> 4) * OBJECT_BYTES;
}

export function beginLine(): void {
  tapeEnd = TAPE;
  serial += 1;
}

export function elementOf(node: i32): i32 {
  return node === 0 ? 0 : load<i32>(traitsOf(node), 4);
}

/** The length of the object here when it is the one that was kept; it was read to the letter then. */
export function repeatedAt(node: i32, p: i32): i32 {
  const traits = load<i32>(traitsOf(node));
  if ((traits & IS_KEPT) === 0) return 0;
  const length = load<i32>(nodeAt(node), 28);
  return length > 0 && areEqual(keptOf(traits), p, length) ? length : 0;
}

/** At the end of a container. */
export function keep(node: i32, end: i32): void {
  const traits = load<i32>(traitsOf(node));
  if ((traits & IS_KEPT) === 0) return;
  const place = nodeAt(node);
  if ((load<i32>(place, 4) & 15) === OBJECT) {
    remember(place, keptOf(traits), OBJECT_BYTES, load<i32>(place, 8), end);
  }
}

/** Type and whether a list has elements; -1 when it is not in the line. */
export function kindOf(node: i32): i32 {
  const place = nodeAt(node);
  return load<i32>(place) === serial ? load<i32>(place, 4) & ~IS_SKIPPED : -1;
}

/** What tells it from others of its kind. */
export function valueOf(node: i32): f64 {
  const place = nodeAt(node);
  const type = kindOf(node) & 15;
  if (type === NUMBER || (load<i32>(traitsOf(node)) & IS_TIME) !== 0) return load<f64>(place, 16);
  return <f64>load<i32>(place, 24);
}

export function isText(place: i32, text: i32, length: i32): bool {
  const start = load<i32>(place, 8);
  return (
    load<i32>(place, 4) === PLAIN_STRING &&
    load<i32>(place, 12) - start === length + 2 &&
    areEqual(start + 1, text, length)
  );
}

export function isAnyText(place: i32): bool {
  const type = load<i32>(place, 4);
  const isString = type === PLAIN_STRING || type === OTHER_STRING;
  return isString && load<i32>(place, 12) - load<i32>(place, 8) > 2;
}
