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
  const holders = new Map<string, Map<number, number>>();
  for (const [i, group] of groups.entries()) {
    const ofAgent = holders.get(group.agent) ?? new Map<number, number>();
    holders.set(group.agent, ofAgent);
    for (const key of unpackKeys(readings.get(groupId(group))?.head.keys ?? "")) {
      const holder = ofAgent.get(key);
      if (holder === undefined) ofAgent.set(key, i);
      else {
        const [a, b] = [rootOf(holder), rootOf(i)];
        parents[Math.max(a, b)] = Math.min(a, b);
      }
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
