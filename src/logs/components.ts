import type { LogGroup } from "../ports/log-source.ts";
import { unpackKeys } from "./group-keys.ts";
import { groupId, type ReadingLine } from "./group-reading.ts";

/** Groups that share a key, directly or through others, in the order of their first members. */
export function componentsOf(
  groups: readonly LogGroup[],
  readings: ReadonlyMap<string, ReadingLine>,
): readonly (readonly LogGroup[])[] {
  const parents = groups.map((_, i) => i);
  const rootOf = (i: number): number => {
    let root = i;
    while (parents[root] !== root) root = parents[root] ?? root;
    for (let at = i; at !== root; ) {
      const next = parents[at] ?? root;
      parents[at] = root;
      at = next;
    }
    return root;
  };
  const holders = new Map<string, KeyHolders>();
  for (const [i, group] of groups.entries()) {
    const ofAgent = holders.get(group.agent) ?? new KeyHolders();
    holders.set(group.agent, ofAgent);
    for (const key of unpackKeys(readings.get(groupId(group))?.head.keys ?? "")) {
      const holder = ofAgent.claim(key, i);
      if (holder === i) continue;
      const [a, b] = [rootOf(holder), rootOf(i)];
      parents[Math.max(a, b)] = Math.min(a, b);
    }
  }
  const components = new Map<number, LogGroup[]>();
  for (const [i, group] of groups.entries()) {
    const root = rootOf(i);
    const members = components.get(root);
    if (members === undefined) components.set(root, [group]);
    else members.push(group);
  }
  return [...components.values()];
}

const FREE = -1;

/** Who first held each key. Keys are hashes already; there is one for every call of every log. */
class KeyHolders {
  #keys = new Float64Array(1024);
  #holders = new Int32Array(1024).fill(FREE);
  #used = 0;

  /** The first holder of the key, which is this one where there was none. */
  claim(key: number, holder: number): number {
    if (2 * this.#used >= this.#keys.length) this.#grow();
    const place = this.#placeOf(key);
    const first = this.#holders[place] ?? FREE;
    if (first !== FREE) return first;
    this.#keys[place] = key;
    this.#holders[place] = holder;
    this.#used += 1;
    return holder;
  }

  #placeOf(key: number): number {
    const last = this.#keys.length - 1;
    let place = (key | 0) & last;
    while (this.#holders[place] !== FREE && this.#keys[place] !== key) place = (place + 1) & last;
    return place;
  }

  #grow(): void {
    const [keys, holders] = [this.#keys, this.#holders];
    this.#keys = new Float64Array(2 * keys.length);
    this.#holders = new Int32Array(2 * keys.length).fill(FREE);
    for (const [i, holder] of holders.entries()) {
      if (holder === FREE) continue;
      const key = keys[i] ?? 0;
      const place = this.#placeOf(key);
      this.#keys[place] = key;
      this.#holders[place] = holder;
    }
  }
}
