import { SIFT_WASM } from "./wasm.ts";

/** Where scripts/sift/sift.ts keeps things in its memory. */
const KEY_TEXT = 16384;
export const TAPE_WORDS = 65536 / 4;
export const INPUT = 131072;
const PAGE_BYTES = 65536;
/** May be read behind the input. */
const SLACK_BYTES = 128;
/** What lines need that are no longer than a few blocks; a longer one makes the memory grow. */
const LEAST_PAGES = 8;

export const LineResult = { valid: 0, broken: 1, unsure: 2 } as const;

/** What `scripts/sift/sift.ts` exports. */
interface SiftExports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  addKey(text: number, length: number, id: number): void;
  readLine(start: number): number;
  entries(): number;
  position(): number;
}

declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: SiftExports };
};

/** The checker of lines with its memory. Ids of keys are their places in the list, from 1. */
export class SiftMachine {
  bytes: Buffer;
  tape: Int32Array;
  readonly #exports: SiftExports;

  constructor(keys: readonly string[]) {
    this.#exports = new WebAssembly.Instance(
      new WebAssembly.Module(Buffer.from(SIFT_WASM, "base64")),
    ).exports;
    this.bytes = Buffer.from(this.#exports.memory.buffer);
    this.tape = new Int32Array(this.#exports.memory.buffer);
    let at = KEY_TEXT;
    for (const [i, key] of keys.entries()) {
      this.bytes.write(key, at, "latin1");
      this.#exports.addKey(at, key.length, i + 1);
      at += key.length;
    }
    this.#grow(LEAST_PAGES * PAGE_BYTES);
  }

  /** Puts the pieces behind each other, and a newline behind them. Returns the place of that newline. */
  load(pieces: readonly Uint8Array[]): number {
    const length = pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
    this.#grow(INPUT + length + SLACK_BYTES);
    let at = INPUT;
    for (const piece of pieces) {
      this.bytes.set(piece, at);
      at += piece.byteLength;
    }
    this.bytes[at] = 0x0a;
    return at;
  }

  /** Reads the line that starts here with an open brace. */
  readLine(start: number): number {
    return this.#exports.readLine(start);
  }

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

  #grow(bytes: number): void {
    const missing = bytes - this.bytes.length;
    if (missing <= 0) return;
    this.#exports.memory.grow(Math.ceil(missing / PAGE_BYTES));
    this.bytes = Buffer.from(this.#exports.memory.buffer);
    this.tape = new Int32Array(this.#exports.memory.buffer);
  }
}
