import { logistic } from "./normal.ts";
import { at } from "./vector.ts";

export interface Quadrature {
  readonly nodes: Float64Array;
  /** They sum to 1. */
  readonly weights: Float64Array;
}

const known = new Map<number, Quadrature>();

/** Gauss-Hermite nodes and weights for the standard normal: `E f(Z) ≈ Σ w f(x)`. */
export function gaussHermite(count: number): Quadrature {
  const found = known.get(count) ?? compute(count);
  known.set(count, found);
  return found;
}

function compute(count: number): Quadrature {
  const nodes = new Float64Array(count);
  const weights = new Float64Array(count);
  const half = Math.floor((count + 1) / 2);
  for (let i = 0; i < half; i += 1) {
    const { root, slope } = polishRoot(firstGuess(i, count, nodes), count);
    nodes[i] = root;
    nodes[count - 1 - i] = -root;
    weights[i] = 2 / (slope * slope);
    weights[count - 1 - i] = at(weights, i);
  }
  // From the weight exp(-x²) to the standard normal.
  for (let i = 0; i < count; i += 1) {
    nodes[i] = at(nodes, i) * Math.SQRT2;
    weights[i] = at(weights, i) / Math.sqrt(Math.PI);
  }
  return { nodes, weights };
}

function firstGuess(i: number, count: number, nodes: Float64Array): number {
  const before = at(nodes, i - 1);
  switch (i) {
    case 0:
      return Math.sqrt(2 * count + 1) - 1.85575 * (2 * count + 1) ** -0.16667;
    case 1:
      return before - (1.14 * count ** 0.426) / before;
    case 2:
      return 1.86 * before - 0.86 * at(nodes, 0);
    case 3:
      return 1.91 * before - 0.91 * at(nodes, 1);
    default:
      return 2 * before - at(nodes, i - 2);
  }
}

/** Newton's method on the orthonormal Hermite polynomial. */
function polishRoot(guess: number, count: number): { readonly root: number; readonly slope: number } {
  let z = guess;
  let slope = 1;
  for (let step = 0; step < 50; step += 1) {
    let p1 = Math.PI ** -0.25;
    let p2 = 0;
    for (let j = 0; j < count; j += 1) {
      const p3 = p2;
      p2 = p1;
      p1 = z * Math.sqrt(2 / (j + 1)) * p2 - Math.sqrt(j / (j + 1)) * p3;
    }
    slope = Math.sqrt(2 * count) * p2;
    const change = p1 / slope;
    z -= change;
    if (Math.abs(change) < 1e-14) break;
  }
  return { root: z, slope };
}

/** `E σ(N(mean, variance))`, to about 1e-6 at the variances that occur. */
export function logisticNormalMean(mean: number, variance: number): number {
  if (variance < 1e-12) return logistic(mean);
  const { nodes, weights } = gaussHermite(21);
  const sd = Math.sqrt(variance);
  let sum = 0;
  for (let i = 0; i < nodes.length; i += 1) sum += at(weights, i) * logistic(mean + sd * at(nodes, i));
  return sum;
}
