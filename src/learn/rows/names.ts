import type { Term } from "./terms.ts";

type Key = string | number | undefined;

/** What sequences of keys lead to, each made once: a hundred thousand rows say the same few hundred things. */
export class Known<T> {
  made: T | undefined;
  readonly #next = new Map<Key, Known<T>>();

  below(key: Key): Known<T> {
    const known = this.#next.get(key);
    if (known !== undefined) return known;
    const fresh = new Known<T>();
    this.#next.set(key, fresh);
    return fresh;
  }
}

const names = new Known<string>();
const terms = new Known<Term>();

/** One text for each name. */
export function named(level: string, key: string, mark = "", more = ""): string {
  const found = names.below(level).below(key).below(more);
  found.made ??= `${level}:${key}${mark}${more}`;
  return found.made;
}

/** One term for each effect and value. */
export function term(node: string, value: number): Term {
  const found = terms.below(node).below(value);
  found.made ??= [node, value];
  return found.made;
}
