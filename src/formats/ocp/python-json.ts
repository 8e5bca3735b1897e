/**
 * JSON exactly as the reference implementation of the protocol prints it (Python's `json.dumps` with sorted
 * keys, no spaces, non-ASCII kept), because the configuration id is a hash of that text. It differs from
 * `canonicalJson` in numbers: integers and floats stay apart (`1` and `1.0`), and floats switch to an
 * exponent at 1e16 and below 1e-4.
 */
import { byCodePoint, type Json } from "../../core/canonical-json.ts";
import type { NumberTexts } from "./json-text.ts";
import { asList, asMembers, dig } from "./members.ts";

const LONE_SURROGATE = /\p{Surrogate}/u;

/** Undefined when the value holds what UTF-8 or JSON cannot carry. */
export function pythonJson(value: Json, numbers: NumberTexts): string | undefined {
  const text = print(value, undefined, numbers);
  return LONE_SURROGATE.test(text) ? undefined : text;
}

function print(value: unknown, source: string | undefined, numbers: NumberTexts): string {
  if (typeof value === "number") return source === undefined ? printNumber(value) : printSource(source);
  if (typeof value === "string") return printString(value);
  const list = asList(value);
  const texts = typeof value === "object" && value !== null ? numbers.get(value) : undefined;
  if (list !== undefined) {
    return `[${list.map((item, index) => print(item, texts?.get(String(index)), numbers)).join(",")}]`;
  }
  const members = asMembers(value);
  if (members === undefined) return String(value);
  const keys = Object.keys(members)
    .filter((key) => members[key] !== undefined)
    .sort(byCodePoint);
  const printed = keys.map(
    (key) => `${printString(key)}:${print(dig(members, key), texts?.get(key), numbers)}`,
  );
  return `{${printed.join(",")}}`;
}

function printNumber(value: number): string {
  return Number.isInteger(value) ? BigInt(value).toString() : printFloat(value);
}

function printSource(source: string): string {
  return /^-?\d+$/.test(source) ? BigInt(source).toString() : printFloat(Number(source));
}

/** The shortest digits that read back, as in JavaScript, in Python's layout. */
export function printFloat(value: number): string {
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  const [mantissa = "", power = "0"] = Math.abs(value).toExponential().split("e");
  const digits = mantissa.replace(".", "");
  const exponent = Number(power);
  const sign = value < 0 ? "-" : "";
  if (exponent < -4 || exponent >= 16) {
    const size = String(Math.abs(exponent)).padStart(2, "0");
    return `${sign}${mantissa}e${exponent < 0 ? "-" : "+"}${size}`;
  }
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  return `${sign}${whole}.${digits.slice(exponent + 1) || "0"}`;
}

/** JavaScript writes lone surrogates as escapes, Python as themselves; both escape the same controls. */
function printString(text: string): string {
  return LONE_SURROGATE.test(text) ? `"${text}"` : JSON.stringify(text);
}
