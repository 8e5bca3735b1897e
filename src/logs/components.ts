import type { LogGroup } from "../ports/log-source.ts";
import { type OwnedKeys, unpackKeys } from "./group-keys.ts";
import { groupId, type ReadingLine } from "./group-reading.ts";

/** Groups that share a key, directly or through others, in the order of their first members. */
export function componentsOf(
  groups: readonly LogGroup[],
  readings: ReadonlyMap<string, ReadingLine>,
): readonly (readonly LogGroup[])[] {
  const joined = new Joined(groups.length);
  for (const agent of new Set(groups.map((group) => group.agent))) {
    const texts = groups.map((group) =>
      group.agent === agent ? (readings.get(groupId(group))?.head.keys ?? "") : "",
    );
    joinHolders(unpackKeys(texts), joined);
  }
  const components = new Map<number, LogGroup[]>();
  for (const [i, group] of groups.entries()) {
    const root = joined.rootOf(i);
    const members = components.get(root);
    if (members === undefined) components.set(root, [group]);
    else members.push(group);
  }
  return [...components.values()];
}

/** For each key so many that in most there is one key or none. */
const SLOTS_FOR_KEY = 8;

/**
 * There is a key for every call of every log, and few are held by two. Keys are hashes: only one that has company in its
 * slot needs to be looked up.
 */
function joinHolders({ keys, ends }: OwnedKeys, joined: Joined): void {
  const slots = new Uint8ClampedArray(2 ** Math.ceil(Math.log2(SLOTS_FOR_KEY * keys.length + 1)));
  const last = slots.length - 1;
  for (let i = 0; i < keys.length; i += 1) {
    const slot = (keys[i] ?? 0) & last;
    slots[slot] = (slots[slot] ?? 0) + 1;
  }
  const holders = new Map<number, number>();
  let at = 0;
  for (const [owner, end] of ends.entries()) {
    for (; at < end; at += 1) {
      const key = keys[at] ?? 0;
      if (slots[key & last] === 1) continue;
      const holder = holders.get(key);
      if (holder === undefined) holders.set(key, owner);
      else joined.join(holder, owner);
    }
  }
}

/** Numbers in sets that only grow together; the least of a set stands for it. */
class Joined {
  readonly #parents: number[];

  constructor(count: number) {
    this.#parents = Array.from({ length: count }, (_, i) => i);
  }

  rootOf(i: number): number {
    let root = i;
    while (this.#above(root) !== root) root = this.#above(root);
    for (let at = i; at !== root; ) {
      const next = this.#above(at);
      this.#parents[at] = root;
      at = next;
    }
    return root;
  }

  join(one: number, other: number): void {
    const [a, b] = [this.rootOf(one), this.rootOf(other)];
    this.#parents[Math.max(a, b)] = Math.min(a, b);
  }

  #above(i: number): number {
    return this.#parents[i] ?? i;
  }
}
