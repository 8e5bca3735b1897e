import { LINE_CAP_BYTES, LineBlocks } from "./line-blocks.ts";

/** Where a reading goes on: behind so many lines and bytes. */
export interface LinePlace {
  readonly number: number;
  readonly completeBytes: number;
}
export interface CappedPlace extends LinePlace {
  /** A longer line is skipped without being held; `LINE_CAP_BYTES` unless said. */
  readonly capBytes?: number;
}
export const FIRST_LINE: LinePlace = { number: 0, completeBytes: 0 };

export const OVERLONG = `longer than ${LINE_CAP_BYTES} bytes`;

/** A file in chunks that may be cut anywhere, its lines counted from 1. */
export abstract class LineFrame {
  number: number;
  readonly #blocks: LineBlocks;

  constructor(from: CappedPlace) {
    this.number = from.number;
    this.#blocks = new LineBlocks(
      {
        block: (pieces) => this.read(pieces),
        overlong: () => {
          this.number += 1;
          this.damaged(OVERLONG);
        },
      },
      from.completeBytes,
      from.capBytes ?? LINE_CAP_BYTES,
    );
  }

  /** Bytes up to and including the last newline. */
  get completeBytes(): number {
    return this.#blocks.completeBytes;
  }

  push(chunk: Uint8Array): void {
    this.#blocks.push(chunk);
  }

  /** Reads the last line too when no newline ends it. */
  finish(): void {
    this.#blocks.finish();
  }

  /** Whole lines, which it counts. */
  protected abstract read(pieces: readonly Buffer[]): void;
  /** The line that was counted last cannot be read. */
  protected abstract damaged(reason: string): void;

  /** Where the line that starts here has its first character: behind blanks, and a byte order mark of the file. */
  protected startOf(bytes: Uint8Array, from: number): number {
    let at = this.number === 1 ? behindMark(bytes, from) : from;
    while (isBlank(bytes[at])) at += 1;
    return at;
  }
}

const MARK = [0xef, 0xbb, 0xbf];

/** Behind a byte order mark, if one is here. */
export function behindMark(bytes: Uint8Array, from: number): number {
  return MARK.every((byte, i) => bytes[from + i] === byte) ? from + MARK.length : from;
}

export function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0d || byte === 0x09;
}
