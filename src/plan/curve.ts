import { at } from "../learn/kernels/vector.ts";

/** A candidate's mean chance and expected dollars. */
interface Means {
  readonly successMean: number;
  readonly costMean: number;
}

/** The same, draw by draw. */
interface Draws {
  readonly success: Float64Array;
  readonly costUsd: Float64Array;
}

/** Indices of the candidates that no other beats on both chance and cost, by their means, cheapest first. */
export function frontOf(standings: readonly Means[]): readonly number[] {
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
export function frontProb(standings: readonly Draws[], index: number): number {
  const own = standings[index];
  if (own === undefined) return 0;
  const count = own.success.length;
  const unbeaten = Int32Array.from({ length: count }, (_, d) => d);
  let kept = count;
  for (const other of standings) {
    if (other !== own) kept = keepUnbeaten(unbeaten, kept, own, other);
  }
  return count === 0 ? 0 : kept / count;
}

/** Keeps the draws in which the other does not beat it, in front; gives how many. */
function keepUnbeaten(draws: Int32Array, count: number, own: Draws, other: Draws): number {
  let kept = 0;
  for (let i = 0; i < count; i += 1) {
    const d = at(draws, i);
    const isLikelier = at(other.success, d) > at(own.success, d) + CHANCE_MARGIN;
    if (isLikelier && at(other.costUsd, d) < at(own.costUsd, d) * (1 - COST_MARGIN)) continue;
    draws[kept] = d;
    kept += 1;
  }
  return kept;
}
