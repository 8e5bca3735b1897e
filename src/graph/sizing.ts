import { byCodePoint } from "../core/canonical-json.ts";
import { assertNever, ok, type Result } from "../core/result.ts";
import { type GraphPiece, mustOrder, sharesFolder, waves } from "./order.ts";
import { prepareSchedule, type Schedule } from "./schedule.ts";

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
export function criticalPath(
  pieces: readonly GraphPiece[],
  order: readonly string[] = mustOrder(pieces).flat(),
): CriticalPath {
  const byId = new Map(pieces.map((piece) => [piece.id, piece]));
  const best = new Map<string, { readonly cost: number; readonly before: string | undefined }>();
  for (const id of order) {
    let before: string | undefined;
    let cost = 0;
    for (const dependency of byId.get(id)?.dependsOn ?? []) {
      const chain = best.get(dependency)?.cost ?? 0;
      if (chain > cost) [cost, before] = [chain, dependency];
    }
    best.set(id, { cost: cost + (byId.get(id)?.weight ?? 0), before });
  }
  let end: string | undefined;
  for (const [id, { cost }] of best) {
    const most = end === undefined ? undefined : best.get(end)?.cost;
    if (end === undefined || most === undefined || cost > most || (cost === most && byCodePoint(id, end) > 0))
      end = id;
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

/**
 * Workers worth starting by what the schedule really gains; `speedups[n - 1]` is that of n. The whole curve counts: a
 * step that gains nothing does not hide a later one that does, and a gain is a share of what there is, per worker added.
 */
export function scheduledWorkerCount(speedups: readonly number[], minGain: number): number {
  let workers = 1;
  for (let more = 2; more <= speedups.length; more += 1) {
    const gain = (speedups[more - 1] ?? 0) / (speedups[workers - 1] ?? 1) - 1;
    if (gain > 0 && gain / (more - workers) >= minGain) workers = more;
  }
  return workers;
}

export interface GraphPlan {
  readonly waves: readonly (readonly string[])[];
  readonly critical: CriticalPath;
  readonly totalCost: number;
  readonly parallelFraction: number;
  /** By Amdahl's estimate, as other planners choose. */
  readonly workers: number;
  /** Amdahl's estimate for that many workers, and its ceiling. */
  readonly predictedSpeedup: number;
  readonly speedupCeiling: number;
  /** Speedup of the schedule that the graph allows on that many workers, with every piece in a place of its own. */
  readonly scheduledSpeedup: number;
  /** By that schedule's own curve: what the engine starts. */
  readonly scheduledWorkers: number;
  /** Speedup of the schedule on 1, 2, ... workers, as far as more can help; turns in the shared folder count. */
  readonly curve: readonly number[];
}

/** Everything a person is shown about a graph before it runs. Problems: `unknown-piece`, `graph-cycle`. */
export function planGraph(
  pieces: readonly GraphPiece[],
  concurrency: Concurrency = DEFAULT_CONCURRENCY,
): Result<GraphPlan> {
  const order = waves(pieces);
  if (!order.ok) return order;
  const sequence = order.value.flat();
  const critical = criticalPath(pieces, sequence);
  const totalCost = pieces.reduce((sum, { weight }) => sum + weight, 0);
  const p = parallelFraction(totalCost, critical.cost);
  const widest = Math.max(0, ...order.value.map((wave) => wave.length));
  const workers = workerCount(concurrency, p, widest);
  const schedule = prepareSchedule(pieces, sequence);
  const speedup = (count: number) => speedupOf(totalCost, schedule(count));
  const most = Math.min(Math.max(1, pieces.length), mostWorkers(concurrency));
  const curve = [speedup(1)];
  // Beyond the ceiling no worker helps: the heaviest chain, and those who take turns in the one folder.
  const turns = pieces.reduce((sum, piece) => sum + (sharesFolder(piece) ? piece.weight : 0), 0);
  const ceiling = totalCost / Math.max(critical.cost, turns);
  while (curve.length < most && (curve.at(-1) ?? 1) < ceiling) {
    curve.push(speedup(curve.length + 1));
  }
  const minGain = concurrency.mode === "auto" ? concurrency.minMarginalGain : 0;
  return ok({
    waves: order.value,
    critical,
    totalCost,
    parallelFraction: p,
    workers,
    predictedSpeedup: amdahl(p, workers),
    speedupCeiling: speedupCeiling(p),
    scheduledSpeedup: speedupOf(totalCost, prepareSchedule(pieces.map(apart), sequence)(workers)),
    scheduledWorkers: scheduledWorkerCount(curve, minGain),
    curve,
  });
}

function speedupOf(totalCost: number, { makespan }: Schedule): number {
  return makespan === 0 ? 1 : totalCost / makespan;
}

function apart({ id, weight, dependsOn }: GraphPiece): GraphPiece {
  return { id, weight, dependsOn };
}

/** Nobody reads a curve of more, and every point is a schedule. */
const MAX_CURVE = 64;

function mostWorkers(concurrency: Concurrency): number {
  switch (concurrency.mode) {
    case "sequential":
      return 1;
    case "fixed":
      return Math.min(MAX_CURVE, Math.max(1, concurrency.maxParallel));
    case "auto":
      return Math.min(MAX_CURVE, Math.max(1, concurrency.cap));
    default:
      return assertNever(concurrency);
  }
}
