/** A line longer than this is skipped without being held. */
export const LINE_CAP_BYTES = 64 * 1024 * 1024;

export interface LineDamage {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly reason: string;
}

/**
 * One line that is asked for: the text of an object, not yet parsed. `marks` has bit i set for marker i. Offsets are in
 * bytes from the line's start.
 */
export interface MarkedLine {
  readonly number: number;
  readonly marks: number;
  readonly byteLength: number;
  text(): string;
  /** A part of the line as text. */
  part(from: number, to: number): string;
  /** A part with one character a byte, in which offsets can be looked up. */
  bytes(from: number, to: number): string;
  /** Where the marker stands at or after an offset; -1 when it does not. */
  find(marker: number, from: number): number;
  /** Whether some bytes stand within a part. */
  holds(bytes: Uint8Array, from: number, to: number): boolean;
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

export function addDamage(list: DamageList, damage: LineDamage): void {
  if (list.lines.length < KEPT_DAMAGE) list.lines.push(damage);
  else list.more += 1;
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
export class LineScanner implements MarkedLine {
  number = 0;
  marks = 0;
  /** Bytes up to and including the last newline. */
  completeBytes = 0;
  #block: Buffer = Buffer.alloc(0);
  #start = 0;
  #end = 0;
  #carry: Buffer[] = [];
  #carryBytes = 0;
  #isOverlong = false;
  #next: number[] = [];
  readonly #markers: readonly Buffer[];
  readonly #visitor: LineVisitor;

  constructor(markers: readonly string[], visitor: LineVisitor, resume = { number: 0, completeBytes: 0 }) {
    this.#markers = markers.map((marker) => Buffer.from(marker));
    this.#visitor = visitor;
    this.number = resume.number;
    this.completeBytes = resume.completeBytes;
  }

  get byteLength(): number {
    return this.#end - this.#start;
  }

  text(): string {
    return this.#block.toString("utf8", this.#start, this.#end);
  }

  part(from: number, to: number): string {
    return this.#block.toString("utf8", this.#start + from, Math.min(this.#end, this.#start + to));
  }

  bytes(from: number, to: number): string {
    return this.#block.toString("latin1", this.#start + from, Math.min(this.#end, this.#start + to));
  }

  find(marker: number, from: number): number {
    const at = this.#reaches(marker, this.#start + from);
    return at < this.#end ? at - this.#start : -1;
  }

  holds(bytes: Uint8Array, from: number, to: number): boolean {
    return this.#block.subarray(this.#start + from, this.#start + to).indexOf(bytes) !== -1;
  }

  push(chunk: Uint8Array): void {
    let bytes: Buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (this.#carryBytes > 0 || this.#isOverlong) {
      const newline = bytes.indexOf(NEWLINE);
      if (newline === -1) {
        this.#keep(bytes);
        return;
      }
      this.#keep(bytes.subarray(0, newline + 1));
      this.#finishCarried(true);
      bytes = bytes.subarray(newline + 1);
    }
    const last = bytes.lastIndexOf(NEWLINE);
    if (last !== -1) this.#scan(bytes.subarray(0, last + 1));
    this.#keep(bytes.subarray(last + 1));
  }

  /** Reads the last line too when no newline ends it. */
  finish(): void {
    if (this.#carryBytes > 0 || this.#isOverlong) this.#finishCarried(false);
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#carryBytes += bytes.length;
    if (this.#carryBytes > LINE_CAP_BYTES) {
      this.#isOverlong = true;
      this.#carry = [];
    }
    // A copy: the chunk's memory belongs to its giver.
    if (!this.#isOverlong) this.#carry.push(Buffer.from(bytes));
  }

  #finishCarried(isTerminated: boolean): void {
    const bytes = this.#carryBytes;
    if (this.#isOverlong) {
      this.number += 1;
      this.#visitor.damage(this.number, `longer than ${LINE_CAP_BYTES} bytes`);
      if (isTerminated) this.completeBytes += bytes;
    } else {
      const line = this.#carry.length === 1 ? this.#carry[0] : Buffer.concat(this.#carry);
      if (line !== undefined) this.#scan(line, isTerminated);
    }
    this.#carry = [];
    this.#carryBytes = 0;
    this.#isOverlong = false;
  }

  /** Scans whole lines; only the last may lack its newline. */
  #scan(block: Buffer, isTerminated = true): void {
    this.#block = block;
    this.#next = this.#markers.map(() => -1);
    let start = 0;
    while (start < block.length) {
      let end = block.indexOf(NEWLINE, start);
      if (end === -1) end = block.length;
      this.number += 1;
      if (end - start > LINE_CAP_BYTES) {
        this.#visitor.damage(this.number, `longer than ${LINE_CAP_BYTES} bytes`);
      } else {
        this.#visit(start, end);
      }
      start = end + 1;
    }
    if (isTerminated) this.completeBytes += block.length;
  }

  #visit(from: number, to: number): void {
    const block = this.#block;
    let start = from;
    let end = to;
    if (
      this.number === 1 &&
      block[start] === 0xef &&
      block[start + 1] === 0xbb &&
      block[start + 2] === 0xbf
    ) {
      start += 3;
    }
    while (start < end && isBlank(block[start])) start += 1;
    while (end > start && isBlank(block[end - 1])) end -= 1;
    if (start === end) return;
    this.#start = start;
    this.#end = end;
    if (block[start] !== OPEN || block[end - 1] !== CLOSE) {
      this.#visitOther(this.text());
      return;
    }
    this.marks = 0;
    for (let i = 0; i < this.#markers.length; i += 1) {
      if (this.#reaches(i, start) < end) this.marks |= 1 << i;
    }
    this.#visitor.line(this);
  }

  #visitOther(text: string): void {
    const value = parseJson(text);
    if (value !== BROKEN) {
      this.#visitor.value?.(value);
      return;
    }
    this.#visitor.damage(this.number, "no JSON");
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

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0d || byte === 0x09;
}

/** Told apart from every JSON value, null included. */
export const BROKEN = Symbol("broken JSON");

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return BROKEN;
  }
}
