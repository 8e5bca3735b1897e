import { at } from "./vector.ts";

const FIRST_ROOM = 256;

/** Numbers that come one by one. A plain array of hundreds of thousands leaves as much to the collector as it holds. */
export class GrowingNumbers {
  length = 0;
  #numbers = new Float64Array(FIRST_ROOM);

  push(value: number): void {
    if (this.length === this.#numbers.length) {
      const grown = new Float64Array(2 * this.length);
      grown.set(this.#numbers);
      this.#numbers = grown;
    }
    this.#numbers[this.length] = value;
    this.length += 1;
  }

  at(index: number): number {
    return at(this.#numbers, index);
  }

  /** What there is so far, not copied. */
  all(): Float64Array {
    return this.#numbers.subarray(0, this.length);
  }

  /** Those at some places. */
  some(places: Int32Array): Float64Array {
    const numbers = new Float64Array(places.length);
    for (let i = 0; i < places.length; i += 1) numbers[i] = this.at(at(places, i));
    return numbers;
  }

  empty(): void {
    this.length = 0;
  }
}
