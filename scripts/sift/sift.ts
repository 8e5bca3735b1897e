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
import { skipBlanks } from "./bytes";
import { BROKEN, END, FULL, MAX_ROWS, OTHER, ROOT, SHAPES, VALID } from "./layout";
import { learnLine } from "./learn";
import { beginLine } from "./members";
import { at, stop } from "./position";
import { readMembers } from "./read-members";
import { rows } from "./rows";
import { isPassed } from "./rules";
import { forgetWalk, walk } from "./shapes";
export { entries, line, want } from "./members";
export { rowCount } from "./rows";
export { addCheck, addColumn, addRule, forgetPassed, mute, passedLines, settle, unsettle } from "./rules";

let lineNumber: i32 = 0;
let lineStart: i32 = 0;

/** The number of the line that was read last. */
export function number(): i32 {
  return lineNumber;
}

/** Where the line that was read last begins. */
export function begin(): i32 {
  return lineStart;
}

/** The newline behind a valid line; else where the reading stopped, which is before the line's end or on it. */
export function position(): i32 {
  return at;
}

/** Reads the object that starts here and must end its line. */
function readLine(start: i32): i32 {
  beginLine();
  const end = walk(SHAPES, start, 0);
  if (end >= 0) return stop(VALID, end - 1);
  forgetWalk();
  beginLine();
  const result = readMembers(start, ROOT);
  if (result !== VALID) return result;
  const newline = skipBlanks(at);
  if (load<u8>(newline) !== 0x0a) return stop(BROKEN, newline);
  learnLine(start, newline + 1);
  return stop(VALID, newline);
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
      if (result !== VALID || !isPassed(lineNumber)) return result;
      p = at;
    }
    p += 1;
  }
  return stop(END, p);
}
