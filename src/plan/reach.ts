import type { Belief } from "../learn/index.ts";
import { normalCdf } from "../learn/kernels/normal.ts";
import { at } from "../learn/kernels/vector.ts";
import { transformScore } from "../learn/rows/head-rows.ts";

export interface ScoreTarget {
  readonly name: string;
  readonly target: number;
  readonly better: "higher" | "lower";
}

type ScoreBelief = NonNullable<ReturnType<Belief["scores"]["get"]>>;

/**
 * The chance in each draw that one run's score reaches its target, with the noise of a run around its expectation. A
 * target that the score's scale cannot hold, such as 0 on a log scale, is below every score.
 */
export function reachProb(
  expected: Float64Array,
  { sigma, omega }: { readonly sigma: Float64Array; readonly omega: Float64Array },
  { scale, center, spread }: Pick<ScoreBelief, "scale" | "center" | "spread">,
  { target, better }: ScoreTarget,
): Float64Array {
  const goal = transformScore(target, scale);
  const line = goal === undefined ? Number.NEGATIVE_INFINITY : (goal - center) / spread;
  return expected.map((score, d) => {
    const above = normalCdf((score - line) / Math.hypot(at(sigma, d), at(omega, d)));
    return better === "higher" ? above : 1 - above;
  });
}
