import type { HeadBelief } from "../learn/fit/head-belief.ts";
import { logisticNormalMean } from "../learn/kernels/quadrature.ts";
import { beliefOf } from "../learn/ranges/effect.ts";
import type { Term } from "../learn/rows/terms.ts";

/** The mean chance that a head believes a row to have. */
export function believedChance(head: HeadBelief, terms: readonly Term[]): number {
  const { mean, range } = beliefOf(head, terms);
  const sd = (range.hi - range.lo) / (2 * 1.2815515655);
  return logisticNormalMean(mean, sd * sd);
}

/** What a foretold chance loses against the true one, in nats a run. */
export function natsLost(chance: number, prob: number): number {
  return chance * Math.log(chance / prob) + (1 - chance) * Math.log((1 - chance) / (1 - prob));
}
