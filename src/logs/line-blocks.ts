/** A line of a file that is longer than this is skipped without being held. */
export const LINE_CAP_BYTES = 64 * 1024 * 1024;
/** Large enough that a call costs nothing, small enough to stay in a core's cache while it is read. */
export const BLOCK_BYTES = 128 * 1024;

const NEWLINE = 0x0a;

export interface BlockReader {
  /** Whole lines, in pieces that follow each other; only the last line may lack its newline. Valid during the call. */
  block(pieces: readonly Buffer[]): void;
  /** In place of one line that is longer than the cap. */
  overlong(): void;
}

/** Gathers whole lines from chunks that may be cut anywhere. Memory is bounded by the cap on a line. */
export class LineBlocks {
  /** Bytes up to and including the last newline. */
  completeBytes: number;
  #carry: Buffer[] = [];
  #carryBytes = 0;
  #isOverlong = false;
  readonly #reader: BlockReader;
  readonly #capBytes: number;

  constructor(reader: BlockReader, completeBytes: number, capBytes: number) {
    this.#reader = reader;
    this.#capBytes = capBytes;
    this.completeBytes = completeBytes;
  }

  push(chunk: Uint8Array): void {
    for (let from = 0; from < chunk.byteLength; from += BLOCK_BYTES) {
      const length = Math.min(BLOCK_BYTES, chunk.byteLength - from);
      this.#push(Buffer.from(chunk.buffer, chunk.byteOffset + from, length));
    }
  }

  /** Reads the last line too when no newline ends it. */
  finish(): void {
    if (this.#isOverlong) this.#reader.overlong();
    else if (this.#carryBytes > 0) this.#reader.block(this.#carry);
    this.#drop();
  }

  #push(bytes: Buffer): void {
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    if (end === 0) {
      this.#keep(bytes);
      return;
    }
    let from = 0;
    if (this.#carryBytes > 0 && this.#carryBytes + bytes.indexOf(NEWLINE) > this.#capBytes) {
      from = bytes.indexOf(NEWLINE) + 1;
      this.completeBytes += this.#carryBytes + from;
      this.#reader.overlong();
      this.#drop();
    }
    if (from < end) {
      this.completeBytes += this.#carryBytes + end - from;
      this.#reader.block([...this.#carry, bytes.subarray(from, end)]);
      this.#drop();
    }
    this.#keep(bytes.subarray(end));
  }

  #drop(): void {
    if (this.#carryBytes > 0) this.#carry = [];
    this.#carryBytes = 0;
    this.#isOverlong = false;
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#carryBytes += bytes.length;
    if (this.#carryBytes > this.#capBytes) {
      this.#isOverlong = true;
      this.#carry = [];
    }
    // A copy: the chunk's memory belongs to its giver.
    if (!this.#isOverlong) this.#carry.push(Buffer.from(bytes));
  }
}
