import { byCodePoint } from "../../core/canonical-json.ts";
import type { RunFacts } from "./facts.ts";
import { Known, term } from "./names.ts";
import type { Term } from "./terms.ts";

export interface PartPlan {
  /** The effect that a part belongs to, by `harness|part`; parts that always come together share one. */
  readonly nodeOf: ReadonlyMap<string, string>;
  readonly notEstimated: readonly {
    readonly part: string;
    readonly why: "on every run" | "on fewer than 2 runs";
  }[];
}

/** A part on the runs of its harness: how many have it, and in which shares. */
interface Presence {
  readonly part: string;
  count: number;
  /** Each run's place and share in turn: equal for parts that always come together. */
  readonly shares: number[];
}

/** Which parts can be told from their harness: on at least 2 of its runs and missing from at least 2. */
export function planParts(runs: readonly RunFacts[]): PartPlan {
  const users = new Map<string, { count: number; parts: Map<string, Presence> }>();
  for (const run of runs) {
    for (const harness of harnessesOf(run)) {
      const own = users.get(harness) ?? { count: 0, parts: new Map<string, Presence>() };
      users.set(harness, own);
      addParts(own.parts, run, harness, own.count);
      own.count += 1;
    }
  }
  const notEstimated: { part: string; why: "on every run" | "on fewer than 2 runs" }[] = [];
  const nodeOf = new Map<string, string>();
  for (const [harness, { count, parts }] of [...users].sort(([a], [b]) => byCodePoint(a, b))) {
    const groups: (readonly Presence[])[] = [];
    for (const presence of [...parts.values()].sort(byPart)) {
      const { part, count: present } = presence;
      if (present < 2) notEstimated.push({ part: keyOf(harness, part), why: "on fewer than 2 runs" });
      else if (count - present < 2) notEstimated.push({ part: keyOf(harness, part), why: "on every run" });
      else {
        const known = groups.findIndex(([first]) => first !== undefined && isAlike(first, presence));
        if (known < 0) groups.push([presence]);
        else groups[known] = [...(groups[known] ?? []), presence];
      }
    }
    for (const together of groups) {
      const node = `part:${harness}|${together.map(({ part }) => part).join("+")}`;
      for (const { part } of together) nodeOf.set(keyOf(harness, part), node);
    }
  }
  return { nodeOf, notEstimated };
}

function addParts(to: Map<string, Presence>, run: RunFacts, harness: string, place: number): void {
  const seen = new Set<string>();
  for (const one of run.parts) {
    if (one.harness !== harness || seen.has(one.part)) continue;
    seen.add(one.part);
    const presence = to.get(one.part) ?? { part: one.part, count: 0, shares: [] };
    to.set(one.part, presence);
    if (!(one.share > 0)) continue;
    presence.count += 1;
    presence.shares.push(place, one.share);
  }
}

function isAlike(a: Presence, b: Presence): boolean {
  return a.shares.length === b.shares.length && a.shares.every((value, i) => value === b.shares[i]);
}

function byPart(a: Presence, b: Presence): number {
  return byCodePoint(a.part, b.part);
}

function harnessesOf(run: RunFacts): ReadonlySet<string> {
  const all = new Set<string>();
  for (const { setting } of run.attempts) if (setting.harness !== undefined) all.add(setting.harness);
  return all;
}

const keys = new Known<string>();

/** The name of a part in a plan. */
function keyOf(harness: string, part: string): string {
  const found = keys.below(harness).below(part);
  found.made ??= `${harness}|${part}`;
  return found.made;
}

export function partTerms(run: RunFacts, plan: PartPlan): readonly Term[] {
  const terms: Term[] = [];
  for (const { harness, part, share } of run.parts) {
    const node = plan.nodeOf.get(keyOf(harness, part));
    if (node === undefined || !(share > 0)) continue;
    const known = terms.findIndex(([other]) => other === node);
    if (known < 0) terms.push(term(node, share));
    else terms[known] = term(node, share);
  }
  return terms;
}
