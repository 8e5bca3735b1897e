import { normalQuantile } from "./normal.ts";
import { at } from "./vector.ts";

const MULTIPLIER = 0xd256d193;
const WEYL = 0x9e3779b9;

/**
 * Philox 2x32 with 10 rounds (Salmon et al., 2011): two 32-bit words of output for a counter of two words and a
 * key of one. Stateless: the same arguments give the same words on every machine.
 */
export function philox(counter0: number, counter1: number, key: number): readonly [number, number] {
  mix(counter0, counter1, key);
  return [at(words, 0), at(words, 1)];
}

/** What `mix` gave last: a tuple for each of a hundred thousand draws would be garbage. */
const words = new Uint32Array(2);

function mix(counter0: number, counter1: number, key: number): void {
  let left = counter0 >>> 0;
  let right = counter1 >>> 0;
  let k = key >>> 0;
  for (let round = 0; round < 10; round += 1) {
    const high = highProduct(left, MULTIPLIER);
    const low = Math.imul(left, MULTIPLIER) >>> 0;
    left = (high ^ k ^ right) >>> 0;
    right = low;
    k = (k + WEYL) >>> 0;
  }
  words[0] = left;
  words[1] = right;
}

/** The upper 32 bits of a product of two unsigned 32-bit numbers. */
function highProduct(a: number, b: number): number {
  const aHigh = a >>> 16;
  const aLow = a & 0xffff;
  const bHigh = b >>> 16;
  const bLow = b & 0xffff;
  const low = aLow * bLow;
  // None of these sums reaches 2³², so that shifts of them are exact.
  const middle = aHigh * bLow + (low >>> 16);
  const cross = aLow * bHigh + (middle & 0xffff);
  return (aHigh * bHigh + (middle >>> 16) + (cross >>> 16)) >>> 0;
}

/** A 32-bit hash of a text: FNV-1a over its UTF-16 units, then a finalizer that spreads every bit. */
export function hashText(text: string, seed = 0): number {
  let h = (0x811c9dc5 ^ seed) >>> 0;
  for (let i = 0; i < text.length; i += 1) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** A stream of random numbers that belongs to a key, e.g. `head/node`; number i of it can be asked for directly. */
export interface KeyedStream {
  /** In the open interval (0, 1), 53 bits. */
  uniform(index: number): number;
  normal(index: number): number;
  /** The first ones. */
  uniforms(count: number): Float64Array;
  normals(count: number): Float64Array;
}

export function keyedStream(seed: number, key: string): KeyedStream {
  const word = hashText(key, seed);
  const second = hashText(key, (seed ^ 0x5bd1e995) >>> 0);
  const uniform = (index: number): number => {
    mix(index, second, word);
    return ((at(words, 0) >>> 5) * 67108864 + (at(words, 1) >>> 6) + 0.5) / 9007199254740992;
  };
  const uniforms = (count: number): Float64Array => {
    const all = new Float64Array(count);
    for (let i = 0; i < count; i += 1) all[i] = uniform(i);
    return all;
  };
  const normals = (count: number): Float64Array => {
    const all = uniforms(count);
    for (let i = 0; i < count; i += 1) all[i] = normalQuantile(at(all, i));
    return all;
  };
  return { uniform, normal: (index) => normalQuantile(uniform(index)), uniforms, normals };
}
