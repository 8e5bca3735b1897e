/** Compares a line with the shapes of earlier ones. A shape is steps: bytes, and what follows them. */
import { areEqual, skipBlanks } from "./bytes";
import {
  ARRAY,
  BYTES,
  COUNTED,
  FIRST_BYTES,
  FOLLOWS,
  HAS_ELEMENTS,
  IN_LIST,
  INSIDE,
  IS_KEPT,
  IS_SKIPPED,
  LIST,
  MARK_BYTES,
  MARK_END,
  MARK_START,
  MARK_TYPE,
  MARKS,
  MAX_LEVELS,
  MAX_NODES,
  NESTED,
  NEXT,
  NO_SHAPE,
  NODE_OF,
  NOTHING,
  NUMBER,
  OBJECT,
  ONES,
  OTHER_STRING,
  PLAIN_STRING,
  STEP_BYTES,
  TEXT,
  TRY_NEXT,
  VALID,
} from "./layout";
import { learn } from "./learn";
import { elementOf, keep, nodeAt, repeatedAt, traitsOf, write } from "./members";
import { skipLiteral, skipNumber } from "./numbers";
import { at } from "./position";
import { readMembers } from "./read-members";
import { isPlain, skipString } from "./strings";

for (let i = 0; i < 16; ++i) store<u8>(ONES + i, 255);

/** Something was kept while a line was compared with shapes. */
let hasKept: bool = false;
/** The line had the shape of lines that rules always pass over. */
export let isIdle: bool = false;

/** Follows the steps from the one that `first` names. Behind their end, or negative where there is no such shape. */
export function walk(first: i32, from: i32, level: i32): i32 {
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

/** Of a list whose first element, if it has one, is at `p`. */
function listType(node: i32, p: i32): i32 {
  return load<u8>(p) === 0x5d || (load<i32>(traitsOf(node)) & IN_LIST) !== 0 ? ARRAY : ARRAY | HAS_ELEMENTS;
}

/** Behind the value here, in which nothing is wanted and which is no object; negative when there is none. */
export function skipOther(p: i32): i32 {
  const c = load<u8>(p);
  if (c === 0x22) return skipString(p + 1);
  if (c === 0x5b) return readMembers(p, 0) === VALID ? at : NO_SHAPE;
  return c >= 0x61 ? skipLiteral(p) : skipNumber(p);
}

/** What was kept of a line that turned out to have no known shape is read, and kept, again. */
export function forgetWalk(): void {
  isIdle = false;
  if (!hasKept) return;
  hasKept = false;
  for (let node = 0; node < MAX_NODES; ++node) {
    if ((load<i32>(traitsOf(node)) & IS_KEPT) !== 0) store<i32>(nodeAt(node), 0, 28);
  }
}
