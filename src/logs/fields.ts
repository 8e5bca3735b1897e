import { BROKEN, parseJson } from "./lines.ts";

/** Tolerant access to records whose format nobody promises: a member of another type is absent. */
export type Fields = { readonly [key: string]: unknown };

export function fields(value: unknown): Fields | undefined {
  return isFields(value) ? value : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object on a line; `broken` for text that is no JSON; undefined for a JSON value that is no object. */
export function parseFields(text: string): Fields | "broken" | undefined {
  const value = parseJson(text);
  return value === BROKEN ? "broken" : fields(value);
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A string with something in it. */
export function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function number(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/**
 * A token count. Undefined when missing or null.
 *
 * @throws BadCount for what is there but cannot be a count.
 */
export function count(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw new BadCount(`not a token count: ${String(value).slice(0, 40)}`);
}

/** Makes its reader reject the one record that holds the count. */
export class BadCount extends Error {
  override readonly name = "BadCount";
}

const EARLIEST_MS = Date.UTC(2015, 0);
const LATEST_MS = Date.UTC(2100, 0);

/** Milliseconds of an ISO time; UTC when it names no zone. Undefined when missing or absurd. */
export function timeMs(value: unknown): number | undefined {
  if (typeof value !== "string") return undefined;
  const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/i.test(value);
  const ms = Date.parse(hasZone ? value : `${value}Z`);
  return ms >= EARLIEST_MS && ms < LATEST_MS ? ms : undefined;
}

/** Milliseconds of a time that is kept as a number of seconds or milliseconds, as digits, or as an ISO text. */
export function epochMs(value: unknown): number | undefined {
  const digits = typeof value === "string" && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  if (typeof digits !== "number") return timeMs(value);
  const ms = digits < LATEST_MS / 1000 ? digits * 1000 : digits;
  return ms >= EARLIEST_MS && ms < LATEST_MS ? ms : undefined;
}

/** `{key: value}`, or nothing when the value is absent. */
export function optional<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]?: V });
}
