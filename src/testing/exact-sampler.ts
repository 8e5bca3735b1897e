import { factorize, solveLower, solveUpper } from "../learn/kernels/cholesky.ts";
import { logistic, normalCdf } from "../learn/kernels/normal.ts";
import { at } from "../learn/kernels/vector.ts";
import type { BinaryRow } from "../learn/rows/head-rows.ts";
import { groupOf } from "../learn/rows/terms.ts";
import type { Numbers } from "./learner-lab.ts";

/** Spreads of effects: of some known, of the others drawn with a half-t(3, 0.5) prior by group. */
export interface SamplerPrior {
  mean(id: string): number;
  /** Undefined where the group's scale is to be found. */
  sd(id: string): number | undefined;
}

export interface Sampled {
  readonly ids: readonly string[];
  /** One vector of effects a sweep that is kept. */
  readonly effects: readonly Float64Array[];
}

/** Draws from the exact posterior of a logistic head, with Polya-Gamma numbers (Polson et al., 2013). */
export function sampleEffects(
  rows: readonly BinaryRow[],
  prior: SamplerPrior,
  sweeps: { readonly all: number; readonly dropped: number },
  numbers: Numbers,
): Sampled {
  const ids = [...new Set(rows.flatMap(({ terms }) => terms.map(([id]) => id)))].sort();
  const place = new Map(ids.map((id, j) => [id, j] as const));
  const sparse = rows.map(({ terms }) => terms.map(([id, value]) => [place.get(id) ?? 0, value] as const));
  const n = ids.length;
  const means = ids.map((id) => prior.mean(id));
  const groups = [...new Set(ids.filter((id) => prior.sd(id) === undefined).map(groupOf))];
  const scales = new Map(groups.map((group) => [group, { variance: 0.25, shape: 1 }]));
  const effects: Float64Array[] = [];
  let b: Float64Array = Float64Array.from(means);
  for (let sweep = 0; sweep < sweeps.all; sweep += 1) {
    const precision = new Float64Array(n * n);
    const shift = new Float64Array(n);
    ids.forEach((id, j) => {
      const sd = prior.sd(id);
      const variance = sd === undefined ? (scales.get(groupOf(id))?.variance ?? 0.25) : sd * sd;
      precision[j * n + j] = 1 / variance;
      shift[j] = at(means, j) / variance;
    });
    sparse.forEach((row, i) => {
      const eta = row.reduce((sum, [j, value]) => sum + value * at(b, j), 0);
      const weight = polyaGamma(eta, numbers);
      const half = rows[i]?.isYes === true ? 0.5 : -0.5;
      for (const [j, value] of row) {
        shift[j] = at(shift, j) + half * value;
        for (const [k, other] of row) {
          precision[j * n + k] = at(precision, j * n + k) + weight * value * other;
        }
      }
    });
    b = drawn(precision, shift, n, numbers);
    for (const [group, scale] of scales) drawScale(scale, group, ids, b, means, numbers);
    if (sweep >= sweeps.dropped) effects.push(b.slice());
  }
  return { ids, effects };
}

function drawn(precision: Float64Array, shift: Float64Array, n: number, numbers: Numbers): Float64Array {
  const factor = factorize(precision, n);
  if (factor === undefined) throw new RangeError("a precision that is not positive definite");
  const half = solveLower(factor, shift);
  return solveUpper(
    factor,
    half.map((value) => value + numbers.normal()),
  );
}

/** Half-t with 3 degrees of freedom as a mixture of inverse gammas. */
function drawScale(
  scale: { variance: number; shape: number },
  group: string,
  ids: readonly string[],
  b: Float64Array,
  means: readonly number[],
  numbers: Numbers,
): void {
  const own = [...ids.keys()].filter((j) => groupOf(ids[j] ?? "") === group);
  const squares = own.reduce((sum, j) => sum + (at(b, j) - at(means, j)) ** 2, 0);
  scale.variance = (3 / scale.shape + squares / 2) / gamma((own.length + 3) / 2, numbers);
  scale.shape = (3 / scale.variance + 1 / 0.25) / gamma(2, numbers);
}

