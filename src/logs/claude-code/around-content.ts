import { type Fields, parseFields } from "../fields.ts";
import type { MarkedLine } from "../lines.ts";

/** A quote inside a JSON string is escaped, so these bytes are structure, never text. */
export const MARKERS = ['"usage":'];
export const HAS_USAGE = 0b1;

const CONTENT = '"content":[';
const AFTER_CONTENT = '],"stop_reason":';
const ROLE = Buffer.from('"role":"assistant"');
/** How far from the line's start and before the usage the ends of the content stand. */
const BEFORE_BYTES = 2048;
const AFTER_BYTES = 256;

/**
 * The members of an assistant record without parsing its content, which is nearly all of its bytes: what is in front of the
 * content and what follows it are put together and parsed. Undefined when the line is anything but one whole
 * record in the usual order; then it must be parsed whole.
 */
export function fieldsAroundContent(line: MarkedLine): Fields | undefined {
  const usageAt = line.find(0, 0);
  if (usageAt === -1 || line.find(0, usageAt + 1) !== -1) return undefined;
  const before = line.bytes(0, Math.min(BEFORE_BYTES, usageAt));
  const contentAt = before.indexOf(CONTENT);
  if (contentAt === -1) return undefined;
  const windowAt = Math.max(contentAt + CONTENT.length, usageAt - AFTER_BYTES);
  const endAt = line.bytes(windowAt, usageAt).lastIndexOf(AFTER_CONTENT);
  if (endAt === -1) return undefined;
  const contentEnd = windowAt + endAt;
  // A record that was cut off and run into by the next one has two of these.
  if (line.holds(ROLE, contentAt, contentEnd)) return undefined;
  const whole = `${line.part(0, contentAt + CONTENT.length)}${line.part(contentEnd, line.byteLength)}`;
  const parsed = parseFields(whole);
  return parsed === undefined || parsed === "broken" || parsed["type"] !== "assistant" ? undefined : parsed;
}
