import { at } from "../learn/kernels/vector.ts";

/** A candidate's draws of chance and expected dollars. */
export interface Standing {
  readonly success: Float64Array;
  readonly costUsd: Float64Array;
  readonly successMean: number;
  readonly costMean: number;
}

/** Indices of the candidates that no other beats on both chance and cost, by their means, cheapest first. */
export function frontOf(standings: readonly Standing[]): readonly number[] {
  const order = standings
    .map((standing, index) => ({ standing, index }))
    .sort(
      (a, b) => a.standing.costMean - b.standing.costMean || b.standing.successMean - a.standing.successMean,
    );
  const front: number[] = [];
  let best = Number.NEGATIVE_INFINITY;
  for (const { standing, index } of order) {
    if (standing.successMean <= best) continue;
    best = standing.successMean;
    front.push(index);
  }
  return front;
}

const CHANCE_MARGIN = 0.005;
const COST_MARGIN = 0.01;

/** The share of draws in which no other candidate beats this one by more than a margin. */
export function frontProb(standings: readonly Standing[], index: number): number {
  const own = standings[index];
  if (own === undefined) return 0;
  const count = own.success.length;
  let kept = 0;
  for (let d = 0; d < count; d += 1) {
    const chance = at(own.success, d) + CHANCE_MARGIN;
    const cost = at(own.costUsd, d) * (1 - COST_MARGIN);
    const isBeaten = standings.some(
      (other, i) => i !== index && at(other.success, d) > chance && at(other.costUsd, d) < cost,
    );
    if (!isBeaten) kept += 1;
  }
  return count === 0 ? 0 : kept / count;
}
