import { at } from "../kernels/vector.ts";
import type { Estimate } from "./any-size.ts";

export interface SparseView {
  /** The chance that the effect is exactly nothing. */
  readonly zeroProb: number;
  /** How large an effect of this kind is expected to be, judged by the others. */
  readonly spread: number;
}

const ZERO_SHARES = [0, 0.25, 0.5, 0.75, 0.9];
const SLABS = [0.1, 0.18, 0.32, 0.56, 1, 1.8];

/**
 * What a set of effects says about itself: which share is nothing and how large the rest are, over a small grid.
 * Used for reporting only. `unit` is 1 for logits and 0.5 for ln dollars.
 */
export function sparseSpread(estimates: readonly Estimate[], unit: number): readonly SparseView[] {
  const cells = ZERO_SHARES.flatMap((zeroShare) =>
    SLABS.map((slab) => cellOf(estimates, zeroShare, slab * unit, -0.5 * (Math.log(slab / 0.4) / 0.7) ** 2)),
  );
  const most = Math.max(...cells.map(({ logWeight }) => logWeight));
  return estimates.map((_, k) => {
    let total = 0;
    let zero = 0;
    let others = 0;
    let second = 0;
    for (const cell of cells) {
      const weight = Math.exp(cell.logWeight - most);
      const without = Math.exp(Math.min(600, cell.logWeight - most - at(cell.logDensity, k)));
      total += weight;
      zero += weight * at(cell.zero, k);
      others += without;
      second += without * (1 - cell.zeroShare) * cell.slab ** 2;
    }
    return { zeroProb: zero / total, spread: Math.sqrt(second / others) };
  });
}

interface Cell {
  readonly zeroShare: number;
  readonly slab: number;
  readonly logWeight: number;
  readonly logDensity: readonly number[];
  /** The chance of being nothing, by effect. */
  readonly zero: readonly number[];
}

function cellOf(estimates: readonly Estimate[], zeroShare: number, slab: number, logPrior: number): Cell {
  const logDensity: number[] = [];
  const zero: number[] = [];
  for (const { estimate, error } of estimates) {
    const nothing =
      zeroShare === 0 ? Number.NEGATIVE_INFINITY : Math.log(zeroShare) + logNormal(estimate, error ** 2);
    const some = Math.log(1 - zeroShare) + logNormal(estimate, error ** 2 + slab ** 2);
    const most = Math.max(nothing, some);
    const both = most + Math.log(Math.exp(nothing - most) + Math.exp(some - most));
    logDensity.push(both);
    zero.push(Math.exp(nothing - both));
  }
  const logWeight = logDensity.reduce((sum, value) => sum + value, logPrior);
  return { zeroShare, slab, logWeight, logDensity, zero };
}

function logNormal(x: number, variance: number): number {
  return -0.5 * (Math.log(2 * Math.PI * variance) + (x * x) / variance);
}
