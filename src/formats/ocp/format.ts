import type { Json } from "../../core/canonical-json.ts";
import type { NumberTexts } from "./json-text.ts";
import { asList, asMembers, dig } from "./members.ts";
import type { OcpDocument } from "./types.ts";

/**
 * The text of a run document: two spaces of indent, non-ASCII kept, a final newline. `numbers` keeps the
 * written form of numbers that were read from a text, so that a rewrite does not turn `1.0` into `1`.
 */
export function formatOcp(document: OcpDocument | Json, numbers: NumberTexts = new WeakMap()): string {
  return `${print(document, undefined, numbers, "\n")}\n`;
}

function print(value: unknown, source: string | undefined, numbers: NumberTexts, newline: string): string {
  const texts = typeof value === "object" && value !== null ? numbers.get(value) : undefined;
  const inner = `${newline}  `;
  const list = asList(value);
  if (list !== undefined) {
    if (list.length === 0) return "[]";
    const items = list.map((item, index) => print(item ?? null, texts?.get(String(index)), numbers, inner));
    return `[${inner}${items.join(`,${inner}`)}${newline}]`;
  }
  const members = asMembers(value);
  if (members === undefined) return source ?? JSON.stringify(value);
  const keys = Object.keys(members).filter((key) => members[key] !== undefined);
  if (keys.length === 0) return "{}";
  const lines = keys.map(
    (key) => `${JSON.stringify(key)}: ${print(dig(members, key), texts?.get(key), numbers, inner)}`,
  );
  return `{${inner}${lines.join(`,${inner}`)}${newline}}`;
}
