import type { ProblemCode } from "../../core/problem-codes.ts";
import type { Problem } from "../../core/result.ts";
import { didYouMean } from "./did-you-mean.ts";
import type { Marked, Scalar } from "./marked.ts";

/** Collects what is wrong with a file, and where each path of it stands. */
export class Findings {
  readonly #problems: Problem[] = [];
  readonly #warnings: Problem[] = [];
  readonly #places = new Map<string, string>();

  /** In order of their places. */
  get problems(): readonly Problem[] {
    return this.#problems.toSorted(byPlace);
  }

  get warnings(): readonly Problem[] {
    return this.#warnings.toSorted(byPlace);
  }

  /** Remembers a place, so that later checks can name it by path alone. */
  mark(path: string, at: string): void {
    this.#places.set(path, at);
  }

  error(code: ProblemCode, path: string, message: string, hint?: string): void {
    this.#problems.push(this.#problem(code, path, message, hint));
  }

  warn(path: string, message: string, hint?: string): void {
    this.#warnings.push(this.#problem("bad-input", path, message, hint));
  }

  /** A rule across values; silent where the value itself could not be read. */
  rule(path: string, message: string, hint?: string): void {
    const isKnown = this.#problems.some((problem) => problem.message.startsWith(`${path}: `));
    if (!isKnown) this.error("bad-input", path, message, hint);
  }

  /** Refuses the second of two equal names. */
  unique(names: readonly string[], pathOf: (index: number) => string): void {
    const seen = new Set<string>();
    for (const [index, name] of names.entries()) {
      if (name !== "" && seen.has(name)) this.rule(pathOf(index), `"${name}" is used twice`);
      seen.add(name);
    }
  }

  #problem(code: ProblemCode, path: string, message: string, hint: string | undefined): Problem {
    const at = this.#placeOf(path);
    return {
      code,
      message: path === "" ? message : `${path}: ${message}`,
      ...(at !== undefined && { at }),
      ...(hint !== undefined && { hint }),
    };
  }

  /** The place of a path, or of the nearest thing around it that is written down. */
  #placeOf(path: string): string | undefined {
    let here = path;
    for (;;) {
      const at = this.#places.get(here);
      if (at !== undefined || here === "") return at;
      here = here.slice(0, Math.max(0, here.lastIndexOf("."), here.lastIndexOf("[")));
    }
  }
}

function byPlace(a: Problem, b: Problem): number {
  const [lineA = 0, columnA = 0] = lineAndColumn(a);
  const [lineB = 0, columnB = 0] = lineAndColumn(b);
  return lineA - lineB || columnA - columnB;
}

function lineAndColumn({ at }: Problem): readonly number[] {
  return (at ?? "").split(":").slice(-2).map(Number);
}

/**
 * Reads the members of one map. Each method takes one key, reports what is wrong with its value, and then
 * gives a stand-in of the right type, so that reading goes on and finds everything; a result that was read
 * with problems is thrown away.
 */
