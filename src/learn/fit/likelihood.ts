import { logistic } from "../kernels/normal.ts";
import { clip } from "../kernels/vector.ts";

/** Log likelihood of counted answers and its derivatives in the predictor. */
export interface Answers {
  readonly value: number;
  readonly first: number;
  readonly second: number;
  readonly third: number;
  /** Expected information, always positive. */
  readonly weight: number;
}

/**
 * `yes` of `trials` answers, each right with chance q: `P(yes) = (1-q) + (2q-1) σ(η)`. With q = 1 this is the
 * logistic likelihood.
 */
export function answers(eta: number, yes: number, trials: number, q: number): Answers {
  const s = logistic(eta);
  const a = 2 * q - 1;
  const pi = clip(1 - q + a * s, 1e-12, 1 - 1e-12);
  const d1 = a * s * (1 - s);
  const d2 = d1 * (1 - 2 * s);
  const d3 = d1 * (1 - 6 * s * (1 - s));
  const no = trials - yes;
  const up = logDerivatives(pi, d1, d2, d3);
  const down = logDerivatives(1 - pi, -d1, -d2, -d3);
  return {
    value: yes * Math.log(pi) + no * Math.log(1 - pi),
    first: yes * up[0] + no * down[0],
    second: yes * up[1] + no * down[1],
    third: yes * up[2] + no * down[2],
    weight: (trials * d1 * d1) / (pi * (1 - pi)),
  };
}

function logDerivatives(f: number, f1: number, f2: number, f3: number): readonly [number, number, number] {
  const r1 = f1 / f;
  const r2 = f2 / f;
  return [r1, r2 - r1 * r1, f3 / f - 3 * r1 * r2 + 2 * r1 * r1 * r1];
}
