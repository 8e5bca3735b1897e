import { type Fields, fields, parseFields } from "../fields.ts";
import type { MarkedLine } from "../lines.ts";

const CONTENT = '"content":[';
const AFTER_CONTENT = '],"stop_reason":';
const USAGE = '"usage":{';
const ROLE_TEXT = '"role":"assistant"';
const ROLE = Buffer.from(ROLE_TEXT);
/** How far from the line's end the content ends, with every known writer. */
const TAIL_BYTES = 1280;

/** An assistant record without its content. `usageText` is taken out of `record`, to be compared before it is parsed. */
export interface AroundContent {
  readonly record: Fields;
  readonly usageText: string;
}

/**
 * The members of an assistant record without parsing its content, which is nearly all of its bytes: what is in front of the
 * content and what follows it are put together and parsed. A quote inside a JSON string is escaped, so the bytes
 * looked for are structure, never text. Undefined when the line is anything but one whole record in the usual
 * order; then it must be parsed whole.
 *
 * @param start the line's first bytes, one character each
 */
export function aroundContent(line: MarkedLine, start: string): AroundContent | undefined {
  const contentAt = start.indexOf(CONTENT);
  const roleAt = start.indexOf(ROLE_TEXT);
  if (contentAt === -1 || roleAt === -1 || roleAt > contentAt) return undefined;
  const contentFrom = contentAt + CONTENT.length;
  const tailFrom = Math.max(contentFrom, line.byteLength - TAIL_BYTES);
  const tail = line.bytes(tailFrom, line.byteLength);
  const endAt = tail.lastIndexOf(AFTER_CONTENT);
  const usageAt = tail.indexOf(USAGE, endAt);
  if (endAt === -1 || usageAt === -1) return undefined;
  const usageEnd = objectEnd(tail, usageAt + USAGE.length - 1);
  // A record that was cut off and run into by the next one names the role twice.
  if (usageEnd === -1 || line.holds(ROLE, contentFrom, tailFrom + endAt)) return undefined;
  const [before, between, after] = [
    start.slice(0, contentFrom),
    tail.slice(endAt, usageAt),
    tail.slice(usageEnd),
  ];
  const record = parseFields(decoded(`${before}${between}"usage":0${after}`));
  if (record === undefined || record === "broken" || record["type"] !== "assistant") return undefined;
  if (fields(record["message"])?.["usage"] !== 0) return undefined;
  return { record, usageText: tail.slice(usageAt + USAGE.length - 1, usageEnd) };
}

/** Where the object that starts at `from` ends; -1 when it does not. */
function objectEnd(text: string, from: number): number {
  let depth = 0;
  for (let i = from; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit === 0x22) {
      i = text.indexOf('"', i + 1);
      // No known count has a text with an escape.
      if (i === -1 || text.charCodeAt(i - 1) === 0x5c) return -1;
    } else if (unit === 0x7b) depth += 1;
    else if (unit === 0x7d) {
      depth -= 1;
      if (depth === 0) return i + 1;
    }
  }
  return -1;
}

/** Bytes that were kept one character each, as the text they are. */
function decoded(bytes: string): string {
  for (let i = 0; i < bytes.length; i += 1) {
    if (bytes.charCodeAt(i) > 0x7f) return Buffer.from(bytes, "latin1").toString("utf8");
  }
  return bytes;
}
