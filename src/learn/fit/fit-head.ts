import { InvariantError } from "../../core/result.ts";
import { at } from "../kernels/vector.ts";
import { type BestScales, bestScales, bestScalesOfMany } from "./best-scales.ts";
import { BinaryModel } from "./binary-model.ts";
import { type BinaryData, type PriorArrays, priorArrays, priorVariance } from "./design.ts";
import { type EvidenceCurves, evidenceCurves, MAX_CURVE_ROWS } from "./evidence-curve.ts";
import { type BeliefPoint, type HeadBelief, priorPoint } from "./head-belief.ts";
import type { ScaleModel } from "./model.ts";
import type { NumberData } from "./number-data.ts";
import { NumberModel } from "./number-model.ts";
import { type NumberStats, numberStats } from "./number-stats.ts";
import type { HeadPrior, Priors } from "./prior-table.ts";
import type { NodeList } from "./row-store.ts";
import { scalePoints } from "./scale-points.ts";

const POINTS = 16;
/** More multiplications than this per pass, and the likelihood is held at its quadratic. */
const EXACT_WORK = 3e6;
/** A prior with a smaller share of the belief is left out. */
const MIN_SHARE = 1e-6;
/** The share that the shipped prior has before any data. */
const SHIPPED_ODDS = Math.log(0.7 / 0.3);

/** The best scales under one prior. Points around them cost as much again, so they wait until they are wanted. */
interface PriorFit {
  readonly prior: HeadPrior;
  readonly isShipped: boolean;
  readonly arrays: PriorArrays;
  readonly model: ScaleModel;
  readonly found: BestScales;
}

export function fitBinaryHead(data: BinaryData, priors: Priors): HeadBelief {
  const perRow = data.rows.columns.length / Math.max(1, data.rows.count);
  const isLarge = data.rows.count * perRow * perRow * 10 > EXACT_WORK;
  const search = isLarge ? bestScalesOfMany : bestScales;
  const head = mix("binary", data.count, data.nodes, priors, undefined, (prior, start) => {
    const arrays = priorArrays(data.nodes, prior);
    const model = new BinaryModel(data, arrays);
    const found = honest(search(model, startScales(model, start), start.mode));
    return { prior, isShipped: prior === priors.shipped, arrays, model, found };
  });
  if (data.count === 0 || data.count > MAX_CURVE_ROWS) return head;
  return { ...head, curves: curvesNear(() => data, head) };
}

/** At the scales of the head's weightiest point. They take a look at all rows: it waits for an effect large enough. */
export function curvesNear(dataOf: () => BinaryData, head: HeadBelief): EvidenceCurves {
  let made: EvidenceCurves | undefined;
  return (terms, given) => {
    made ??= curvesOf(dataOf(), head);
    return made(terms, given);
  };
}

function curvesOf(data: BinaryData, head: HeadBelief): EvidenceCurves {
  const { prior, lnScale, mean } = weightiest(head.points);
  const arrays = priorArrays(data.nodes, prior);
  const model = new BinaryModel(data, arrays);
  const theta = arrays.ln.map((ln, g) => lnScale.get(arrays.groups[g] ?? "") ?? ln);
  const start = Float64Array.from(data.nodes.ids, (id, j) => {
    const own = head.nodes.index.get(id);
    return own === undefined ? at(arrays.mean, j) : at(mean, own);
  });
  const best = model.evaluate(theta, start, "value");
  if (best === undefined) return () => undefined;
  return evidenceCurves(model, data.nodes, { theta, best, near: model });
}

function weightiest(points: readonly BeliefPoint[]): BeliefPoint {
  const [first, ...others] = points;
  if (first === undefined) throw new InvariantError("a belief without points");
  return others.reduce((a, b) => (b.weight > a.weight ? b : a), first);
}

export function fitNumberHead(data: NumberData, priors: Priors): HeadBelief {
  return fitNumbers(data, numberStats(data), priors);
}

/** Two heads of much the same rows: the second begins where the first one ended. */
export function fitAlikeHeads(
  first: { readonly data: NumberData; readonly priors: Priors },
  second: { readonly data: NumberData; readonly priors: Priors },
): readonly [HeadBelief, HeadBelief] {
  const stats = numberStats(first.data);
  const head = fitNumbers(first.data, stats, first.priors);
  return [head, fitNumbers(second.data, numberStats(second.data, stats), second.priors, head)];
}

