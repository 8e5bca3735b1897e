import type { ProblemCode } from "../../core/problem-codes.ts";
import { didYouMean } from "./did-you-mean.ts";
import type { Fields, NumberBounds } from "./fields.ts";
import { Findings } from "./findings.ts";
import type { Marked, Scalar } from "./marked.ts";

/**
 * Reads the members of one map. Each method takes one key, reports what is wrong with its value, and then gives a
 * stand-in of the right type, so that reading goes on and finds everything; a result that was read with problems is
 * thrown away.
 */
export class MapReader implements Fields {
  readonly path: string;
  readonly #entries: ReadonlyMap<string, { readonly keyAt: string; readonly value: Marked }>;
  readonly #findings: Findings;
  readonly #known = new Set<string>();

  constructor(node: Marked | undefined, path: string, findings: Findings) {
    this.path = path;
    this.#findings = findings;
    this.#entries = node?.kind === "map" ? node.entries : new Map();
    if (node !== undefined) findings.mark(path, node.at);
    if (node !== undefined && node.kind !== "map" && !isNull(node)) {
      findings.unreadable("bad-input", path, `expected a map, got ${describe(node)}`);
    }
  }

  has(key: string): boolean {
    return this.#take(key) !== undefined;
  }

  at(key: string): string {
    return this.path === "" ? key : `${this.path}.${key}`;
  }

  text(key: string, fallback?: string): string {
    return this.#scalar(key, "a text", fallback, asText) ?? "";
  }

  optionalText(key: string): string | undefined {
    return this.#take(key) === undefined ? undefined : this.text(key);
  }

  flag(key: string, fallback?: boolean): boolean {
    const asFlag = (value: Scalar) => (typeof value === "boolean" ? value : undefined);
    return this.#scalar(key, "true or false", fallback, asFlag) ?? false;
  }

  number(key: string, fallback?: number, { atLeast, atMost }: NumberBounds = {}): number {
    const bounds = [
      ...(atLeast === undefined ? [] : [`of at least ${atLeast}`]),
      ...(atMost === undefined ? [] : [`of at most ${atMost}`]),
    ];
    const what = ["a number", bounds.join(" and ")].filter((part) => part !== "").join(" ");
    const asBounded = (value: Scalar) =>
      typeof value === "number" &&
      Number.isFinite(value) &&
      value >= (atLeast ?? Number.NEGATIVE_INFINITY) &&
      value <= (atMost ?? Number.POSITIVE_INFINITY)
        ? value
        : undefined;
    return this.#scalar(key, what, fallback, asBounded) ?? 0;
  }

  whole(key: string, fallback?: number): number {
    const asWhole = (value: Scalar) =>
      typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
    return this.#scalar(key, "a whole number of at least 0", fallback, asWhole) ?? 0;
  }

  optional<T>(key: string, read: (key: string) => T): T | undefined {
    return this.#take(key) === undefined ? undefined : read(key);
  }

  word<W extends string>(key: string, words: readonly W[], fallback?: W): W {
    const [first] = words;
    const asWord = (value: Scalar) => words.find((word) => word === value);
    const found = this.#scalar(key, `one of ${words.join(", ")}`, fallback, asWord);
    return found ?? fallback ?? (first as W);
  }

