import { InvariantError } from "../../core/result.ts";
import { type Fields, timeMs } from "../fields.ts";
import { isoMs } from "../iso-time.ts";
import { type SiftMachine, TAPE_WORDS } from "./machine.ts";

/** Which members of a record are wanted. A member is found when it and all members around it are named. */
export interface WantedMembers {
  readonly keys: readonly string[];
  /** Those of the keys whose strings are text that nobody reads: they are left out unless they are objects or lists. */
  readonly notAsText: ReadonlySet<string>;
}

type Value = string | number | boolean | null | Building | Value[];
interface Building {
  [key: string]: Value;
}

const [OBJECT, ARRAY, PLAIN_STRING, OTHER_STRING, NUMBER, TRUE, FALSE, NULL] = [
  0, 1, 2, 3, 4, 5, 6, 7,
] as const;
const ENTRY_WORDS = 4;
/** Longer texts do not repeat, and comparing them would cost more than it saves. */
const COMPARED_CHARS = 128;
/** Numbers of so many digits are exact. */
const EXACT_DIGITS = 15;

/** An entry of the tape; 0 for a member that is not there. */
export type Entry = number;

/** The wanted members of the line that the machine read last, without an object for each. */
export class LineMembers {
  readonly #machine: SiftMachine;
  readonly #names: readonly string[];
  readonly #isText: readonly boolean[];
  /** The last string of each key: records of one file repeat most of them. */
  readonly #lastText: string[];
  readonly #open: (Building | Value[])[] = [];
  readonly #outer: Int32Array;
  readonly #inner: Int32Array;
  #end = TAPE_WORDS;

  constructor(machine: SiftMachine, { keys, notAsText }: WantedMembers) {
    this.#machine = machine;
    this.#names = ["", ...keys];
    this.#isText = this.#names.map((key) => notAsText.has(key));
    this.#lastText = this.#names.map(() => "");
    this.#outer = new Int32Array(this.#names.length);
    this.#inner = new Int32Array(this.#names.length);
  }

  /** The number by which a member is asked for. */
  keyOf(name: string): number {
    const key = this.#names.indexOf(name);
    if (key === -1) throw new InvariantError(`${name} is no wanted member`);
    return key;
  }

  /** To be called once for each line. Of members with one name the last counts, as with `JSON.parse`. */
  start(): void {
    this.#end = TAPE_WORDS + this.#machine.entries * ENTRY_WORDS;
    this.#outer.fill(0);
    this.#collect(this.#outer, TAPE_WORDS, 1, Number.POSITIVE_INFINITY);
  }

  outer(key: number): Entry {
    return this.#outer[key] ?? 0;
  }

