import { betaQuantile, studentCdf } from "../../learn/kernels/beta.ts";
import { at } from "../../learn/kernels/vector.ts";

/** Beliefs needed to adopt a cheaper way, and to give up a dearer one. */
export const CPAR_ADOPT = 0.99;
export const CPAR_REJECT = 0.95;
export const CPAR_MIN_PAIRS = 4;

const POINTS = 64;
/** What is thought of ln(candidate's cost / base's) before the pairs. */
const PRIOR = { weight: 0.5, shape: 2, rate: 0.6 };

export interface CostPairs {
  /** ln of the candidate's cost over the base's, by pair. */
  readonly logRatios: readonly number[];
  readonly baseAccepted: number;
  readonly candidateAccepted: number;
}

/**
 * The chance that the candidate's cost per accepted result is at most `1 - floor` of the base's: Student's belief
 * about the cost ratio against two independent beta beliefs about the chances, by quadrature.
 */
export function cheaperProb(
  { logRatios, baseAccepted, candidateAccepted }: CostPairs,
  floor: number,
): number {
  const n = logRatios.length;
  const mean = logRatios.reduce((sum, value) => sum + value, 0) / Math.max(1, n);
  const squares = logRatios.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const weight = PRIOR.weight + n;
  const center = (n * mean) / weight;
  const shape = PRIOR.shape + n / 2;
  const rate = PRIOR.rate + 0.5 * squares + (0.5 * PRIOR.weight * n * mean * mean) / weight;
  const scale = Math.sqrt(rate / (shape * weight));
  const base = logQuantiles(baseAccepted, n);
  const candidate = logQuantiles(candidateAccepted, n);
  const limit = Math.log(1 - floor);
  let sum = 0;
  for (let i = 0; i < POINTS; i += 1) {
    for (let j = 0; j < POINTS; j += 1) {
      const bound = limit + at(candidate, j) - at(base, i);
      sum += studentCdf((bound - center) / scale, 2 * shape);
    }
  }
  return sum / (POINTS * POINTS);
}

const known = new Map<string, Float64Array>();

function logQuantiles(accepted: number, n: number): Float64Array {
  const key = `${accepted}/${n}`;
  const found = known.get(key) ?? computeQuantiles(accepted, n);
  known.set(key, found);
  return found;
}

function computeQuantiles(accepted: number, n: number): Float64Array {
  return Float64Array.from({ length: POINTS }, (_, i) =>
    Math.log(betaQuantile((i + 0.5) / POINTS, 1 + accepted, 1 + n - accepted)),
  );
}
