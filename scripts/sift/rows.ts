import { COLUMN_BYTES, COLUMNS, COUNT_OF, NUMBER, ROW_BYTES, ROWS, TELLS, TIME_OF } from "./layout";
import { isAnyText, kindOf, nodeAt } from "./members";

export let rows: i32 = 0;

/** How many rows were written since they were last forgotten. */
export function rowCount(): i32 {
  return rows;
}

function rowAt(row: i32): i32 {
  return ROWS + row * ROW_BYTES;
}

export function addRow(rule: i32, place: i32, ofLine: i32): void {
  const row = rowAt(rows);
  rows += 1;
  store<f64>(row, <f64>rule);
  store<f64>(row, <f64>ofLine, 8);
  store<f64>(row, <f64>ofLine, 16);
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

export function forgetRows(): void {
  rows = 0;
}

/** The row that was written last stands for this line too. */
export function lengthenRow(ofLine: i32): void {
  store<f64>(rowAt(rows - 1), <f64>ofLine, 16);
}
