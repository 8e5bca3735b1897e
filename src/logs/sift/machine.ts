import { type IdKind, seedOf } from "../text-hash.ts";
import { SIFT_WASM } from "./wasm.ts";

/** Where scripts/sift/sift.ts keeps things in its memory. */
const KEY_TEXT = 16384;
export const NODE_WORDS = 40960 / 4;
export const TAPE_WORDS = 65536 / 4;
export const INPUT = 376832;
const PASSED_WORDS = 46080 / 4;
const PASSED_TIMES = 46336 / 8;
/** Rows of doubles: the rule, the first and the last line, and the columns. */
const ROW_DOUBLES = 180224 / 8;
const DOUBLES_OF_ROW = 20;
const [FIRST_LINE, LAST_LINE, FIRST_COLUMN] = [1, 2, 3] as const;
/** In place of a number. */
const ABSENT = -1;
const WORDS_OF_RULE = 4;
const PAGE_BYTES = 65536;
/** May be read behind the input. */
const SLACK_BYTES = 4096 + 64;
/** What lines need that are no longer than a few blocks; a longer one makes the memory grow. */
const LEAST_PAGES = 10;

export const LineResult = { valid: 0, broken: 1, unsure: 2, other: 3, end: 4, full: 5 } as const;

/** What is wanted: a member of a node by its name, or, without a name, the elements of a list. Node 1 is the line. */
export interface WantedNode {
  readonly node: number;
  readonly parent: number;
  readonly name: string;
  readonly traits: number;
}

export const Test = {
  is: 1,
  same: 2,
  count: 3,
  time: 4,
  later: 5,
  holds: 6,
  isNot: 7,
  fresh: 8,
  given: 9,
  plain: 10,
  absent: 11,
} as const;

export const Column = { count: 1, time: 2, hash: 3, tells: 4 } as const;

/** What a member must be for a rule to pass over its line. */
export interface Check {
  readonly test: (typeof Test)[keyof typeof Test];
  readonly node: number;
  readonly text?: string;
  /** Members of the objects in a list. */
  readonly member?: number;
  readonly other?: number;
}

/** What of a line becomes a number in its row. */
export interface WantedColumn {
  readonly column: (typeof Column)[keyof typeof Column];
  readonly node: number;
  /** For a hash. */
  readonly kind?: IdKind;
}

/** Lines that are passed over: always and without a word, or counted or written to rows while the rule is settled. */
export interface Rule {
  readonly isIdle: boolean;
  readonly checks: readonly Check[];
  readonly columns: readonly WantedColumn[];
  /** The rule that each of its lines settles, or -1. */
  readonly settles: number;
  /** Its lines go on with what the last row began. */
  readonly isMore: boolean;
}

/** What is known of the lines that settled rules passed over. */
export interface PassedLines {
  /** Behind the last one where none of them has a time. */
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  lines(rule: number): number;
  /** The number of the last one. */
  last(rule: number): number;
}

/** What the lines that settled rules passed over say, one row for each. */
export interface LineRows {
  readonly rows: number;
  rule(row: number): number;
  /** The line, and the last of those that go on with it. */
  firstLine(row: number): number;
  lastLine(row: number): number;
  /** Undefined for a count or a hash of what is not there. */
  column(row: number, column: number): number | undefined;
}

/** What `scripts/sift/sift.ts` exports. */
interface SiftExports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  want(node: number, parent: number, text: number, length: number, traits: number): void;
  addRule(isIdle: boolean, settles: number, isMore: boolean): number;
  addColumn(column: number, node: number, seed: number): void;
  addCheck(...words: readonly [number, number, number, number, number, number, number]): number;
  readLines(start: number, end: number, before: number): number;
  settle(rule: number): void;
  mute(rule: number): void;
  unsettle(): void;
  passedLines(): number;
  rowCount(): number;
  forgetPassed(): void;
  line(): number;
  number(): number;
  begin(): number;
  entries(): number;
  position(): number;
}

declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: SiftExports };
};

/** The checker of lines with its memory. */
export class SiftMachine implements PassedLines, LineRows {
  bytes: Buffer;
  words: Int32Array;
  doubles: Float64Array;
  /** The number of the line that was read last: what its members are marked with. */
  line = 0;
  readonly #exports: SiftExports;

