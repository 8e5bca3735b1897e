import fc from "fast-check";
import { expect, test } from "vitest";
import { componentsOf } from "./components.ts";
import { packKeys } from "./group-keys.ts";
import { groupId, type ReadingLine } from "./group-reading.ts";

const AGENTS = ["claude-code", "codex"];
/** Large and small ones, many alike in their last bits. */
const KEY = fc.oneof(
  fc.nat({ max: 12 }),
  fc.nat({ max: 12 }).map((high) => high * 2 ** 40 + 5),
);
const HELD = fc.array(fc.tuple(fc.constantFrom(...AGENTS), fc.uniqueArray(KEY, { maxLength: 3 })), {
  maxLength: 20,
});

/** Joins two sets for as long as some two share a key. */
function joinedByHand(held: readonly (readonly [string, readonly number[]])[]): number[][] {
  const sets = held.map(([agent, keys], i) => ({ members: [i], agent, keys: new Set(keys) }));
  for (;;) {
    const pair = sets.flatMap((one, i) =>
      sets
        .slice(i + 1)
        .filter((other) => one.agent === other.agent && [...one.keys].some((key) => other.keys.has(key)))
        .map((other) => ({ one, other })),
    )[0];
    if (pair === undefined) return sets.map(({ members }) => members.sort((a, b) => a - b));
    pair.one.members.push(...pair.other.members);
    for (const key of pair.other.keys) pair.one.keys.add(key);
    sets.splice(sets.indexOf(pair.other), 1);
  }
}

test("groups of one agent that share a key, directly or through others, are one, and no others", () => {
  fc.assert(
    fc.property(HELD, (held) => {
      const groups = held.map(([agent], i) => ({ agent, id: `${i}`, files: [] }));
      const readings = new Map<string, ReadingLine>();
      for (const [i, group] of groups.entries()) {
        const keys = packKeys((add) => {
          for (const key of held[i]?.[1] ?? []) add(key);
        });
        const head = { id: groupId(group), stamp: "", keys, problems: [], long: [] };
        readings.set(groupId(group), { head, line: "" });
      }
      const components = componentsOf(groups, readings);
      expect(components.map((members) => members.map(({ id }) => Number(id)))).toEqual(joinedByHand(held));
    }),
  );
});
