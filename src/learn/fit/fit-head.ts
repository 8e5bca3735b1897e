import { InvariantError } from "../../core/result.ts";
import { at } from "../kernels/vector.ts";
import type { BinaryRow, NumberRow } from "../rows/head-rows.ts";
import { type BestScales, bestScales, bestScalesOfMany } from "./best-scales.ts";
import { BinaryModel } from "./binary-model.ts";
import {
  binaryData,
  type NodeList,
  nodeList,
  type PriorArrays,
  priorArrays,
  priorVariance,
} from "./design.ts";
import { type EvidenceCurves, evidenceCurves, MAX_CURVE_ROWS } from "./evidence-curve.ts";
import type { ScaleModel } from "./model.ts";
import { NumberModel } from "./number-model.ts";
import { numberStats } from "./number-stats.ts";
import type { HeadPrior } from "./prior-table.ts";
import { scalePoints } from "./scale-points.ts";

/** What a head believes under one vector of scales. Arrays go by the head's effects. */
export interface BeliefPoint {
  readonly weight: number;
  readonly prior: HeadPrior;
  /** ln scale by group; groups without effects in the data have their prior's. */
  readonly lnScale: ReadonlyMap<string, number>;
  /** Mean for predictions. */
  readonly mean: Float64Array;
  /** Mean for what the data alone say about one effect. */
  readonly cavityMean: Float64Array;
  readonly covariance: Float64Array;
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

/** The priors to fit under: the table, and the shipped one beside it when there is one. */
export interface Priors {
  readonly plain: HeadPrior;
  readonly shipped?: HeadPrior;
}

const POINTS = 16;
/** More multiplications than this per pass, and the likelihood is held at its quadratic. */
const EXACT_WORK = 3e6;
/** The share that the shipped prior has before any data. */
const SHIPPED_ODDS = Math.log(0.7 / 0.3);

interface PriorFit {
  readonly evidence: number;
  readonly points: readonly BeliefPoint[];
  readonly curves?: EvidenceCurves;
}

export function fitBinaryHead(rows: readonly BinaryRow[], priors: Priors): HeadBelief {
  const data = binaryData(rows);
  const perRow = data.rows.columns.length / Math.max(1, data.rows.count);
  const isLarge = data.rows.count * perRow * perRow * 10 > EXACT_WORK;
  const search = (model: BinaryModel, start: StartPoint): BestScales | undefined =>
    isLarge
      ? bestScalesOfMany(model, start.theta ?? model.ln, start.mode)
      : bestScales(model, start.theta ?? model.ln, start.mode);
  return mix("binary", rows.length, data.nodes, priors, (prior, start, count) => {
    const arrays = priorArrays(data.nodes, prior);
    const model = new BinaryModel(data, arrays);
    const found = search(model, start);
    const fit = fitUnder(model, arrays, prior, found, count);
    if (found === undefined || rows.length > MAX_CURVE_ROWS) return fit;
    return { ...fit, curves: evidenceCurves(model, data.nodes, found) };
  });
}

export function fitNumberHead(rows: readonly NumberRow[], priors: Priors): HeadBelief {
  const nodes = nodeList(rows);
  const stats = numberStats(rows, nodes);
  return mix("number", rows.length, nodes, priors, (prior, start, count) => {
    const arrays = priorArrays(nodes, prior);
    const model = new NumberModel(stats, arrays, prior.sigma, prior.omega);
    return fitUnder(model, arrays, prior, bestScales(model, start.theta ?? model.ln, start.mode), count);
  });
}

interface StartPoint {
  readonly theta?: Float64Array;
  readonly mode?: Float64Array;
}

/** Fits under each prior and mixes the two by their evidence, so that a wrong shipped prior fades. */
function mix(
  kind: HeadBelief["kind"],
  rows: number,
  nodes: NodeList,
  { plain, shipped }: Priors,
  underPrior: (prior: HeadPrior, start: StartPoint, count: number) => PriorFit,
): HeadBelief {
  if (rows === 0) {
    const prior = shipped ?? plain;
    return { kind, rows, nodes, points: [priorPoint(prior)], priorWeight: shipped === undefined ? 0 : 1 };
  }
  if (shipped === undefined) {
    const { points, curves } = underPrior(plain, {}, POINTS);
    return { kind, rows, nodes, points, priorWeight: 0, ...(curves !== undefined && { curves }) };
  }
  const informed = underPrior(shipped, {}, POINTS / 2);
  const mode = informed.points[0]?.mean;
  const bare = underPrior(plain, mode === undefined ? {} : { mode }, POINTS / 2);
  const priorWeight = 1 / (1 + Math.exp(-(informed.evidence - bare.evidence + SHIPPED_ODDS)));
  const weighted = (points: readonly BeliefPoint[], share: number) =>
    points.map((point) => ({ ...point, weight: point.weight * share }));
  const points = [...weighted(informed.points, priorWeight), ...weighted(bare.points, 1 - priorWeight)];
  const { curves } = priorWeight > 0.5 ? informed : bare;
  return {
    kind,
    rows,
    nodes,
    points: points.filter(({ weight }) => weight > 1e-9),
    priorWeight,
    ...(curves !== undefined && { curves }),
  };
}

function priorPoint(prior: HeadPrior): BeliefPoint {
  const none = new Float64Array();
  return {
    weight: 1,
    prior,
    lnScale: new Map(),
    mean: none,
    cavityMean: none,
    covariance: none,
    priorMean: none,
    priorVariance: none,
    sigma: Math.exp(prior.sigma.ln),
    omega: Math.exp(prior.omega.ln),
  };
}

function fitUnder(
  model: ScaleModel,
  arrays: PriorArrays,
  prior: HeadPrior,
  found: BestScales | undefined,
  count: number,
): PriorFit {
  if (found === undefined) throw new InvariantError("a head's posterior cannot be factored");
  const noise = arrays.groups.length;
  const points = scalePoints(found, count).map(({ weight, theta, evaluation }): BeliefPoint => {
    const { mode, covariance, skew } = evaluation;
    return {
      weight,
      prior,
      lnScale: new Map(arrays.groups.map((group, g) => [group, at(theta, g)] as const)),
      mean: skew === undefined ? mode : mode.map((value, j) => value - 0.25 * at(skew, j)),
      cavityMean: skew === undefined ? mode : mode.map((value, j) => value - 0.5 * at(skew, j)),
      covariance,
      priorMean: arrays.mean,
      priorVariance: priorVariance(arrays, theta),
      sigma: theta.length > noise ? Math.exp(at(theta, noise)) : 0,
      omega: theta.length > noise ? Math.exp(at(theta, noise + 1)) : 0,
    };
  });
  // Constants that differ between the priors: the evidence compares whole densities of the scales.
  const evidence = found.best.objective - model.lnSd.reduce((sum, sd) => sum + Math.log(sd), 0);
  return { evidence, points };
}
