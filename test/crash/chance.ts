/** Numbers from 0 to below 1 that follow from a seed alone (mulberry32, T. Ettinger, 2017). */
export function chanceFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function oneOf<T>(chance: () => number, items: readonly [T, ...T[]]): T {
  return items[Math.floor(chance() * items.length)] ?? items[0];
}
