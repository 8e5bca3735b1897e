const MAGIC = "loopwright fit 2";
const HEADER_BYTES = 32;

/** Numbers and texts in the order in which a reader asks for them again. */
export class Writer {
  readonly words: string[] = [];
  readonly chunks: Float64Array[] = [];
  #open: number[] = [];

  number(...values: readonly number[]): void {
    this.#open.push(...values);
  }

  numbers(values: ArrayLike<number>): void {
    this.number(values.length);
    this.close();
    this.chunks.push(new Float64Array(values));
  }

  text(value: string): void {
    this.words.push(value);
  }

  texts(values: readonly string[]): void {
    this.number(values.length);
    for (const value of values) this.words.push(value);
  }

  /** Single numbers so far become a chunk. */
  close(): void {
    if (this.#open.length > 0) this.chunks.push(Float64Array.from(this.#open));
    this.#open = [];
  }
}

/** What is not there reads as 0, empty and not ended: only bytes that are whole come here. */
export class Reader {
  readonly #words: readonly string[];
  readonly #bytes: Uint8Array;
  #numbers: Float64Array | undefined;
  #word = 0;
  #number = 0;

  constructor(words: readonly string[], bytes: Uint8Array) {
    this.#words = words;
    this.#bytes = bytes;
  }

  get isEnded(): boolean {
    return this.#word === this.#words.length && 8 * this.#number === this.#bytes.length;
  }

  number(): number {
    this.#number += 1;
    return this.#all()[this.#number - 1] ?? 0;
  }

  numbers(): Float64Array {
    const count = this.number();
    this.#number += count;
    return this.#all().subarray(this.#number - count, this.#number);
  }

  text(): string {
    this.#word += 1;
    return this.#words[this.#word - 1] ?? "";
  }

  texts(): readonly string[] {
    const count = this.number();
    this.#word += count;
    return this.#words.slice(this.#word - count, this.#word);
  }

  #all(): Float64Array {
    this.#numbers ??= numbersOf(this.#bytes);
    return this.#numbers;
  }
}

export function packBytes(written: Writer): Uint8Array {
  written.close();
  const text = new TextEncoder().encode(JSON.stringify(written.words));
  const textBytes = Math.ceil(text.length / 8) * 8;
  const count = written.chunks.reduce((sum, { length }) => sum + length, 0);
  const bytes = new Uint8Array(HEADER_BYTES + textBytes + 8 * count).fill(
    0x20,
    HEADER_BYTES,
    HEADER_BYTES + textBytes,
  );
  bytes.set(new TextEncoder().encode(MAGIC));
  new Float64Array(bytes.buffer, 16, 2).set([textBytes, count]);
  bytes.set(text, HEADER_BYTES);
  const numbers = new Float64Array(bytes.buffer, HEADER_BYTES + textBytes, count);
  let used = 0;
  for (const chunk of written.chunks) {
    numbers.set(chunk, used);
    used += chunk.length;
  }
  return bytes;
}

/**
 * Undefined when the bytes are not whole or of another version. What is read are the bytes: who changes it changes them.
 */
export function unpackBytes(given: Uint8Array): Reader | undefined {
  if (given.length < HEADER_BYTES) return undefined;
  const head = new TextDecoder("latin1").decode(given.subarray(0, 16));
  const [textBytes = 0, count = 0] = numbersOf(given.subarray(16, HEADER_BYTES));
  if (head !== MAGIC || given.length !== HEADER_BYTES + textBytes + 8 * count) return undefined;
  const words = wordsIn(new TextDecoder().decode(given.subarray(HEADER_BYTES, HEADER_BYTES + textBytes)));
  if (words === undefined) return undefined;
  return new Reader(words, given.subarray(HEADER_BYTES + textBytes));
}

/** The bytes themselves where numbers can lie there: a fit is large. */
function numbersOf(bytes: Uint8Array): Float64Array {
  const { buffer, byteOffset, length } = bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes);
  return new Float64Array(buffer, byteOffset, length / 8);
}

function wordsIn(text: string): readonly string[] | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    if (!Array.isArray(parsed)) return undefined;
    const words = parsed.filter((word): word is string => typeof word === "string");
    return words.length === parsed.length ? words : undefined;
  } catch {
    return undefined;
  }
}
