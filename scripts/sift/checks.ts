/** What a rule asks of a line. */
import {
  ABSENT,
  COUNT,
  FRESH,
  GIVEN,
  HOLDS,
  IS,
  IS_NOT,
  LATER,
  NULL,
  NUMBER,
  OBJECT,
  OTHER_STRING,
  PLAIN,
  PLAIN_STRING,
  SAME,
  TAPE,
} from "./layout";
import { isAnyText, isText, kindOf, nodeAt, tapeEnd, valueOf } from "./members";

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

export function passes(check: i32): bool {
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
