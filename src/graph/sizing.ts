import { byCodePoint } from "../core/canonical-json.ts";
import { assertNever, ok, type Result } from "../core/result.ts";
import { type GraphPiece, mustOrder, waves } from "./order.ts";
import { listSchedule } from "./schedule.ts";

/** How many pieces may run at a time. */
export type Concurrency =
  | { readonly mode: "sequential" }
  | { readonly mode: "fixed"; readonly maxParallel: number }
  /** One more worker as long as it adds at least `minMarginalGain` to the speedup. */
  | { readonly mode: "auto"; readonly cap: number; readonly minMarginalGain: number };
export const DEFAULT_CONCURRENCY: Concurrency = { mode: "auto", cap: 16, minMarginalGain: 0.05 };

export interface CriticalPath {
  readonly pieces: readonly string[];
  /** Sum of their weights: no schedule is shorter. */
  readonly cost: number;
}

/**
 * The heaviest chain. Of equal predecessors the first in `dependsOn` counts, of equal ends the last by code
 * points. The graph must have an order.
 */
export function criticalPath(pieces: readonly GraphPiece[]): CriticalPath {
  const byId = new Map(pieces.map((piece) => [piece.id, piece]));
  const best = new Map<string, { readonly cost: number; readonly before: string | undefined }>();
  for (const id of mustOrder(pieces).flat()) {
    let before: string | undefined;
    let cost = 0;
    for (const dependency of byId.get(id)?.dependsOn ?? []) {
      const chain = best.get(dependency)?.cost ?? 0;
      if (chain > cost) [cost, before] = [chain, dependency];
    }
    best.set(id, { cost: cost + (byId.get(id)?.weight ?? 0), before });
  }
  let end: string | undefined;
  for (const id of [...best.keys()].sort(byCodePoint)) {
    if (end === undefined || (best.get(id)?.cost ?? 0) >= (best.get(end)?.cost ?? 0)) end = id;
  }
  const chain: string[] = [];
  for (let id = end; id !== undefined; id = best.get(id)?.before) chain.unshift(id);
  return { pieces: chain, cost: end === undefined ? 0 : (best.get(end)?.cost ?? 0) };
}

/**
 * The share of the work that can run beside other work: 1 - critical / total, within [0, 1]; 0 without work.
 */
export function parallelFraction(totalCost: number, criticalCost: number): number {
  if (totalCost <= 0) return 0;
  return Math.min(1, Math.max(0, (totalCost - criticalCost) / totalCost));
}

/**
 * Speedup on n workers, 1 / ((1-p) + p/n); 0 for none. Amdahl 1967, "Validity of the single processor
 * approach".
 */
export function amdahl(p: number, workers: number): number {
  return workers <= 0 ? 0 : 1 / (1 - p + p / workers);
}

/** Speedup on any number of workers, 1 / (1-p). */
export function speedupCeiling(p: number): number {
  return 1 / (1 - p);
}

/** Workers worth starting: never more than the widest wave has pieces. */
export function workerCount(concurrency: Concurrency, p: number, widest: number): number {
  const most = Math.max(1, widest);
  switch (concurrency.mode) {
    case "sequential":
      return 1;
    case "fixed":
      return Math.min(Math.max(1, concurrency.maxParallel), most);
    case "auto": {
      const limit = Math.min(most, Math.max(1, concurrency.cap));
      let workers = 1;
      while (workers < limit && amdahl(p, workers + 1) - amdahl(p, workers) >= concurrency.minMarginalGain) {
        workers += 1;
      }
      return workers;
    }
    default:
      return assertNever(concurrency);
  }
}

export interface GraphPlan {
  readonly waves: readonly (readonly string[])[];
  readonly critical: CriticalPath;
  readonly totalCost: number;
  readonly parallelFraction: number;
  readonly workers: number;
  /** Amdahl's estimate for that many workers, and its ceiling. */
  readonly predictedSpeedup: number;
  readonly speedupCeiling: number;
  /** Speedup of the schedule that the graph really allows on that many workers. */
  readonly scheduledSpeedup: number;
}

/** Everything a person is shown about a graph before it runs. Problems: `unknown-piece`, `graph-cycle`. */
export function planGraph(
  pieces: readonly GraphPiece[],
  concurrency: Concurrency = DEFAULT_CONCURRENCY,
): Result<GraphPlan> {
  const order = waves(pieces);
  if (!order.ok) return order;
  const critical = criticalPath(pieces);
  const totalCost = pieces.reduce((sum, { weight }) => sum + weight, 0);
  const p = parallelFraction(totalCost, critical.cost);
  const widest = Math.max(0, ...order.value.map((wave) => wave.length));
  const workers = workerCount(concurrency, p, widest);
  const { makespan } = listSchedule(pieces, workers);
  return ok({
    waves: order.value,
    critical,
    totalCost,
    parallelFraction: p,
    workers,
    predictedSpeedup: amdahl(p, workers),
    speedupCeiling: speedupCeiling(p),
    scheduledSpeedup: makespan === 0 ? 1 : totalCost / makespan,
  });
}