  constructor(wanted: readonly WantedNode[], rules: readonly Rule[]) {
    this.#exports = new WebAssembly.Instance(
      new WebAssembly.Module(Buffer.from(SIFT_WASM, "base64")),
    ).exports;
    const { buffer } = this.#exports.memory;
    this.bytes = Buffer.from(buffer);
    this.words = new Int32Array(buffer);
    this.doubles = new Float64Array(buffer);
    let at = KEY_TEXT;
    const put = (text: string): number => {
      this.bytes.write(text, at, "latin1");
      at += text.length;
      return at - text.length;
    };
    for (const { node, parent, name, traits } of wanted) {
      this.#exports.want(node, parent, put(name), name.length, traits);
    }
    for (const { isIdle, checks, columns, settles, isMore } of rules) {
      let place = this.#exports.addRule(isIdle, settles, isMore);
      for (const { test, node, text = "", member = 0, other = 0 } of checks) {
        place = this.#exports.addCheck(place, test, node, put(text), text.length, member, other);
      }
      for (const { column, node, kind } of columns) {
        this.#exports.addColumn(column, node, seedOf(kind));
      }
    }
    this.#exports.forgetPassed();
    this.#grow(LEAST_PAGES * PAGE_BYTES);
  }

  /** Makes room for so many bytes of input. What is there stays. */
  reserve(length: number): void {
    this.#grow(INPUT + length + SLACK_BYTES);
  }

  /** Reads lines up to one that no rule passes over, and says what that is. `before` lines were read before. */
  readLines(start: number, end: number, before: number): number {
    const result = this.#exports.readLines(start, end, before);
    this.line = this.#exports.line();
    return result;
  }

  /** The number of the line that was read last, and where it begins. */
  get number(): number {
    return this.#exports.number();
  }
  get begin(): number {
    return this.#exports.begin();
  }

  /** From here on the rule passes over lines that are like the one that was read last. */
  settle(rule: number): void {
    this.#exports.settle(rule);
  }

  /** From here on lines that the rule passes over are counted only, though it has columns. */
  mute(rule: number): void {
    this.#exports.mute(rule);
  }

  unsettle(): void {
    this.#exports.unsettle();
  }

  get rows(): number {
    return this.#exports.rowCount();
  }
  rule(row: number): number {
    return this.#inRow(row, 0);
  }
  firstLine(row: number): number {
    return this.#inRow(row, FIRST_LINE);
  }
  lastLine(row: number): number {
    return this.#inRow(row, LAST_LINE);
  }
  column(row: number, column: number): number | undefined {
    const value = this.#inRow(row, FIRST_COLUMN + column);
    return value === ABSENT ? undefined : value;
  }

  /** Whether settled rules passed over lines since that was last forgotten; the next four tell of these lines. */
  get hasPassed(): boolean {
    return this.#exports.passedLines() > 0;
  }
  lines(rule: number): number {
    return this.words[PASSED_WORDS + rule * WORDS_OF_RULE + 1] ?? 0;
  }
  last(rule: number): number {
    return this.words[PASSED_WORDS + rule * WORDS_OF_RULE + 2] ?? 0;
  }
  get firstAtMs(): number {
    return this.doubles[PASSED_TIMES] ?? Number.NaN;
  }
  get lastAtMs(): number {
    return this.doubles[PASSED_TIMES + 1] ?? Number.NaN;
  }

  forgetPassed(): void {
    this.#exports.forgetPassed();
  }

  /** How many members of lists were written down. */
  get entries(): number {
    return this.#exports.entries();
  }

  get position(): number {
    return this.#exports.position();
  }

  /** Bytes below 0x80 as text. */
  latin1(from: number, to: number): string {
    return this.bytes.toString("latin1", from, to);
  }

  #inRow(row: number, place: number): number {
    return this.doubles[ROW_DOUBLES + row * DOUBLES_OF_ROW + place] ?? Number.NaN;
  }

  #grow(bytes: number): void {
    const missing = bytes - this.bytes.length;
    if (missing <= 0) return;
    // A long line comes block by block: with some room ahead the views are not made again for each.
    this.#exports.memory.grow(Math.ceil(Math.max(missing, this.bytes.length / 4) / PAGE_BYTES));
    const { buffer } = this.#exports.memory;
    this.bytes = Buffer.from(buffer);
    this.words = new Int32Array(buffer);
    this.doubles = new Float64Array(buffer);
  }
}
