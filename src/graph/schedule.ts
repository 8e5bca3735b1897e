import { byCodePoint } from "../core/canonical-json.ts";
import { Heap } from "./heap.ts";
import { type GraphPiece, mustOrder } from "./order.ts";

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
 * points). Nobody idles while something is ready, so it is at most twice the optimum (Graham 1969, "Bounds on
 * multiprocessing timing anomalies"). The graph must have an order.
 */
export function listSchedule(pieces: readonly GraphPiece[], workers: number): Schedule {
  return prepareSchedule(pieces)(workers);
}

/** Weight of the heaviest chain that begins with each piece: by it a free worker chooses. */
export function heaviestChains(pieces: readonly GraphPiece[]): ReadonlyMap<string, number> {
  const order = mustOrder(pieces).flat();
  const { ranks } = numbered(pieces, order);
  return new Map(order.map((id, number) => [id, ranks[number] ?? 0]));
}

/** The same for several counts of workers, the graph being looked at once. */
export function prepareSchedule(pieces: readonly GraphPiece[]): (workers: number) => Schedule {
  const order = mustOrder(pieces).flat();
  const graph = numbered(pieces, order);
  return (workers) => scheduleOf(graph, order, workers);
}

/** Pieces by their place in an order in which inputs come first: numbers are quicker than names. */
interface NumberedGraph {
  readonly weights: readonly number[];
  readonly followers: readonly (readonly number[])[];
  readonly inputCounts: readonly number[];
  /** Weight of the heaviest chain that begins with a piece. */
  readonly ranks: readonly number[];
  /** Its place among all ids by code points. */
  readonly places: readonly number[];
}

function numbered(pieces: readonly GraphPiece[], order: readonly string[]): NumberedGraph {
  const numbers = new Map(order.map((id, number) => [id, number]));
  const weights = order.map(() => 0);
  const followers: number[][] = order.map(() => []);
  const inputCounts = order.map(() => 0);
  for (const { id, weight, dependsOn } of pieces) {
    const number = numbers.get(id) ?? 0;
    const inputs = new Set(dependsOn);
    weights[number] = weight;
    inputCounts[number] = inputs.size;
    for (const input of inputs) followers[numbers.get(input) ?? 0]?.push(number);
  }
  const ranks = order.map(() => 0);
  for (let number = order.length - 1; number >= 0; number -= 1) {
    const behind = (followers[number] ?? []).map((follower) => ranks[follower] ?? 0);
    ranks[number] = (weights[number] ?? 0) + Math.max(0, ...behind);
  }
  const places = order.map(() => 0);
  for (const [place, id] of [...order].sort(byCodePoint).entries()) places[numbers.get(id) ?? 0] = place;
  return { weights, followers, inputCounts, ranks, places };
}

function scheduleOf(graph: NumberedGraph, order: readonly string[], workers: number): Schedule {
  const { weights, followers, ranks, places } = graph;
  const open = [...graph.inputCounts];
  const readyAt = order.map(() => 0);
  const waiting = new Heap<number>((a, b) => (readyAt[a] ?? 0) - (readyAt[b] ?? 0));
  const ready = new Heap<number>(
    (a, b) => (ranks[b] ?? 0) - (ranks[a] ?? 0) || (places[a] ?? 0) - (places[b] ?? 0),
  );
  for (const [number, count] of open.entries()) if (count === 0) waiting.push(number);
  const freeAt = Array.from({ length: Math.max(1, workers) }, () => 0);
  const scheduled: ScheduledPiece[] = [];
  let now = 0;
  let makespan = 0;
  while (scheduled.length < order.length) {
    const worker = earliest(freeAt);
    const soonest = waiting.peek();
    const idleUntil = ready.peek() === undefined && soonest !== undefined ? (readyAt[soonest] ?? 0) : 0;
    now = Math.max(now, freeAt[worker] ?? 0, idleUntil);
    for (
      let next = waiting.peek();
      next !== undefined && (readyAt[next] ?? 0) <= now;
      next = waiting.peek()
    ) {
      ready.push(next);
      waiting.pop();
    }
    const next = ready.pop();
    if (next === undefined) break;
    const end = now + (weights[next] ?? 0);
    scheduled.push({ id: order[next] ?? "", worker, start: now, end });
    freeAt[worker] = end;
    makespan = Math.max(makespan, end);
    for (const follower of followers[next] ?? []) {
      readyAt[follower] = Math.max(readyAt[follower] ?? 0, end);
      const left = (open[follower] ?? 0) - 1;
      open[follower] = left;
      if (left === 0) waiting.push(follower);
    }
  }
  return { pieces: scheduled, makespan };
}

function earliest(freeAt: readonly number[]): number {
  let found = 0;
  for (let worker = 1; worker < freeAt.length; worker += 1) {
    if ((freeAt[worker] ?? 0) < (freeAt[found] ?? 0)) found = worker;
  }
  return found;
}
