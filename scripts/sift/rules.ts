/** Lines that are only counted, or of which a row of numbers is enough. */
import { passes } from "./checks";
import {
  CHECK_BYTES,
  CHECKS,
  COLUMN_BYTES,
  COLUMNS,
  HOLDS,
  IS,
  IS_IDLE,
  IS_NAME,
  IS_NOT,
  IS_SETTLED,
  LATER,
  PASSED,
  PASSED_TIMES,
  RULE_BYTES,
  RULES,
  SAME,
  TIME,
} from "./layout";
import { kindOf, nodeAt, traitsOf, valueOf } from "./members";
import { addRow, forgetRows, lengthenRow, rows } from "./rows";
import { isIdle } from "./shapes";

let rules: i32 = 0;
let passed: i32 = 0;

/** How many lines rules passed over that count, since they were last forgotten. */
export function passedLines(): i32 {
  return passed;
}

/**
 * Adds a rule without checks or columns. Returns where its checks go.
 *
 * @param settles the rule that each line which it passes over settles, or -1
 * @param isMore whether the lines that it passes over belong to the last row
 */
export function addRule(isAlways: bool, settles: i32, isMore: bool): i32 {
  store<i32>(passedOf(rules), isAlways ? IS_IDLE : 0);
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
  forgetRows();
  for (let rule = 0; rule < rules; ++rule) store<i32>(passedOf(rule), 0, 4);
  store<f64>(PASSED_TIMES, Infinity);
  store<f64>(PASSED_TIMES, -Infinity, 8);
}

export function isAlwaysPassed(): bool {
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
export function isPassed(ofLine: i32): bool {
  if (isIdle) return true;
  for (let rule = 0; rule < rules; ++rule) {
    const state = load<i32>(passedOf(rule));
    if (state === 0 || !passesAll(rule)) continue;
    if (state === IS_SETTLED) note(rule, ofLine);
    return true;
  }
  return false;
}

function note(rule: i32, ofLine: i32): void {
  passed += 1;
  noteTimes(rule);
  const place = passedOf(rule);
  if (load<i32>(ruleAt(rule)) > 0 && load<i32>(place, 12) === 0) addRow(rule, ruleAt(rule), ofLine);
  else if (rows > 0 && load<i32>(ruleAt(rule), 8) !== 0) lengthenRow(ofLine);
  else {
    store<i32>(place, load<i32>(place, 4) + 1, 4);
    store<i32>(place, ofLine, 8);
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