export class MapReader {
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
      findings.error("bad-input", path, `expected a map, got ${describe(node)}`);
    }
  }

  has(key: string): boolean {
    return this.#take(key) !== undefined;
  }

  at(key: string): string {
    return this.path === "" ? key : `${this.path}.${key}`;
  }

  text(key: string, fallback?: string): string {
    return (
      this.#scalar(key, "a text", fallback, (value) => (typeof value === "string" ? value : undefined)) ?? ""
    );
  }

  optionalText(key: string): string | undefined {
    return this.#take(key) === undefined ? undefined : this.text(key);
  }

  flag(key: string, fallback: boolean): boolean {
    return (
      this.#scalar(key, "true or false", fallback, (value) =>
        typeof value === "boolean" ? value : undefined,
      ) ?? fallback
    );
  }

  number(key: string, fallback?: number, minimum = Number.NEGATIVE_INFINITY): number {
    const what = minimum === Number.NEGATIVE_INFINITY ? "a number" : `a number of at least ${minimum}`;
    return this.#scalar(key, what, fallback, (value) => asNumber(value, minimum)) ?? 0;
  }

  whole(key: string, fallback?: number): number {
    const asWhole = (value: Scalar) => {
      const number = asNumber(value, 0);
      return Number.isSafeInteger(number) ? number : undefined;
    };
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

  texts(key: string): readonly string[] {
    return this.list(key).flatMap((item, index) => {
      if (item.kind === "scalar" && typeof item.value === "string") return [item.value];
      this.#findings.error(
        "bad-input",
        `${this.at(key)}[${index}]`,
        `expected a text, got ${describe(item)}`,
      );
      return [];
    });
  }

  list(key: string): readonly Marked[] {
    const node = this.#take(key);
    if (node === undefined) return [];
    if (node.kind !== "list") {
      this.#findings.error("bad-input", this.at(key), `expected a list, got ${describe(node)}`);
      return [];
    }
    for (const [index, item] of node.items.entries())
      this.#findings.mark(`${this.at(key)}[${index}]`, item.at);
    return node.items;
  }

  maps<T>(key: string, read: (map: MapReader) => T): readonly T[] {
    return this.list(key).map((item, index) =>
      read(new MapReader(item, `${this.at(key)}[${index}]`, this.#findings)),
    );
  }

  map(key: string): MapReader {
    return new MapReader(this.#take(key), this.at(key), this.#findings);
  }

  keys(): readonly string[] {
    for (const [key, { keyAt }] of this.#entries) {
      this.#known.add(key);
      this.#findings.mark(this.at(key), keyAt);
    }
    return [...this.#entries.keys()];
  }

  /** The one of two spellings of a key that the file uses; both at once are refused. */
  spelling(ours: string, theirs: string): string {
    if (!this.has(ours) || !this.has(theirs)) return this.has(ours) ? ours : theirs;
    this.#findings.error("bad-input", this.at(ours), `means the same as ${theirs}; use one of them`);
    return ours;
  }

  refuse(key: string, message: string, code: ProblemCode = "bad-input", hint?: string): void {
    this.#findings.error(code, this.at(key), message, hint);
  }

  /**
   * Refuses every key that was not read. `later`: keys of the grammar that we do not read, with a hint or "".
   */
  close(later: Readonly<Record<string, string>> = {}): void {
    for (const [key, { keyAt }] of this.#entries) {
      if (this.#known.has(key)) continue;
      const path = this.at(key);
      this.#findings.mark(path, keyAt);
      if (Object.hasOwn(later, key)) {
        this.#findings.error(
          "not-supported-yet",
          path,
          "this key is not supported yet",
          later[key] || undefined,
        );
        continue;
      }
      const meant = didYouMean(key, [...this.#known, ...Object.keys(later)]);
      const hint =
        meant === undefined ? `known here: ${[...this.#known].join(", ")}` : `did you mean "${meant}"?`;
      this.#findings.error("unknown-key", path, "no such key", hint);
    }
  }

  #scalar<T>(
    key: string,
    what: string,
    fallback: T | undefined,
    accept: (value: Scalar) => T | undefined,
  ): T | undefined {
    const node = this.#take(key);
    if (node === undefined) {
      if (fallback === undefined)
        this.#findings.error("bad-input", this.at(key), `missing; expected ${what}`);
      return fallback;
    }
    const value = node.kind === "scalar" ? accept(node.value) : undefined;
    if (value === undefined) {
      this.#findings.error("bad-input", this.at(key), `expected ${what}, got ${describe(node)}`);
    }
    return value;
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

function asNumber(value: Scalar, minimum: number): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= minimum ? value : undefined;
}

function isNull(node: Marked): boolean {
  return node.kind === "scalar" && node.value === null;
}

function describe(node: Marked): string {
  if (node.kind !== "scalar") return `a ${node.kind}`;
  const text = JSON.stringify(node.value);
  return text.length <= 60 ? text : `${text.slice(0, 57)}..."`;
}
