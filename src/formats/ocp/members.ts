/** Reading of untrusted JSON values: a wrong shape reads as nothing, and inherited members do not exist. */
import type { Path } from "./finding.ts";

export type Members = { readonly [key: string]: unknown };

export function asMembers(value: unknown): Members | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Members)
    : undefined;
}

export function asList(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

export function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The own member at the end of `keys`, or undefined. */
export function dig(value: unknown, ...keys: readonly string[]): unknown {
  let here = value;
  for (const key of keys) {
    const members = asMembers(here);
    if (members === undefined || !Object.hasOwn(members, key)) return undefined;
    here = members[key];
  }
  return here;
}

export function has(value: unknown, key: string): boolean {
  return dig(value, key) !== undefined;
}

export function textAt(value: unknown, ...keys: readonly string[]): string | undefined {
  return asText(dig(value, ...keys));
}

export interface Entity {
  readonly value: Members;
  readonly path: Path;
  /** `id` when it is a string. */
  readonly id: string | undefined;
}

/** The objects of a list, with their paths; anything else in it is left to the schema. */
export function entities(list: unknown, at: Path): readonly Entity[] {
  const found: Entity[] = [];
  for (const [index, item] of (asList(list) ?? []).entries()) {
    const value = asMembers(item);
    if (value !== undefined) found.push({ value, path: [...at, index], id: textAt(value, "id") });
  }
  return found;
}
