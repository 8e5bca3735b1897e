/**
 * Money is whole micro-dollars with provenance. Unknown is not zero and does not add up to a number:
 * a sum keeps how many of its parts are unknown.
 */
export type CostBasis = "measured" | "logged" | "estimated";
export type Cost =
  | { readonly kind: "known"; readonly microUsd: number; readonly basis: CostBasis }
  | { readonly kind: "unknown"; readonly why: "no-price" | "no-usage"; readonly model?: string };

/** A sum of costs. `basis` is the weakest of its known parts; undefined when there is none. */
export interface CostSum {
  readonly microUsd: number;
  readonly basis: CostBasis | undefined;
  readonly unknownParts: number;
}

export const NO_COST: CostSum = { microUsd: 0, basis: undefined, unknownParts: 0 };
const STRENGTH: Record<CostBasis, number> = { measured: 2, logged: 1, estimated: 0 };

export function addCost(sum: CostSum, cost: Cost): CostSum {
  if (cost.kind === "unknown") return { ...sum, unknownParts: sum.unknownParts + 1 };
  const basis =
    sum.basis === undefined || STRENGTH[cost.basis] < STRENGTH[sum.basis] ? cost.basis : sum.basis;
  return { microUsd: sum.microUsd + cost.microUsd, basis, unknownParts: sum.unknownParts };
}

/** `$3.10`, `$0.004` for small sums, `$3.10 + 2 unknown`, `unknown`. */
export function formatCost(sum: CostSum): string {
  const known = formatMicroUsd(sum.microUsd);
  if (sum.unknownParts === 0) return known;
  return sum.basis === undefined ? "unknown" : `${known} + ${sum.unknownParts} unknown`;
}

/** `$3.10`; one digit that counts below a cent, so that only nothing at all prints as `$0`. */
export function formatMicroUsd(microUsd: number): string {
  const usd = microUsd / 1e6;
  if (usd === 0) return "$0";
  if (Math.abs(usd) >= 0.01) return `$${usd.toFixed(2)}`;
  const decimals = -Math.floor(Math.log10(Math.abs(usd)));
  return `$${usd.toFixed(Math.min(decimals, 6))}`;
}

/** Rounds nano-dollars to whole micro-dollars, half to even, exactly. */
export function microFromNano(nanoUsd: bigint): number {
  const quotient = nanoUsd / 1000n;
  const rest = nanoUsd % 1000n;
  const up = rest > 500n || (rest === 500n && quotient % 2n === 1n);
  return Number(up ? quotient + 1n : quotient);
}
