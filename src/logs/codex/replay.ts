import { areEqual, type Step } from "./counters.ts";
import type { CodexFacts } from "./facts.ts";
import type { Counter } from "./schema.ts";

/** The thread's own counter events, and the total that the replayed ones in front of them end with. */
export interface OwnSteps {
  readonly steps: readonly Step[];
  readonly base?: Counter;
}

/**
 * Drops the events that a fork or a spawned agent copied from its parent: by the stated ordinal, else by matching the
 * parent's sequence in order, else (no parent file) the leading run in the second of the copied `session_meta`.
 */
export function dropReplay(facts: CodexFacts, parent: CodexFacts | undefined): OwnSteps {
  const { steps, meta, replayed } = facts;
  const from = meta?.ownFromOrdinal;
  if (from !== undefined && steps.some((step) => step.ordinal !== undefined)) {
    return split(steps, steps.filter((step) => (step.ordinal ?? from) < from).length);
  }
  const mayReplay =
    replayed !== undefined || (meta?.forkedFrom !== undefined && meta.historyBase === undefined);
  if (!mayReplay) return { steps };
  if (parent !== undefined) return split(steps, commonPrefix(steps, parent.steps));
  if (replayed?.atMs === undefined) return { steps };
  const second = secondOf(replayed.atMs);
  const end = steps.findIndex((step) => secondOf(step.atMs) !== second);
  return split(steps, end === -1 ? steps.length : end);
}

function split(steps: readonly Step[], skipped: number): OwnSteps {
  const base = steps[skipped - 1]?.total;
  const own = steps.slice(skipped);
  const [first] = own;
  // Counters that start again at zero have nothing to be subtracted.
  const isFresh = first?.total !== undefined && first.last !== undefined && areEqual(first.total, first.last);
  return base === undefined || isFresh ? { steps: own } : { steps: own, base };
}

/** How many leading steps of the child repeat some run of the parent's that is not younger. */
function commonPrefix(child: readonly Step[], parent: readonly Step[]): number {
  let longest = 0;
  for (let start = 0; start + longest < parent.length; start += 1) {
    let length = 0;
    for (;;) {
      const mine = child[length];
      const theirs = parent[start + length];
      if (mine === undefined || theirs === undefined || !isCopy(mine, theirs)) break;
      length += 1;
    }
    longest = Math.max(longest, length);
  }
  return longest;
}

function isCopy(child: Step, parent: Step): boolean {
  if (parent.atMs > child.atMs) return false;
  return isSame(child.total, parent.total) && isSame(child.last, parent.last);
}

function isSame(a: Counter | undefined, b: Counter | undefined): boolean {
  return a === undefined || b === undefined ? a === b : areEqual(a, b);
}

function secondOf(ms: number): number {
  return Math.floor(ms / 1000);
}