/** A head with `alike` rows, if there is one, says where to look for the scales first. */
function fitNumbers(
  { count, nodes }: NumberData,
  stats: NumberStats,
  priors: Priors,
  alike?: HeadBelief,
): HeadBelief {
  return mix("number", count, nodes, priors, alike, (prior, start) => {
    const arrays = priorArrays(nodes, prior);
    const model = new NumberModel(stats, arrays, prior.sigma, prior.omega);
    const found = honest(bestScales(model, startScales(model, start), start.mode));
    return { prior, isShipped: prior === priors.shipped, arrays, model, found };
  });
}

function honest(found: BestScales | undefined): BestScales {
  if (found === undefined) throw new InvariantError("a head's posterior cannot be factored");
  return found;
}

/** Where a search begins: scales by group and the noise, as far as something is known of them. */
interface StartPoint {
  readonly lnScale?: ReadonlyMap<string, number>;
  readonly noise?: readonly [lnSigma: number, lnOmega: number];
  readonly mode?: Float64Array;
}

function startScales({ prior, ln }: ScaleModel, { lnScale, noise }: StartPoint): Float64Array {
  return ln.map((value, g) => {
    const group = prior.groups[g];
    return (group === undefined ? noise?.[g - prior.groups.length] : lnScale?.get(group)) ?? value;
  });
}

function startLike(head: HeadBelief | undefined): StartPoint {
  if (head === undefined || head.rows === 0) return {};
  const { lnScale, sigma, omega } = weightiest(head.points);
  return { lnScale, noise: [Math.log(sigma), Math.log(omega)] };
}

/** Groups of which both priors expect the same keep their scales. */
function startAfter({ model, found, prior }: PriorFit, plain: HeadPrior): StartPoint {
  const { groups } = model.prior;
  const kept = groups.flatMap((group, g) =>
    prior.scale(group).ln === plain.scale(group).ln ? [[group, at(found.theta, g)] as const] : [],
  );
  const noise = groups.length;
  return {
    lnScale: new Map(kept),
    mode: found.best.mode,
    ...(found.theta.length > noise && { noise: [at(found.theta, noise), at(found.theta, noise + 1)] }),
  };
}

/** Fits under each prior and mixes the two by their evidence, so that a wrong shipped prior fades. */
function mix(
  kind: HeadBelief["kind"],
  rows: number,
  nodes: NodeList,
  { plain, shipped }: Priors,
  alike: HeadBelief | undefined,
  underPrior: (prior: HeadPrior, start: StartPoint) => PriorFit,
): HeadBelief {
  if (rows === 0) {
    const prior = shipped ?? plain;
    return {
      kind,
      rows,
      nodes,
      points: [priorPoint(prior, shipped !== undefined)],
      priorWeight: shipped === undefined ? 0 : 1,
    };
  }
  if (shipped === undefined) {
    const fit = underPrior(plain, startLike(alike));
    return { kind, rows, nodes, points: pointsOf(fit, POINTS, 1), priorWeight: 0 };
  }
  const informed = underPrior(shipped, startLike(alike));
  const bare = underPrior(plain, { ...startLike(alike), ...startAfter(informed, plain) });
  const odds = evidenceOf(informed) - evidenceOf(bare) + SHIPPED_ODDS;
  const priorWeight = 1 / (1 + Math.exp(-odds));
  const points = [
    ...pointsOf(informed, POINTS / 2, priorWeight),
    ...pointsOf(bare, POINTS / 2, 1 - priorWeight),
  ];
  return { kind, rows, nodes, points, priorWeight };
}

/** With the constants that differ between priors: it compares whole densities of the scales. */
function evidenceOf({ found, model }: PriorFit): number {
  return found.best.objective - model.lnSd.reduce((sum, sd) => sum + Math.log(sd), 0);
}

/** The belief around the best scales, none when its share is next to nothing. */
function pointsOf(
  { prior, isShipped, arrays, found }: PriorFit,
  count: number,
  share: number,
): readonly BeliefPoint[] {
  if (share < MIN_SHARE) return [];
  const noise = arrays.groups.length;
  return scalePoints(found, count).map(({ weight, theta, evaluation }): BeliefPoint => {
    const { mode, posterior, skew } = evaluation;
    return {
      weight: weight * share,
      prior,
      isShipped,
      lnScale: new Map(arrays.groups.map((group, g) => [group, at(theta, g)] as const)),
      mean: skew === undefined ? mode : mode.map((value, j) => value - 0.25 * at(skew, j)),
      cavityMean: skew === undefined ? mode : mode.map((value, j) => value - 0.5 * at(skew, j)),
      posterior,
      priorMean: arrays.mean,
      priorVariance: priorVariance(arrays, theta),
      sigma: theta.length > noise ? Math.exp(at(theta, noise)) : 0,
      omega: theta.length > noise ? Math.exp(at(theta, noise + 1)) : 0,
    };
  });
}
