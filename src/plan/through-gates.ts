import type { GateFacts } from "../learn/index.ts";
import { logistic } from "../learn/kernels/normal.ts";
import { type Flow, type LoopReach, walkLoop } from "./flow.ts";

/** Chances to pass by distinct round. */
export type GateChances = ReadonlyMap<GateFacts, readonly Float64Array[]>;

export function walkAll(flow: Flow, rounds: number, gates: GateChances, draws: number): readonly LoopReach[] {
  return flow.loops.map((loop) => {
    const passes = loop.gates.map((gate) => gates.get(gate) ?? []);
    return walkLoop(loop, rounds, passes, draws);
  });
}

/** The rounds of the loop that is expected to take most, draw by draw. */
export function expectedRounds(loops: readonly LoopReach[], draws: number): Float64Array {
  const most = new Float64Array(draws).fill(1);
  for (const { reach } of loops) {
    const sum = new Float64Array(draws);
    for (const [starts] of reach) {
      if (starts === undefined) continue;
      for (let d = 0; d < draws; d += 1) sum[d] = (sum[d] ?? 0) + (starts[d] ?? 0);
    }
    for (let d = 0; d < draws; d += 1) most[d] = Math.max(most[d] ?? 0, sum[d] ?? 0);
  }
  return most;
}

/** The predictor of acceptance, and what the end of a run adds to it. */
export interface EndEffects {
  readonly eta: Float64Array;
  /** Per doubling of the rounds. */
  readonly later: Float64Array;
  readonly exhausted: Float64Array;
}

/** Acceptance by how the run ends: with its gates passed in some round, or with its rounds used up. */
export function successThroughGates(
  loops: readonly LoopReach[],
  { eta, later, exhausted }: EndEffects,
  rounds: number,
): Float64Array {
  const [loop, ...others] = loops;
  if (loop === undefined) return eta.map(logistic);
  const draws = eta.length;
  const rest = new Float64Array(draws).fill(1);
  for (const other of others) {
    for (let d = 0; d < draws; d += 1) rest[d] = (rest[d] ?? 0) * (1 - (other.exhausted[d] ?? 0));
  }
  const sum = new Float64Array(draws);
  for (const [k, reach] of loop.reach.entries()) {
    const ends = reach.at(-1) ?? rest;
    const doublings = Math.log2(k + 1);
    for (let d = 0; d < draws; d += 1) {
      const chance = logistic((eta[d] ?? 0) + (later[d] ?? 0) * doublings);
      sum[d] = (sum[d] ?? 0) + (ends[d] ?? 0) * (rest[d] ?? 0) * chance;
    }
  }
  const doublings = Math.log2(rounds);
  for (let d = 0; d < draws; d += 1) {
    const lost = 1 - (1 - (loop.exhausted[d] ?? 0)) * (rest[d] ?? 0);
    const chance = logistic((eta[d] ?? 0) + (later[d] ?? 0) * doublings + (exhausted[d] ?? 0));
    sum[d] = (sum[d] ?? 0) + lost * chance;
  }
  return sum;
}