/** Marsaglia and Tsang (2000), for shapes from 1 on. */
function gamma(shape: number, numbers: Numbers): number {
  const d = shape - 1 / 3;
  for (;;) {
    const z = numbers.normal();
    const v = (1 + z / Math.sqrt(9 * d)) ** 3;
    if (v > 0 && Math.log(numbers.uniform()) < 0.5 * z * z + d - d * v + d * Math.log(v)) return d * v;
  }
}

const CUT = 0.64;

/** PG(1, z) by Devroye's series. */
function polyaGamma(tilt: number, numbers: Numbers): number {
  const z = Math.abs(tilt) / 2;
  const rate = Math.PI ** 2 / 8 + (z * z) / 2;
  const right = (Math.PI / (2 * rate)) * Math.exp(-rate * CUT);
  const left = 2 * leftMass(z);
  for (;;) {
    const isRight = numbers.uniform() < right / (right + left);
    const x = isRight ? CUT - Math.log(numbers.uniform()) / rate : inverseGaussian(z, numbers);
    if (isAccepted(x, numbers)) return x / 4;
  }
}

/** How much of the inverse Gaussian lies before the cut, times `e^-z`. */
function leftMass(z: number): number {
  const [below, above] = [(CUT * z - 1) / Math.sqrt(CUT), -(CUT * z + 1) / Math.sqrt(CUT)];
  return Math.exp(-z) * normalCdf(below) + Math.exp(z) * normalCdf(above);
}

function isAccepted(x: number, numbers: Numbers): boolean {
  let sum = coefficient(0, x);
  const level = numbers.uniform() * sum;
  for (let n = 1; ; n += 1) {
    sum += (n % 2 === 1 ? -1 : 1) * coefficient(n, x);
    if (n % 2 === 1 && level <= sum) return true;
    if (n % 2 === 0 && level > sum) return false;
  }
}

function coefficient(n: number, x: number): number {
  const k = n + 0.5;
  return x <= CUT
    ? Math.PI * k * (2 / (Math.PI * x)) ** 1.5 * Math.exp((-2 * k * k) / x)
    : Math.PI * k * Math.exp((-k * k * Math.PI ** 2 * x) / 2);
}

/** With mean 1/z and shape 1, up to the cut. */
function inverseGaussian(z: number, numbers: Numbers): number {
  if (1 / z > CUT) {
    for (;;) {
      const [e, f] = [-Math.log(numbers.uniform()), -Math.log(numbers.uniform())];
      if (e * e > (2 * f) / CUT) continue;
      const x = CUT / (1 + CUT * e) ** 2;
      if (numbers.uniform() < Math.exp((-z * z * x) / 2)) return x;
    }
  }
  const mean = 1 / z;
  for (;;) {
    const y = numbers.normal() ** 2;
    const x = mean + (mean * mean * y) / 2 - (mean / 2) * Math.sqrt(4 * mean * y + (mean * y) ** 2);
    const chosen = numbers.uniform() <= mean / (mean + x) ? x : (mean * mean) / x;
    if (chosen <= CUT) return chosen;
  }
}

/** The mean chance of a row over the draws. */
export function sampledChance({ ids, effects }: Sampled, terms: BinaryRow["terms"]): number {
  const place = new Map(ids.map((id, j) => [id, j] as const));
  const columns = terms.flatMap(([id, value]) => {
    const j = place.get(id);
    return j === undefined ? [] : [[j, value] as const];
  });
  const chances = effects.map((b) =>
    logistic(columns.reduce((sum, [j, value]) => sum + value * at(b, j), 0)),
  );
  return chances.reduce((sum, chance) => sum + chance, 0) / Math.max(1, chances.length);
}
