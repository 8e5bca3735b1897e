import { closeSync, fstatSync, ftruncateSync, openSync, readSync } from "node:fs";

const CHUNK_BYTES = 64 * 1024;
/** Read in one go before others get their turn. */
const TURN_BYTES = 4 * 1024 * 1024;

/**
 * Follows a file that another process appends to, and keeps it near its cap: once what lies behind the cap was
 * shown, the file is cut back and the rest counted as dropped. The consumer gets everything live, except what is
 * written in the instant of a cut and what a consumer slower than the writer leaves more than a cap behind. A chunk is
 * valid during the call only.
 */
export class StreamTail {
  readonly #fd: number;
  readonly #capBytes: number;
  readonly #onChunk: ((chunk: Uint8Array) => void) | undefined;
  /** One for all chunks: what a flood leaves to be collected, a busy machine collects too late. */
  readonly #buffer = new Uint8Array(CHUNK_BYTES);
  #offset = 0;
  #droppedBytes = 0;
  #sizeBytes = 0;

  constructor(path: string, capBytes: number, onChunk?: (chunk: Uint8Array) => void) {
    this.#fd = openSync(path, "r+");
    this.#capBytes = capBytes;
    this.#onChunk = onChunk;
  }

  /** Written so far, as far as seen; what was lost in a cut is not in it. */
  get totalBytes(): number {
    return this.#droppedBytes + this.#sizeBytes;
  }

  /** One turn. Answers whether the file grew, and whether more waits to be read. */
  pump(): { readonly grew: boolean; readonly more: boolean } {
    const before = this.totalBytes;
    this.#look();
    const more = this.#show(TURN_BYTES);
    const over = this.#sizeBytes - this.#capBytes;
    // A slow consumer may fall a cap behind; then the disk matters more than what it missed.
    if (over >= TURN_BYTES && (!more || over >= this.#capBytes + TURN_BYTES)) this.#cut();
    return { grew: this.totalBytes > before, more };
  }

  /** Shows the rest, cuts to the cap and closes. To be called when nobody writes any more. */
  async finish(): Promise<void> {
    while (this.pump().more) await new Promise<void>((resolve) => setImmediate(resolve));
    if (this.#sizeBytes > this.#capBytes) this.#cut();
    closeSync(this.#fd);
  }

  #look(): void {
    const { size } = fstatSync(this.#fd);
    if (size < this.#offset) {
      // Someone opened the file anew and emptied it (`> /dev/stderr` does): what was there is gone from disk.
      this.#droppedBytes += this.#sizeBytes;
      this.#offset = 0;
    }
    this.#sizeBytes = size;
  }

  #show(limitBytes: number): boolean {
    if (this.#onChunk === undefined) {
      this.#offset = this.#sizeBytes;
      return false;
    }
    const end = Math.min(this.#sizeBytes, this.#offset + limitBytes);
    while (this.#offset < end) {
      const wanted = Math.min(CHUNK_BYTES, end - this.#offset);
      const count = readSync(this.#fd, this.#buffer, 0, wanted, this.#offset);
      if (count === 0) return false;
      this.#offset += count;
      handOver(this.#onChunk, this.#buffer.subarray(0, count));
    }
    return this.#offset < this.#sizeBytes;
  }

  #cut(): void {
    const { size } = fstatSync(this.#fd);
    ftruncateSync(this.#fd, this.#capBytes);
    this.#droppedBytes += Math.max(0, size - this.#capBytes);
    this.#sizeBytes = this.#capBytes;
    this.#offset = Math.min(this.#offset, this.#capBytes);
  }
}

/** A consumer that throws is a bug, but the process must stay supervised: the error surfaces on its own. */
function handOver(onChunk: (chunk: Uint8Array) => void, chunk: Uint8Array): void {
  try {
    onChunk(chunk);
  } catch (error) {
    setImmediate(() => {
      throw error;
    });
  }
}
