/** Learns the shapes of valid lines. */
import { areEqual, copy, skipBlanks } from "./bytes";
import {
  BYTES,
  COUNTED,
  FIRST_BYTES,
  FIRST_SHAPE,
  FOLLOWS,
  INSIDE,
  IS_KEPT,
  IS_NAME,
  LIST,
  MARK_BYTES,
  MARK_END,
  MARK_START,
  MARK_TYPE,
  MARKS,
  MAX_LEVELS,
  MAX_MARKS,
  MAX_NAME,
  MAX_STEP,
  MAX_STRANGERS,
  MAX_WAYS,
  NESTED,
  NEW_MARKS,
  NEXT,
  NODE_OF,
  NOTHING,
  OBJECT,
  PLAIN_STRING,
  ROOT,
  SHAPES,
  SHAPES_END,
  STEP_BYTES,
  TEXT,
} from "./layout";
import { elementOf, nodeOf, traitsOf } from "./members";
import { literalType, skipLiteral, skipNumber } from "./numbers";
import { at } from "./position";
import { readMembers } from "./read-members";
import { isAlwaysPassed } from "./rules";
import { skipOther } from "./shapes";
import { isPlain, skipString } from "./strings";

let shapesEnd: i32 = FIRST_SHAPE;
let isFull: bool = false;
let strangers: i32 = 0;
/** Where the step that is learned next is named, or 0; where its bytes begin; how many marks it has. */
let way: i32 = 0;
let learnFrom: i32 = 0;
let marks: i32 = 0;

/** Learns the shape of a valid line. `end` is behind its newline. */
export function learnLine(start: i32, end: i32): void {
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
export function learn(first: i32, start: i32, node: i32, level: i32): i32 {
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