  texts(key: string, fallback: readonly string[] = []): readonly string[] {
    if (this.#take(key) === undefined) return fallback;
    return this.#scalars(key, "a text", asText);
  }

  words<W extends string>(key: string, words: readonly W[], fallback: readonly W[] = []): readonly W[] {
    if (this.#take(key) === undefined) return fallback;
    return this.#scalars(key, `one of ${words.join(", ")}`, (value) => words.find((word) => word === value));
  }

  maps<T>(key: string, read: (fields: Fields) => T): readonly T[] {
    return this.#list(key).map((item, index) => {
      const map = new MapReader(item, `${this.at(key)}[${index}]`, this.#findings);
      return map.#closed(read);
    });
  }

  map<T>(key: string, read: (fields: Fields) => T, missing?: string): T {
    const node = this.#take(key);
    if (node === undefined && missing !== undefined) {
      this.#findings.unreadable("bad-input", this.at(key), `missing; expected ${missing}`);
      return new MapReader(undefined, this.at(key), new Findings()).#closed(read);
    }
    return new MapReader(node, this.at(key), this.#findings).#closed(read);
  }

  byName<T>(key: string, read: (fields: Fields) => T): ReadonlyMap<string, T> {
    const map = new MapReader(this.#take(key), this.at(key), this.#findings);
    const entries = [...map.#entries].map(([name, { keyAt }]) => {
      this.#findings.mark(map.at(name), keyAt);
      return [name, map.map(name, read)] as const;
    });
    return new Map(entries);
  }

  variant<W extends string, T>(
    tag: string,
    branches: Readonly<Record<W, (fields: Fields) => T>>,
    fallback?: NoInfer<W>,
  ): T {
    const words = Object.keys(branches) as W[];
    return branches[this.word(tag, words, fallback)](this);
  }

  spelling(ours: string, theirs: string): string {
    if (!this.has(ours) || !this.has(theirs)) return this.has(ours) ? ours : theirs;
    this.#findings.error("bad-input", this.at(ours), `means the same as ${theirs}; use one of them`);
    return ours;
  }

  refuse(key: string, message: string, code: ProblemCode = "bad-input", hint?: string): void {
    this.#findings.unreadable(code, this.at(key), message, hint);
  }

  /** Reads the whole map and refuses every key that was not asked for. */
  #closed<T>(read: (fields: Fields) => T, alsoMeant: readonly string[] = []): T {
    const value = read(this);
    for (const [key, { keyAt }] of this.#entries) {
      if (this.#known.has(key)) continue;
      const path = this.at(key);
      this.#findings.mark(path, keyAt);
      const meant = didYouMean(key, [...this.#known, ...alsoMeant]);
      const hint =
        meant === undefined ? `known here: ${[...this.#known].join(", ")}` : `did you mean "${meant}"?`;
      this.#findings.unreadable("unknown-key", path, "no such key", hint);
    }
    return value;
  }

  /** `alsoMeant`: further keys that a misspelt one may have been meant to be. */
  static readWhole<T>(
    node: Marked,
    findings: Findings,
    read: (fields: Fields) => T,
    alsoMeant: readonly string[],
  ): T {
    return new MapReader(node, "", findings).#closed(read, alsoMeant);
  }

  #list(key: string): readonly Marked[] {
    const node = this.#take(key);
    if (node === undefined) return [];
    if (node.kind !== "list") {
      this.#findings.unreadable("bad-input", this.at(key), `expected a list, got ${describe(node)}`);
      return [];
    }
    for (const [index, item] of node.items.entries())
      this.#findings.mark(`${this.at(key)}[${index}]`, item.at);
    return node.items;
  }

  #scalars<T>(key: string, what: string, accept: (value: Scalar) => T | undefined): readonly T[] {
    return this.#list(key).flatMap((item, index) => {
      const value = item.kind === "scalar" ? accept(item.value) : undefined;
      if (value !== undefined) return [value];
      const path = `${this.at(key)}[${index}]`;
      this.#findings.unreadable("bad-input", path, `expected ${what}, got ${describe(item)}`);
      return [];
    });
  }

  #scalar<T>(
    key: string,
    what: string,
    fallback: T | undefined,
    accept: (value: Scalar) => T | undefined,
  ): T | undefined {
    const node = this.#take(key);
    if (node === undefined) {
      if (fallback === undefined) {
        this.#findings.unreadable("bad-input", this.at(key), `missing; expected ${what}`);
      }
      return fallback;
    }
    const value = node.kind === "scalar" ? accept(node.value) : undefined;
    if (value !== undefined) return value;
    this.#findings.unreadable("bad-input", this.at(key), `expected ${what}, got ${describe(node)}`);
    return fallback;
  }

  /** An explicit null is an absent key. */
  #take(key: string): Marked | undefined {
    this.#known.add(key);
    const entry = this.#entries.get(key);
    if (entry === undefined || isNull(entry.value)) return undefined;
    this.#findings.mark(this.at(key), entry.value.at);
    return entry.value;
  }
}

/** The line breaks that a block text ends with are not part of what it says. */
function asText(value: Scalar): string | undefined {
  return typeof value === "string" ? value.replace(/\n+$/, "") : undefined;
}

function isNull(node: Marked): boolean {
  return node.kind === "scalar" && node.value === null;
}

function describe(node: Marked): string {
  if (node.kind !== "scalar") return `a ${node.kind}`;
  const text = JSON.stringify(node.value);
  return text.length <= 60 ? text : `${text.slice(0, 57)}..."`;
}
