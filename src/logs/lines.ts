import { type CappedPlace, FIRST_LINE, isBlank, LineFrame } from "./line-frame.ts";

export { LINE_CAP_BYTES } from "./line-blocks.ts";

export interface LineDamage {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly reason: string;
}

/** One line that is asked for: the text of an object, not yet parsed. `marks` has bit i set for marker i. */
export interface MarkedLine {
  readonly number: number;
  readonly marks: number;
  text(): string;
}

export interface LineVisitor {
  /** Gets every line that looks like an object; decodes what it needs with `text()`. */
  line(line: MarkedLine): void;
  damage(lineNumber: number, reason: string): void;
  /** Text that is no JSON, and JSON that is no object; most readers have no use for either. */
  garbage?(text: string): void;
  value?(value: unknown): void;
}

/** Damaged lines kept by name; a file that is no log at all would else fill the memory with them. */
const KEPT_DAMAGE = 1000;

/** The damaged lines of one file: the first thousand by name, the rest by number. */
export interface DamageList {
  readonly lines: LineDamage[];
  more: number;
}

export function noDamage(): DamageList {
  const lines: LineDamage[] = [];
  return { lines, more: 0 };
}

export function addDamage(list: DamageList, damage: LineDamage): void {
  if (list.lines.length < KEPT_DAMAGE) list.lines.push(damage);
  else list.more += 1;
}

/** By file, then line. */
export function byPlace(a: LineDamage, b: LineDamage): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line;
}

const NEWLINE = 0x0a;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const NEVER = Number.MAX_SAFE_INTEGER;

/**
 * Cuts bytes into JSON lines: at 0x0A only, without trailing 0x0D, byte order mark, blanks around, and blank lines.
 * Markers are byte strings searched once per block, so that a visitor can pass over most lines unparsed. Chunks
 * may be cut anywhere; memory is bounded by the cap on a line.
 */
export class LineScanner extends LineFrame implements MarkedLine {
  marks = 0;
  #block: Buffer = Buffer.alloc(0);
  #start = 0;
  #end = 0;
  #next: number[] = [];
  readonly #markers: readonly Buffer[];
  readonly #visitor: LineVisitor;

  constructor(markers: readonly string[], visitor: LineVisitor, from: CappedPlace = FIRST_LINE) {
    super(from);
    this.#markers = markers.map((marker) => Buffer.from(marker));
    this.#visitor = visitor;
  }

  text(): string {
    return this.#block.toString("utf8", this.#start, this.#end);
  }

  protected override damaged(reason: string): void {
    this.#visitor.damage(this.number, reason);
  }

  protected override read(pieces: readonly Buffer[]): void {
    const [first] = pieces;
    const block = pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces);
    this.#block = block;
    this.#next = this.#markers.map(() => -1);
    let start = 0;
    while (start < block.length) {
      let end = block.indexOf(NEWLINE, start);
      if (end === -1) end = block.length;
      this.number += 1;
      this.#visit(start, end);
      start = end + 1;
    }
  }

  #visit(from: number, to: number): void {
    const block = this.#block;
    let end = to;
    const start = Math.min(end, this.startOf(block, from));
    while (end > start && isBlank(block[end - 1])) end -= 1;
    if (start === end) return;
    this.#start = start;
    this.#end = end;
    if (block[start] !== OPEN || block[end - 1] !== CLOSE) {
      this.#visitOther(this.text(), block[start] === OPEN ? BROKEN_JSON : NO_JSON);
      return;
    }
    this.marks = 0;
    for (let i = 0; i < this.#markers.length; i += 1) {
      if (this.#reaches(i, start) < end) this.marks |= 1 << i;
    }
    this.#visitor.line(this);
  }

  #visitOther(text: string, reason: string): void {
    const value = parseJson(text);
    if (value !== BROKEN) {
      this.#visitor.value?.(value);
      return;
    }
    this.damaged(reason);
    this.#visitor.garbage?.(text);
  }

  /** Where marker i next occurs at or after `start`. */
  #reaches(i: number, start: number): number {
    let at = this.#next[i] ?? NEVER;
    if (at < start) {
      const found = this.#block.indexOf(this.#markers[i] ?? "", start);
      at = found === -1 ? NEVER : found;
      this.#next[i] = at;
    }
    return at;
  }
}

/** Why a line counts as damaged. */
export const BROKEN_JSON = "broken JSON";
export const NO_JSON = "no JSON";

/** Told apart from every JSON value, null included. */
export const BROKEN = Symbol("broken JSON");

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return BROKEN;
  }
}
