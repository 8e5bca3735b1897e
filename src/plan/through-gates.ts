import type { GateFacts } from "../learn/index.ts";
import { logistic } from "../learn/kernels/normal.ts";
import { at } from "../learn/kernels/vector.ts";
import { DISTINCT_ROUNDS } from "./amounts.ts";
import { type Flow, type LoopReach, walkLoop } from "./flow.ts";

export type Passes = readonly (readonly (readonly Float64Array[])[])[];

/** Chances to pass by loop, gate and distinct round. */
export function passesOf(flow: Flow, gates: ReadonlyMap<GateFacts, readonly Float64Array[]>): Passes {
  return flow.loops.map((loop) => loop.gates.map((gate) => gates.get(gate) ?? []));
}

export function walkAll(rooms: readonly LoopReach[], passes: Passes, d: number): void {
  for (const [l, room] of rooms.entries()) {
    walkLoop(room, (gate, round) => at(passes[l]?.[gate]?.[Math.min(round, DISTINCT_ROUNDS) - 1] ?? [], d));
  }
}

export function expectedRounds(loops: readonly LoopReach[]): number {
  let most = 1;
  for (const { rounds } of loops) {
    let sum = 0;
    for (const chance of rounds) sum += chance;
    most = Math.max(most, sum);
  }
  return most;
}

/** Acceptance by how the run ends: with its gates passed in some round, or with its rounds used up. */
export function successThroughGates(
  loops: readonly LoopReach[],
  eta: number,
  later: number,
  exhausted: number,
  rounds: number,
): number {
  const [loop, ...others] = loops;
  if (loop === undefined) return logistic(eta);
  const rest = others.reduce((product, other) => product * (1 - other.exhausted), 1);
  let sum = 0;
  loop.ends.forEach((chance, k) => {
    sum += chance * rest * logistic(eta + later * Math.log2(k + 1));
  });
  const lost = 1 - (1 - loop.exhausted) * rest;
  return sum + lost * logistic(eta + later * Math.log2(rounds) + exhausted);
}
