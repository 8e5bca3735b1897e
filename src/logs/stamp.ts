import type { LogFile } from "../ports/log-source.ts";

const FLOAT = new Float64Array(1);
const WORDS = new Uint32Array(FLOAT.buffer);

/**
 * Tells long lists of texts and numbers apart by 64 bits, for what need not withstand an attacker. A number goes in as it
 * is in memory: as text it would take longer than all else of a scan that finds nothing new. Whatever differs in one place
 * only has another stamp for certain, because no step of it forgets anything.
 */
export class Stamp {
  #a = 0;
  #b = 0;

  text(text: string): void {
    this.#word(text.length);
    let [a, b] = [this.#a, this.#b];
    // Beyond the end there is NaN, which is 0 for an operator of bits.
    for (let i = 0; i < text.length; i += 2) {
      a = Math.imul(a ^ text.charCodeAt(i) ^ (text.charCodeAt(i + 1) << 16), 2654435761);
      a ^= a >>> 15;
      b = Math.imul(b ^ a, 1597334677);
      b ^= b >>> 13;
    }
    this.#a = a;
    this.#b = b;
  }

  number(number: number): void {
    FLOAT[0] = number;
    this.#word(WORDS[0] ?? 0);
    this.#word(WORDS[1] ?? 0);
  }

  /** These versions of these files. */
  files(files: readonly LogFile[]): void {
    this.number(files.length);
    for (const { path, sizeBytes, mtimeMs, device, inode } of files) {
      this.text(path);
      this.number(sizeBytes);
      this.number(mtimeMs);
      this.text(device);
      this.text(inode);
    }
  }

  value(): string {
    return `${(this.#a >>> 0).toString(16)}-${(this.#b >>> 0).toString(16)}`;
  }

  #word(word: number): void {
    const a = Math.imul(this.#a ^ word, 2654435761);
    this.#a = a ^ (a >>> 15);
    const b = Math.imul(this.#b ^ this.#a, 1597334677);
    this.#b = b ^ (b >>> 13);
  }
}
