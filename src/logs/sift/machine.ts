import { SIFT_WASM } from "./wasm.ts";

/** Where scripts/sift/sift.ts keeps things in its memory. */
const KEY_TEXT = 16384;
export const NODE_WORDS = 40960 / 4;
export const TAPE_WORDS = 65536 / 4;
export const INPUT = 147456;
const PAGE_BYTES = 65536;
/** May be read behind the input. */
const SLACK_BYTES = 4096 + 64;
/** What lines need that are no longer than a few blocks; a longer one makes the memory grow. */
const LEAST_PAGES = 8;

export const LineResult = { valid: 0, broken: 1, unsure: 2 } as const;

/** What is wanted: a member of a node by its name, or, without a name, the elements of a list. Node 1 is the line. */
export interface WantedNode {
  readonly node: number;
  readonly parent: number;
  readonly name: string;
  readonly traits: number;
}

/** What `scripts/sift/sift.ts` exports. */
interface SiftExports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  want(node: number, parent: number, text: number, length: number, traits: number): void;
  readLine(start: number): number;
  entries(): number;
  position(): number;
}

declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: SiftExports };
};

/** The checker of lines with its memory. */
export class SiftMachine {
  bytes: Buffer;
  words: Int32Array;
  doubles: Float64Array;
  /** The number of the line that was read last: what its members are marked with. */
  line = 0;
  readonly #exports: SiftExports;

  constructor(wanted: readonly WantedNode[]) {
    this.#exports = new WebAssembly.Instance(
      new WebAssembly.Module(Buffer.from(SIFT_WASM, "base64")),
    ).exports;
    const { buffer } = this.#exports.memory;
    this.bytes = Buffer.from(buffer);
    this.words = new Int32Array(buffer);
    this.doubles = new Float64Array(buffer);
    let at = KEY_TEXT;
    for (const { node, parent, name, traits } of wanted) {
      this.bytes.write(name, at, "latin1");
      this.#exports.want(node, parent, at, name.length, traits);
      at += name.length;
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
    this.line += 1;
    return this.#exports.readLine(start);
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

  #grow(bytes: number): void {
    const missing = bytes - this.bytes.length;
    if (missing <= 0) return;
    this.#exports.memory.grow(Math.ceil(missing / PAGE_BYTES));
    const { buffer } = this.#exports.memory;
    this.bytes = Buffer.from(buffer);
    this.words = new Int32Array(buffer);
    this.doubles = new Float64Array(buffer);
  }
}
