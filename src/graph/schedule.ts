import { byCodePoint } from "../core/canonical-json.ts";
import { NumberHeap } from "./heap.ts";
import { type GraphPiece, mustOrder, sharesFolder } from "./order.ts";

export interface ScheduledPiece {
  readonly id: string;
  /** From 0. */
  readonly worker: number;
  readonly start: number;
  readonly end: number;
}
export interface Schedule {
  /** In order of start. */
  readonly pieces: readonly ScheduledPiece[];
  /** When the last piece ends, in units of weight. */
  readonly makespan: number;
}

/**
 * The schedule that the engine follows when every piece takes as long as its weight says: a free worker
 * takes, of the pieces whose inputs are ready, the one with the heaviest chain behind it (ties by code
 * points). Pieces that share the folder take turns in it. Nobody idles while something may be begun, so without
 * such pieces it is at most twice the optimum (Graham 1969, "Bounds on multiprocessing timing anomalies"). The graph
 * must have an order.
 */
export function listSchedule(pieces: readonly GraphPiece[], workers: number): Schedule {
  return prepareSchedule(pieces, mustOrder(pieces).flat())(workers);
}

/** Weight of the heaviest chain that begins with each piece: by it a free worker chooses. */
export function heaviestChains(pieces: readonly GraphPiece[]): ReadonlyMap<string, number> {
  const order = mustOrder(pieces).flat();
  const { ids, ranks } = numbered(pieces, order);
  return new Map(ids.map((id, number) => [id, ranks[number] ?? 0]));
}

/** The same for several counts of workers, the graph being looked at once. `order`: inputs come first. */
export function prepareSchedule(
  pieces: readonly GraphPiece[],
  order: readonly string[],
): (workers: number) => Schedule {
  const graph = numbered(pieces, order);
  return (workers) => scheduleOf(graph, workers);
}

/** Pieces by the turn in which a free worker takes them: numbers are quicker than names, and smaller goes first. */
interface NumberedGraph {
  readonly ids: readonly string[];
  readonly weights: readonly number[];
  readonly followers: readonly (readonly number[])[];
  readonly inputCounts: readonly number[];
  readonly shares: readonly boolean[];
  /** Weight of the heaviest chain that begins with a piece. */
  readonly ranks: readonly number[];
}

function numbered(pieces: readonly GraphPiece[], order: readonly string[]): NumberedGraph {
  const byId = new Map(pieces.map((piece) => [piece.id, piece]));
  const chains = new Map<string, number>();
  const behind = new Map<string, number>();
  for (let at = order.length - 1; at >= 0; at -= 1) {
    const id = order[at] ?? "";
    const piece = byId.get(id);
    const chain = (piece?.weight ?? 0) + (behind.get(id) ?? 0);
    chains.set(id, chain);
    for (const input of piece?.dependsOn ?? []) behind.set(input, Math.max(behind.get(input) ?? 0, chain));
  }
  const ids = order.toSorted((a, b) => (chains.get(b) ?? 0) - (chains.get(a) ?? 0) || byCodePoint(a, b));
  const numbers = new Map(ids.map((id, number) => [id, number]));
  const followers: number[][] = ids.map(() => []);
  const inputCounts = ids.map(() => 0);
  for (const [number, id] of ids.entries()) {
    const inputs = new Set(byId.get(id)?.dependsOn);
    inputCounts[number] = inputs.size;
    for (const input of inputs) followers[numbers.get(input) ?? 0]?.push(number);
  }
  return {
    ids,
    weights: ids.map((id) => byId.get(id)?.weight ?? 0),
    followers,
    inputCounts,
    shares: ids.map((id) => {
      const piece = byId.get(id);
      return piece !== undefined && sharesFolder(piece);
    }),
    ranks: ids.map((id) => chains.get(id) ?? 0),
  };
}

function scheduleOf(
  { ids, weights, followers, inputCounts, shares }: NumberedGraph,
  workers: number,
): Schedule {
  const open = [...inputCounts];
  const apart = new NumberHeap();
  const sharing = new NumberHeap();
  const makeReady = (number: number) => (shares[number] === true ? sharing : apart).push(number);
  for (let number = 0; number < open.length; number += 1) if (open[number] === 0) makeReady(number);
  /** What each worker is at, and until when; nothing when it is free. */
  const at: (number | undefined)[] = Array.from({ length: Math.max(1, workers) }, () => undefined);
  const until = at.map(() => 0);
  const scheduled: ScheduledPiece[] = [];
  let isFolderTaken = false;
  let now = 0;
  for (;;) {
    for (let worker = at.indexOf(undefined); worker >= 0; worker = at.indexOf(undefined)) {
      const next = takeNext(apart, isFolderTaken ? undefined : sharing);
      if (next === undefined) break;
      if (shares[next] === true) isFolderTaken = true;
      const end = now + (weights[next] ?? 0);
      at[worker] = next;
      until[worker] = end;
      scheduled.push({ id: ids[next] ?? "", worker, start: now, end });
    }
    const soonest = firstEnd(at, until);
    if (soonest === undefined) return { pieces: scheduled, makespan: now };
    now = soonest;
    for (let worker = 0; worker < at.length; worker += 1) {
      const done = at[worker];
      if (done === undefined || until[worker] !== now) continue;
      at[worker] = undefined;
      if (shares[done] === true) isFolderTaken = false;
      for (const follower of followers[done] ?? []) {
        const left = (open[follower] ?? 0) - 1;
        open[follower] = left;
        if (left === 0) makeReady(follower);
      }
    }
  }
}

/** The one of two queues that goes first. */
function takeNext(one: NumberHeap, other: NumberHeap | undefined): number | undefined {
  const [first, second] = [one.peek(), other?.peek()];
  if (second === undefined) return one.pop();
  return first === undefined || second < first ? other?.pop() : one.pop();
}

function firstEnd(at: readonly (number | undefined)[], until: readonly number[]): number | undefined {
  let soonest: number | undefined;
  for (let worker = 0; worker < at.length; worker += 1) {
    const end = until[worker] ?? 0;
    if (at[worker] !== undefined && (soonest === undefined || end < soonest)) soonest = end;
  }
  return soonest;
}
