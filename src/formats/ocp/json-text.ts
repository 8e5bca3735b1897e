/**
 * A JSON reader that keeps what `JSON.parse` throws away: whether a number was written as an integer or a
 * float, and which keys were written twice. Both matter here: the configuration id hashes numbers as they
 * were written, and a document whose key appears twice says two things.
 */
import type { Json } from "../../core/canonical-json.ts";
import type { Path } from "./finding.ts";

/** Deeper input is refused, so that no later walk can exhaust the stack. */
export const MAX_JSON_DEPTH = 256;

/**
 * Source text of the numbers that a JavaScript number cannot tell apart (`1.0`, `1e16`, integers past 2^53).
 */
export type NumberTexts = WeakMap<object, ReadonlyMap<string, string>>;

export type JsonRead =
  | {
      readonly ok: true;
      readonly value: Json;
      readonly numbers: NumberTexts;
      readonly duplicates: readonly Path[];
    }
  | { readonly ok: false; readonly why: string };

/**
 * Reads one JSON text as RFC 8259 has it: no NaN, no byte order mark, UTF-8 when bytes are given. Never
 * throws.
 */
export function readJson(input: string | Uint8Array): JsonRead {
  try {
    const text = typeof input === "string" ? input : UTF8.decode(input);
    return new Reader(text).document();
  } catch (error) {
    if (error instanceof NotJson) return { ok: false, why: error.message };
    if (error instanceof TypeError) return { ok: false, why: "the bytes are not UTF-8" };
    throw error;
  }
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};
const LITERALS: readonly (readonly [string, Json])[] = [
  ["true", true],
  ["false", false],
  ["null", null],
];

class NotJson extends Error {}

class Reader {
  readonly #text: string;
  #at = 0;
  readonly #path: (string | number)[] = [];
  readonly #numbers = new WeakMap<object, Map<string, string>>();
  readonly #duplicates: Path[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  document(): JsonRead {
    const holder = { root: null as Json };
    this.#space();
    holder.root = this.#value(holder, "root");
    this.#space();
    if (this.#at < this.#text.length) throw this.#unexpected();
    return { ok: true, value: holder.root, numbers: this.#numbers, duplicates: this.#duplicates };
  }

  #value(owner: object, key: string): Json {
    const char = this.#text[this.#at];
    if (char === "{") return this.#object();
    if (char === "[") return this.#list();
    if (char === '"') return this.#string();
    for (const [word, value] of LITERALS) {
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return value;
      }
    }
    return this.#number(owner, key);
  }

  #object(): Json {
    const object: Record<string, Json> = {};
    this.#items("}", () => {
      if (this.#text[this.#at] !== '"') throw this.#unexpected();
      const key = this.#string();
      this.#space();
      this.#expect(":");
      this.#space();
      this.#path.push(key);
      if (Object.hasOwn(object, key)) {
        this.#duplicates.push([...this.#path]);
        this.#numbers.get(object)?.delete(key);
      }
      setMember(object, key, this.#value(object, key));
      this.#path.pop();
    });
    return object;
  }

  #list(): Json {
    const list: Json[] = [];
    this.#items("]", () => {
      this.#path.push(list.length);
      list.push(this.#value(list, String(list.length)));
      this.#path.pop();
    });
    return list;
  }

  #items(close: string, item: () => void): void {
    if (this.#path.length >= MAX_JSON_DEPTH) throw new NotJson(`nested deeper than ${MAX_JSON_DEPTH} levels`);
    this.#at += 1;
    this.#space();
    if (this.#text[this.#at] === close) {
      this.#at += 1;
      return;
    }
    for (;;) {
      item();
      this.#space();
      if (this.#text[this.#at] === close) break;
      this.#expect(",");
      this.#space();
    }
    this.#at += 1;
  }

  #string(): string {
    this.#at += 1;
    let text = "";
    for (;;) {
      text += this.#plain();
      const char = this.#text.charCodeAt(this.#at);
      if (char === QUOTE) break;
      if (char !== BACKSLASH) throw this.#unexpected();
      text += this.#escape();
    }
    this.#at += 1;
    return text;
  }

  /** What of a string stands for itself. */
  #plain(): string {
    const text = this.#text;
    const start = this.#at;
    let at = start;
    for (; at < text.length; at += 1) {
      const char = text.charCodeAt(at);
      if (char === QUOTE || char === BACKSLASH || char < FIRST_PRINTABLE) break;
    }
    this.#at = at;
    return text.slice(start, at);
  }

  #escape(): string {
    const letter = this.#text[this.#at + 1] ?? "";
    if (letter === "u") {
      const digits = this.#text.slice(this.#at + 2, this.#at + 6);
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw this.#unexpected();
      this.#at += 6;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    const char = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined;
    if (char === undefined) throw this.#unexpected();
    this.#at += 2;
    return char;
  }

  #number(owner: object, key: string): number {
    const start = this.#at;
    NUMBER.lastIndex = start;
    const match = NUMBER.exec(this.#text);
    if (match === null) throw this.#unexpected();
    this.#at = NUMBER.lastIndex;
    const value = Number(match[0]);
    if (!Number.isFinite(value)) {
      this.#at = start;
      throw new NotJson(`the number at ${this.#where()} is out of range`);
    }
    const isFloat = match[1] !== undefined || match[2] !== undefined;
    if (isFloat ? Number.isInteger(value) : !Number.isSafeInteger(value)) {
      const texts = this.#numbers.get(owner) ?? new Map<string, string>();
      texts.set(key, match[0]);
      this.#numbers.set(owner, texts);
    }
    return value;
  }

  #expect(char: string): void {
    if (this.#text[this.#at] !== char) throw this.#unexpected();
    this.#at += 1;
  }

  #space(): void {
    while (isSpace(this.#text.charCodeAt(this.#at))) this.#at += 1;
  }

  #unexpected(): NotJson {
    const char = this.#text[this.#at];
    const what = char === undefined ? "the text ends too early" : `unexpected ${JSON.stringify(char)}`;
    return new NotJson(`${what} at ${this.#where()}`);
  }

  /** Line and column from 1. */
  #where(): string {
    const before = this.#text.slice(0, this.#at);
    const line = before.split("\n").length;
    return `${line}:${this.#at - before.lastIndexOf("\n")}`;
  }
}

function isSpace(char: number): boolean {
  return char === 0x20 || char === 0x0a || char === 0x0d || char === 0x09;
}

function setMember(object: Record<string, Json>, key: string, value: Json): void {
  if (key !== "__proto__") object[key] = value;
  // An assignment would set the prototype instead of a member.
  else Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
}

/**
 * Why a value that did not come from a text cannot be JSON, or undefined when it can. Never throws, ends on
 * cycles.
 */
export function unfitForJson(value: unknown): string | undefined {
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const why = unfitLeaf(next.value);
    if (why !== undefined) return why;
    if (typeof next.value !== "object" || next.value === null) continue;
    if (next.depth >= MAX_JSON_DEPTH) return `nested deeper than ${MAX_JSON_DEPTH} levels`;
    for (const member of Object.values(next.value)) {
      if (member === undefined && !Array.isArray(next.value)) continue;
      open.push({ value: member, depth: next.depth + 1 });
    }
  }
  return undefined;
}

function unfitLeaf(value: unknown): string | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "object":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : `${value} is not a JSON number`;
    default:
      return `a value of type ${typeof value} is not JSON`;
  }
}
