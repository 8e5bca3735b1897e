import { at } from "../learn/kernels/vector.ts";

/** What a miss costs to put right, and how often the rescue gets there. */
export interface Rescue {
  readonly usd: number;
  readonly acceptedProb: number;
}

/** The chance of each further try after misses, as a share of the first one's: each try has half, then 0.6 of the last. */
const DECAY = { first: 0.5, later: 0.6 };

/**
 * Retrying a workflow after a miss, `attempts` runs in all: the expected dollars per miss that is put right. Draws
 * of chance and cost belong together. Without any chance the price is infinite.
 */
export function retryRescue(
  success: Float64Array,
  costUsd: Float64Array,
  attempts = 3,
  decay: { readonly first: number; readonly later: number } = DECAY,
): Rescue {
  let spend = 0;
  let solved = 0;
  for (let d = 0; d < success.length; d += 1) {
    let open = 1;
    let share = decay.first;
    for (let j = 1; j < attempts; j += 1) {
      spend += open * at(costUsd, d);
      open *= 1 - at(success, d) * share;
      share *= decay.later;
    }
    solved += 1 - open;
  }
  if (attempts <= 1) return { usd: 0, acceptedProb: 0 };
  return { usd: spend / solved, acceptedProb: solved / success.length };
}
