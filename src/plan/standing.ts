import { at } from "../learn/kernels/vector.ts";
import type { Candidate } from "./candidates.ts";
import type { Prediction } from "./predict.ts";
import { mean, summarize } from "./summary.ts";

/** A wider range of belief than this is no statement about a chance. */
export const KNOWN_WIDTH = 0.5;

/** A candidate as it is compared: with what a run and putting its misses right cost, draw by draw. */
export interface Standing {
  readonly candidate: Candidate;
  readonly prediction: Prediction;
  readonly success: Float64Array;
  readonly costUsd: Float64Array;
  readonly successMean: number;
  readonly costMean: number;
  readonly loss: Float64Array;
  readonly lossMean: number;
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
export function standingOf(
  candidate: Candidate,
  prediction: Prediction,
  rescueUsd: number,
  success = prediction.success,
): Standing {
  const { costUsd } = prediction;
  const loss = costUsd.map((usd, d) => usd + (1 - at(success, d)) * rescueUsd);
  const range = summarize(success);
  return {
    candidate,
    prediction,
    success,
    costUsd,
    successMean: mean(success),
    costMean: mean(costUsd),
    loss,
    lossMean: mean(loss),
    isChanceKnown: range.hi - range.lo < KNOWN_WIDTH,
  };
}
