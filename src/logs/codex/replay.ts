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
 * parent's sequence in order, else (no parent file) by their time.
 */
export function dropReplay(facts: CodexFacts, parent: CodexFacts | undefined): OwnSteps {
  const { steps, meta } = facts;
  const from = meta?.ownFromOrdinal;
  const base = meta?.historyBase;
  if (from !== undefined && steps.some((step) => step.ordinal !== undefined)) {
    const stated = steps.filter((step) => (step.ordinal ?? from) < from).length;
    if (stated > 0 || base === undefined) return split(steps, stated);
  }
  if (isCopying(facts))
    return split(steps, parent === undefined ? inheritedSteps(facts) : copiedSteps(steps, parent.steps));
  // Nothing is copied here, but the parent's last counters may be written once more before the first call.
  return split(steps, copiedSteps(steps, stepsUpTo(parent, base?.endOrdinal)));
}

/** Whether the file may hold its parent's records; a fork that points into the parent's file holds its own only. */
export function isCopying({ meta, replayed }: CodexFacts): boolean {
  return replayed !== undefined || (meta?.forkedFrom !== undefined && meta.historyBase === undefined);
}

function stepsUpTo(parent: CodexFacts | undefined, endOrdinal: number | undefined): readonly Step[] {
  if (endOrdinal === undefined) return [];
  return parent?.steps.filter(({ ordinal }) => ordinal !== undefined && ordinal < endOrdinal) ?? [];
}

/** Without the parent's file: what has the time of the copied `session_meta`, or is older than the thread itself. */
function inheritedSteps({ steps, meta, replayed }: CodexFacts): number {
  const second = secondOf(replayed?.atMs ?? Number.NaN);
  const bornMs = meta?.atMs ?? 0;
  const stamped = leading(steps, ({ atMs }) => secondOf(atMs) === second);
  return Math.max(
    stamped,
    leading(steps, ({ atMs }) => atMs < bornMs),
  );
}

function leading(steps: readonly Step[], isInherited: (step: Step) => boolean): number {
  const end = steps.findIndex((step) => !isInherited(step));
  return end === -1 ? steps.length : end;
}

function split(steps: readonly Step[], skipped: number): OwnSteps {
  const base = steps[skipped - 1]?.total;
  const own = steps.slice(skipped);
  const [first] = own;
  // Counters that start again at zero have nothing to be subtracted.
  const isFresh = first?.total !== undefined && first.last !== undefined && areEqual(first.total, first.last);
  return base === undefined || isFresh ? { steps: own } : { steps: own, base };
}

/** How many leading steps repeat the parent's in their order; a line that is lost in either file leaves a gap. */
function copiedSteps(child: readonly Step[], parent: readonly Step[]): number {
  const places = placesOf(parent);
  const firstSecond = secondOf(child[0]?.atMs ?? 0);
  let next = 0;
  let length = 0;
  let doTimesTell = false;
  for (const [index, step] of child.entries()) {
    // Copies may be stamped anew, all with one moment; any other time is the original's or later.
    const mayBeOlder = !doTimesTell || secondOf(step.atMs) === firstSecond;
    const place = firstFrom(next, places.get(keyOf(step)) ?? []);
    if (place === undefined) continue;
    const isLater = (parent[place]?.atMs ?? 0) <= step.atMs;
    if (!mayBeOlder && !isLater) continue;
    // Where the first copy is older than what it copies, the clocks did not agree.
    if (length === 0) doTimesTell = isLater;
    next = place + 1;
    length = index + 1;
  }
  return length;
}

/** Where each counter stands, last place first. */
function placesOf(steps: readonly Step[]): ReadonlyMap<string, number[]> {
  const places = new Map<string, number[]>();
  for (let place = steps.length - 1; place >= 0; place -= 1) {
    const key = keyOf(steps[place]);
    const known = places.get(key);
    if (known === undefined) places.set(key, [place]);
    else known.push(place);
  }
  return places;
}

/** Forgets the places before, which nothing asks for again. */
function firstFrom(next: number, places: number[]): number | undefined {
  for (let place = places.at(-1); place !== undefined; place = places.at(-1)) {
    if (place >= next) return place;
    places.pop();
  }
  return undefined;
}

function keyOf(step: Step | undefined): string {
  const { total, last } = step ?? {};
  const counter = total ?? last;
  if (counter === undefined) return "";
  const { input, cached, written, output, reasoning } = counter;
  return `${total === undefined ? "last " : ""}${input} ${cached} ${written ?? 0} ${output} ${reasoning}`;
}

function secondOf(ms: number): number {
  return Math.floor(ms / 1000);
}
