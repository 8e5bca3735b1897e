import { logistic, logit } from "../learn/kernels/normal.ts";
import { clip } from "../learn/kernels/vector.ts";

/** A line that chances are moved along, in logits: `alpha + beta x`. */
export interface Recalibration {
  readonly alpha: number;
  readonly beta: number;
  /** Forecasts that it was found from. */
  readonly runs: number;
}

/** A chance as it was foretold before its run, uncorrected, and what came. */
export interface Foreseen {
  readonly prob: number;
  readonly isAccepted: boolean;
}

type Line = Pick<Recalibration, "alpha" | "beta">;

export const LATEST_FORESEEN = 500;
export const FEWEST_FORESEEN = 100;
const STEP = 10;
/** Prior spreads of `alpha` and of ln `beta` around no correction. */
const SPREAD = { alpha: 0.3, lnBeta: 0.2 };

/**
 * How forecasts of the latest 500 runs, in order of time, are best corrected. Undefined below 100 of them, and while the
 * correction would not have paid: over the last 100, each corrected by those before it, the log score must have gained
 * more than two standard errors.
 */
export function recalibrationOf(seen: readonly Foreseen[]): Recalibration | undefined {
  const latest = seen.slice(-LATEST_FORESEEN);
  if (latest.length < FEWEST_FORESEEN || !hasHelped(latest)) return undefined;
  return { ...lineOf(latest), runs: latest.length };
}

export function recalibrated(prob: number, { alpha, beta }: Line): number {
  return logistic(alpha + beta * logitOf(prob));
}

function logitOf(prob: number): number {
  return logit(clip(prob, 1e-6, 1 - 1e-6));
}

function hasHelped(seen: readonly Foreseen[]): boolean {
  const gains: number[] = [];
  for (let start = seen.length - FEWEST_FORESEEN; start < seen.length; start += STEP) {
    const line = lineOf(seen.slice(0, start));
    for (const one of seen.slice(start, start + STEP)) {
      gains.push(logScore(one, recalibrated(one.prob, line)) - logScore(one, one.prob));
    }
  }
  const mean = gains.reduce((sum, gain) => sum + gain, 0) / gains.length;
  const variance = gains.reduce((sum, gain) => sum + (gain - mean) ** 2, 0) / (gains.length - 1);
  return mean > 2 * Math.sqrt(variance / gains.length);
}

function logScore({ isAccepted }: Foreseen, prob: number): number {
  const held = clip(prob, 1e-6, 1 - 1e-6);
  return Math.log(isAccepted ? held : 1 - held);
}

/** The mode of the line given what came, by Fisher's scoring; no correction without data. */
function lineOf(seen: readonly Foreseen[]): Line {
  const points = seen.map(({ prob, isAccepted }) => ({ x: logitOf(prob), z: Number(isAccepted) }));
  let [alpha, lnBeta] = [0, 0];
  for (let round = 0; round < 50; round += 1) {
    const beta = Math.exp(lnBeta);
    let [ga, gb] = [-alpha / SPREAD.alpha ** 2, -lnBeta / SPREAD.lnBeta ** 2];
    let [haa, hab, hbb] = [1 / SPREAD.alpha ** 2, 0, 1 / SPREAD.lnBeta ** 2];
    for (const { x, z } of points) {
      const p = logistic(alpha + beta * x);
      const [w, slope] = [p * (1 - p), beta * x];
      ga += z - p;
      gb += (z - p) * slope;
      haa += w;
      hab += w * slope;
      hbb += w * slope * slope;
    }
    const determinant = haa * hbb - hab * hab;
    const da = clip((hbb * ga - hab * gb) / determinant, -0.5, 0.5);
    const db = clip((haa * gb - hab * ga) / determinant, -0.5, 0.5);
    alpha += da;
    lnBeta += db;
    if (Math.abs(da) + Math.abs(db) < 1e-9) break;
  }
  return { alpha, beta: Math.exp(lnBeta) };
}
