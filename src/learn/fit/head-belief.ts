import { ArrowPosterior } from "../kernels/arrow.ts";
import { denseShape } from "../kernels/arrow-shape.ts";
import { groupOf } from "../rows/terms.ts";
import type { EvidenceCurves } from "./evidence-curve.ts";
import type { HeadPrior } from "./prior-table.ts";
import type { NodeList } from "./row-store.ts";

/** What a head believes under one vector of scales. Arrays go by the head's effects. */
export interface BeliefPoint {
  readonly weight: number;
  readonly prior: HeadPrior;
  /** Whether the prior is the shipped one. */
  readonly isShipped: boolean;
  /** ln scale by group; groups without effects in the data have their prior's. */
  readonly lnScale: ReadonlyMap<string, number>;
  /** Mean for predictions. */
  readonly mean: Float64Array;
  /** Mean for what the data alone say about one effect. */
  readonly cavityMean: Float64Array;
  readonly posterior: ArrowPosterior;
  readonly priorMean: Float64Array;
  readonly priorVariance: Float64Array;
  /** Standard deviations of a row's and of a run's noise; number heads only. */
  readonly sigma: number;
  readonly omega: number;
}

/** A head's belief: a mixture of normal distributions, one per vector of scales. */
export interface HeadBelief {
  readonly kind: "binary" | "number";
  readonly rows: number;
  readonly nodes: NodeList;
  readonly points: readonly BeliefPoint[];
  /** Share of the fit that starts from the shipped prior; 0 without one. */
  readonly priorWeight: number;
  /** Of yes and no heads with few rows, whose normal form is too short for large effects. */
  readonly curves?: EvidenceCurves;
}

/** What is thought of an effect that no row has. */
export function unseenPrior(
  point: BeliefPoint,
  id: string,
): { readonly mean: number; readonly variance: number } {
  const node = point.prior.node(id);
  if (!node.isScaled) return node;
  const group = groupOf(id);
  const ln = point.lnScale.get(group) ?? point.prior.scale(group).ln;
  return { mean: node.mean, variance: node.variance + Math.exp(2 * ln) };
}

const NOTHING = new ArrowPosterior(denseShape(0), new Float64Array(), new Float64Array(), {
  n: 0,
  l: new Float64Array(),
  jitter: 0,
});

/** The belief of a head without rows. */
export function priorPoint(prior: HeadPrior, isShipped: boolean): BeliefPoint {
  const none = new Float64Array();
  return {
    weight: 1,
    prior,
    isShipped,
    lnScale: new Map(),
    mean: none,
    cavityMean: none,
    posterior: NOTHING,
    priorMean: none,
    priorVariance: none,
    sigma: Math.exp(prior.sigma.ln),
    omega: Math.exp(prior.omega.ln),
  };
}