  /** Makes an object the one whose members `inner` finds. False for what is no object. */
  enter(entry: Entry): boolean {
    if (entry === 0 || this.#typeOf(entry) !== OBJECT) return false;
    this.#inner.fill(0);
    this.#collect(this.#inner, entry + ENTRY_WORDS, this.#depthOf(entry) + 1, this.#endOf(entry));
    return true;
  }

  inner(key: number): Entry {
    return this.#inner[key] ?? 0;
  }

  /** A string with something in it. */
  text(entry: Entry): string | undefined {
    if (entry === 0) return undefined;
    const type = this.#typeOf(entry);
    if (type !== PLAIN_STRING && type !== OTHER_STRING) return undefined;
    const text = this.#textAt(entry, type);
    return text === "" ? undefined : text;
  }

  isTrue(entry: Entry): boolean {
    return entry !== 0 && this.#typeOf(entry) === TRUE;
  }

  isObject(entry: Entry): boolean {
    return entry !== 0 && this.#typeOf(entry) === OBJECT;
  }

  /** A list without members, or no list at all. */
  isEmptyList(entry: Entry): boolean {
    if (entry === 0 || this.#typeOf(entry) !== ARRAY) return true;
    const next = entry + ENTRY_WORDS;
    return next >= this.#end || this.#startOf(next) >= this.#endOf(entry);
  }

  /** A token count; undefined when missing or null, NaN for what cannot be one. */
  count(entry: Entry): number | undefined {
    if (entry === 0) return undefined;
    const type = this.#typeOf(entry);
    if (type === NULL) return undefined;
    const value = type === NUMBER ? this.#number(this.#startOf(entry), this.#endOf(entry)) : Number.NaN;
    return Number.isSafeInteger(value) && value >= 0 ? value : Number.NaN;
  }

  timeMs(entry: Entry): number | undefined {
    if (entry === 0) return undefined;
    const fast = isoMs(this.#machine.bytes, this.#startOf(entry) + 1, this.#endOf(entry) - 1);
    return fast ?? timeMs(this.text(entry));
  }

  /** Whether some object of a list has this text as one member and any text as another. */
  holdsObject(list: Entry, key: number, text: string, other: number): boolean {
    if (list === 0 || this.#typeOf(list) !== ARRAY) return false;
    const depth = this.#depthOf(list) + 2;
    const end = this.#endOf(list);
    let [isIt, hasOther] = [false, false];
    for (let at = list + ENTRY_WORDS; at < this.#end && this.#startOf(at) < end; at += ENTRY_WORDS) {
      if (this.#depthOf(at) < depth) {
        if (isIt && hasOther) return true;
        [isIt, hasOther] = [false, false];
      } else if (this.#depthOf(at) === depth) {
        if (this.#keyAt(at) === key) isIt = this.text(at) === text;
        if (this.#keyAt(at) === other) hasOther = this.text(at) !== undefined;
      }
    }
    return isIt && hasOther;
  }

  /** Whether the bytes of an object are exactly these. */
  isSame(entry: Entry, bytes: Buffer): boolean {
    const [from, to] = [this.#startOf(entry), this.#endOf(entry)];
    return bytes.length === to - from && bytes.compare(this.#machine.bytes, from, to) === 0;
  }

  copyOf(entry: Entry): Buffer {
    return Buffer.from(this.#machine.bytes.subarray(this.#startOf(entry), this.#endOf(entry)));
  }

  /** The members of the whole line, as an object. */
  all(): Fields {
    return this.#build(TAPE_WORDS, 1, Number.POSITIVE_INFINITY);
  }

  /** The members of one object, as an object. */
  object(entry: Entry): Fields {
    return this.#build(entry + ENTRY_WORDS, this.#depthOf(entry) + 1, this.#endOf(entry));
  }

  #word(entry: Entry): number {
    return this.#machine.tape[entry] ?? 0;
  }

  #depthOf(entry: Entry): number {
    return this.#word(entry) & 15;
  }

  #typeOf(entry: Entry): number {
    return (this.#word(entry) >> 4) & 15;
  }

  #keyAt(entry: Entry): number {
    return this.#word(entry) >> 8;
  }

  #startOf(entry: Entry): number {
    return this.#machine.tape[entry + 1] ?? 0;
  }

  #endOf(entry: Entry): number {
    return this.#machine.tape[entry + 2] ?? 0;
  }

  #collect(slots: Int32Array, from: Entry, depth: number, until: number): void {
    const { tape } = this.#machine;
    const end = this.#end;
    for (let at = from; at < end; at += ENTRY_WORDS) {
      if ((tape[at + 1] ?? 0) >= until) return;
      const word = tape[at] ?? 0;
      if ((word & 15) === depth) slots[word >> 8] = at;
    }
  }

  #build(from: Entry, depth: number, until: number): Building {
    const open = this.#open;
    const root: Building = {};
    open[depth - 1] = root;
    for (let at = from; at < this.#end && this.#startOf(at) < until; at += ENTRY_WORDS) {
      const value = this.#valueAt(at);
      if (value === undefined) continue;
      if (typeof value === "object" && value !== null) open[this.#depthOf(at)] = value;
      const around = open[this.#depthOf(at) - 1];
      if (around === undefined) throw new InvariantError("an entry of the tape without one around it");
      if (Array.isArray(around)) around.push(value);
      else around[this.#names[this.#keyAt(at)] ?? ""] = value;
    }
    return root;
  }

  #valueAt(entry: Entry): Value | undefined {
    const type = this.#typeOf(entry);
    switch (type) {
      case OBJECT:
        return {};
      case ARRAY:
        return [];
      case PLAIN_STRING:
      case OTHER_STRING:
        return this.#isText[this.#keyAt(entry)] === true ? undefined : this.#textAt(entry, type);
      case NUMBER:
        return this.#number(this.#startOf(entry), this.#endOf(entry));
      default:
        return type === TRUE ? true : type === FALSE ? false : null;
    }
  }

  #textAt(entry: Entry, type: number): string {
    const [from, to] = [this.#startOf(entry), this.#endOf(entry)];
    return type === PLAIN_STRING
      ? this.#plainText(this.#keyAt(entry), from + 1, to - 1)
      : this.#otherText(from, to);
  }

  #plainText(key: number, from: number, to: number): string {
    const last = this.#lastText[key] ?? "";
    const length = to - from;
    if (last.length === length && this.#startsWith(last, from)) return last;
    const text = this.#machine.latin1(from, to);
    if (length <= COMPARED_CHARS) this.#lastText[key] = text;
    return text;
  }

  #startsWith(text: string, from: number): boolean {
    const { bytes } = this.#machine;
    for (let i = 0; i < text.length; i += 1) {
      if (bytes[from + i] !== text.charCodeAt(i)) return false;
    }
    return true;
  }

  #otherText(from: number, to: number): string {
    const value: unknown = JSON.parse(this.#machine.bytes.toString("utf8", from, to));
    if (typeof value !== "string") throw new InvariantError("a string of the tape that is none");
    return value;
  }

  #number(from: number, to: number): number {
    const { bytes } = this.#machine;
    if (to - from > EXACT_DIGITS) return Number(this.#machine.latin1(from, to));
    let value = 0;
    for (let i = from; i < to; i += 1) {
      const digit = (bytes[i] ?? 0) - 0x30;
      if (digit < 0 || digit > 9) return Number(this.#machine.latin1(from, to));
      value = value * 10 + digit;
    }
    return value;
  }
}
