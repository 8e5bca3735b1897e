import { skipBlanks } from "./bytes";
import {
  ARRAY,
  BROKEN,
  HAS_ELEMENTS,
  IS_OBJECT,
  IS_SKIPPED,
  MAX_DEPTH,
  NUMBER,
  OBJECT,
  OTHER_STRING,
  PLAIN_STRING,
  STACK,
  UNSURE,
  VALID,
} from "./layout";
import { keep, nodeAt, nodeOf, repeatedAt, traitsOf, write } from "./members";
import { literalType, skipLiteral, skipNumber } from "./numbers";
import { stop } from "./position";
import { hasEscape, isPlain, skipString } from "./strings";

function levelOf(depth: i32): i32 {
  return STACK + (depth << 3);
}

/** Reads the object or list that starts here, member by member. `root` is its node; 0 when nothing in it is wanted. */
export function readMembers(start: i32, root: i32): i32 {
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
