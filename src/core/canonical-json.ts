/** Any JSON value. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json | undefined };
export type JsonObject = { readonly [key: string]: Json | undefined };

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Canonical JSON: keys sorted by Unicode code point, no spaces, members that are undefined left out.
 * Equal values give equal text, so a hash of it identifies the value.
 *
 * @throws TypeError for NaN and the infinities, which JSON cannot carry.
 */
export function canonicalJson(value: Json): string {
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new TypeError(`canonical JSON cannot carry ${value}`);
  }
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const members: string[] = [];
  for (const key of Object.keys(value).sort(byCodePoint)) {
    const member = value[key];
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${canonicalJson(member)}`);
  }
  return `{${members.join(",")}}`;
}

function isList(value: readonly Json[] | JsonObject): value is readonly Json[] {
  return Array.isArray(value);
}

/** Orders by code point. JavaScript's own order is by UTF-16 unit, which differs above U+FFFF. */
export function byCodePoint(a: string, b: string): number {
  if (a === b) return 0;
  const shared = Math.min(a.length, b.length);
  for (let at = 0; at < shared; at += 1) {
    const difference = a.charCodeAt(at) - b.charCodeAt(at);
    if (difference === 0) continue;
    // Below the surrogates units are code points; above, pairs have to be put together.
    if (a.charCodeAt(at) < 0xd800 && b.charCodeAt(at) < 0xd800) return difference;
    return bySlowCodePoint(a, b);
  }
  return a.length - b.length;
}

function bySlowCodePoint(a: string, b: string): number {
  const left = a[Symbol.iterator]();
  const right = b[Symbol.iterator]();
  for (;;) {
    const l = left.next();
    const r = right.next();
    if (l.done || r.done) return l.done === r.done ? 0 : l.done ? -1 : 1;
    const difference = (l.value.codePointAt(0) ?? 0) - (r.value.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
}
