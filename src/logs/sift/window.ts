import type { LogSink } from "../../ports/log-source.ts";
import { BLOCK_BYTES, LINE_CAP_BYTES } from "../line-blocks.ts";
import { type LinePlace, OVERLONG } from "../line-frame.ts";
import { INPUT, type SiftMachine } from "./machine.ts";

const NEWLINE = 0x0a;
const NOTHING = Buffer.alloc(0);

/** Has the machine's input to itself from when it goes on to when it gives way. */
export interface MachineReader {
  giveWay(): void;
  goOn(): void;
}

interface SharedMachine {
  readonly machine: SiftMachine;
  begin(reader: MachineReader): void;
}

/**
 * A file's bytes in the machine's own memory, cut anywhere. Whole lines are read where they lie; the beginning of the next
 * one moves to the front. No more is held than the cap on a line.
 */
export abstract class LineWindow implements LogSink, MachineReader {
  bytes: Buffer = NOTHING;
  at = INPUT;
  /** Lines so far. */
  number: number;
  /** Bytes up to and including the last newline. */
  completeBytes: number;
  /** Of a line that has not ended, at the front; the bytes themselves while another reading has the machine. */
  #held = 0;
  #aside = NOTHING;
  /** Of a line beyond the cap, which is not held. */
  #skipped = 0;
  readonly #shared: SharedMachine;

  constructor(shared: SharedMachine, from: LinePlace) {
    this.#shared = shared;
    this.number = from.number;
    this.completeBytes = from.completeBytes;
  }

  /** Lines with their newlines, from one place to another. */
  protected abstract read(start: number, end: number): void;
  /** The line that was counted last cannot be read. */
  protected abstract damaged(reason: string): void;

  room(): number {
    this.#shared.begin(this);
    const { machine } = this.#shared;
    const room = this.#held < BLOCK_BYTES / 2 ? BLOCK_BYTES - this.#held : BLOCK_BYTES;
    machine.reserve(this.#held + room);
    this.bytes = machine.bytes;
    this.at = INPUT + this.#held;
    return room;
  }

  took(count: number): void {
    const { bytes, at } = this;
    const end = at + count;
    const cut = this.#lastNewline(end) + 1;
    if (cut === 0) {
      this.#hold(count);
      return;
    }
    const isOverlong = this.#skipped > 0 || this.#held + count > LINE_CAP_BYTES;
    const from = isOverlong ? this.#skipOverlong() : INPUT;
    if (from < cut) this.read(from, cut);
    this.completeBytes += cut - INPUT;
    this.#held = end - cut;
    if (this.#held > 0) bytes.copyWithin(INPUT, cut, end);
  }

  push(chunk: Uint8Array): void {
    for (let from = 0; from < chunk.byteLength; ) {
      const length = Math.min(this.room(), chunk.byteLength - from);
      this.bytes.set(chunk.subarray(from, from + length), this.at);
      this.took(length);
      from += length;
    }
  }

  /** Reads the last line too when no newline ends it. */
  finish(): void {
    if (this.#skipped > 0) this.#tellOverlong();
    else if (this.#held > 0) {
      this.room();
      this.bytes[this.at] = NEWLINE;
      this.read(INPUT, this.at + 1);
    }
    this.#held = 0;
  }

  giveWay(): void {
    const { bytes } = this.#shared.machine;
    if (this.#held > 0) this.#aside = Buffer.from(bytes.subarray(INPUT, INPUT + this.#held));
  }

  goOn(): void {
    if (this.#held === 0) return;
    const { machine } = this.#shared;
    machine.reserve(this.#held);
    machine.bytes.set(this.#aside, INPUT);
    this.#aside = NOTHING;
  }

  /** Among the bytes that came last; the search goes backwards, and what lies before them is long for a long line only. */
  #lastNewline(end: number): number {
    const { bytes, at } = this;
    if (this.#held < BLOCK_BYTES) {
      const found = bytes.lastIndexOf(NEWLINE, end - 1);
      return found < at ? -1 : found;
    }
    const found = bytes.subarray(at, end).lastIndexOf(NEWLINE);
    return found === -1 ? -1 : at + found;
  }

  #hold(count: number): void {
    if (this.#skipped === 0 && this.#held + count <= LINE_CAP_BYTES) {
      this.#held += count;
      return;
    }
    this.#skipped += this.#held + count;
    this.#held = 0;
  }

  /** Where the lines behind the one that is too long begin, if it is. */
  #skipOverlong(): number {
    const newline = this.bytes.indexOf(NEWLINE, this.at);
    if (this.#skipped === 0 && newline - INPUT <= LINE_CAP_BYTES) return INPUT;
    this.completeBytes += this.#skipped;
    this.#tellOverlong();
    return newline + 1;
  }

  #tellOverlong(): void {
    this.number += 1;
    this.#skipped = 0;
    this.damaged(OVERLONG);
  }
}
