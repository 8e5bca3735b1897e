import { at } from "../learn/kernels/vector.ts";
import type { Candidate } from "./candidates.ts";
import type { Outline, Prediction } from "./predict.ts";
import { mean, summarize } from "./summary.ts";

/** A wider range of belief than this is no statement about a chance. */
export const KNOWN_WIDTH = 0.5;

/** A candidate by its means. */
export interface Sketch {
  readonly candidate: Candidate;
  readonly successMean: number;
  readonly costMean: number;
  /** What a run and putting its misses right cost. */
  readonly lossMean: number;
}

/** A candidate as it is compared, draw by draw. */
export interface Standing extends Sketch {
  readonly prediction: Prediction;
  readonly success: Float64Array;
  readonly costUsd: Float64Array;
  readonly loss: Float64Array;
  readonly isChanceKnown: boolean;
}

/** Ids are worked out when asked for: nobody asks without a configuration to look for. */
export function find<T extends { readonly candidate: Candidate }>(
  list: readonly T[],
  id: string | undefined,
): T | undefined {
  return id === undefined ? undefined : list.find(({ candidate }) => candidate.id === id);
}

/** @param success chance by draw that counts: of an accepted result, or of a score that reaches its target */
export function sketchOf(
  candidate: Candidate,
  { costUsd }: Outline,
  rescueUsd: number,
  success: Float64Array,
): Sketch {
  return {
    candidate,
    successMean: mean(success),
    costMean: mean(costUsd),
    lossMean: mean(lossOf(success, costUsd, rescueUsd)),
  };
}

/** @param success see `sketchOf` */
export function standingOf(
  candidate: Candidate,
  prediction: Prediction,
  rescueUsd: number,
  success = prediction.success,
): Standing {
  const { costUsd } = prediction;
  const range = summarize(success);
  return {
    ...sketchOf(candidate, prediction, rescueUsd, success),
    prediction,
    success,
    costUsd,
    loss: lossOf(success, costUsd, rescueUsd),
    isChanceKnown: range.hi - range.lo < KNOWN_WIDTH,
  };
}

function lossOf(success: Float64Array, costUsd: Float64Array, rescueUsd: number): Float64Array {
  const loss = costUsd.slice();
  for (let d = 0; d < loss.length; d += 1) loss[d] = at(loss, d) + (1 - at(success, d)) * rescueUsd;
  return loss;
}
