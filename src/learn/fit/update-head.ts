import type { ArrowShape } from "../kernels/arrow-shape.ts";
import { logisticNormalMean } from "../kernels/quadrature.ts";
import { addAt, at, dot } from "../kernels/vector.ts";
import type { BinaryRow, NumberRow } from "../rows/head-rows.ts";
import type { Term } from "../rows/terms.ts";
import { type BeliefPoint, type HeadBelief, unseenPrior } from "./head-belief.ts";
import { answers } from "./likelihood.ts";
import type { NodeList } from "./row-store.ts";

const NEWTON_STEPS = 4;

/** Whether the belief before is still wanted: if not, its largest arrays become those of the belief after. */
export type Before = "kept" | "given-up";

/**
 * The belief after further answers, the scales staying where they are: each row moves every point along one
 * direction, and the points' weights by how well they foresaw it.
 */
export function updateBinaryHead(
  head: HeadBelief,
  rows: readonly BinaryRow[],
  before: Before = "kept",
): HeadBelief {
  if (rows.length === 0) return head;
  const added = rows.map(({ terms }) => terms);
  const { nodes, points } = grown(head, added, before);
  for (const { terms, isYes, reliability } of rows) {
    const x = denseRow(terms, nodes);
    for (const point of points) point.logWeight += addAnswer(point, x, isYes ? 1 : 0, reliability);
  }
  return settled(head, nodes, points, rows.length);
}

/** The same for numbers, by run. Exact at the points' scales. */
export function updateNumberHead(
  head: HeadBelief,
  runs: readonly (readonly NumberRow[])[],
  before: Before = "kept",
): HeadBelief {
  const known = runs.filter((rows) => rows.length > 0);
  if (known.length === 0) return head;
  const added = known.flatMap((rows) => rows.map(({ terms }) => terms));
  const { nodes, points } = grown(head, added, before);
  for (const rows of known) {
    const dense = rows.map(({ terms, y, weight }) => ({ x: denseRow(terms, nodes), y, weight }));
    for (const point of points) point.logWeight += addNumbers(point, dense);
  }
  return settled(
    head,
    nodes,
    points,
    known.reduce((sum, rows) => sum + rows.length, 0),
  );
}

/** A point that nobody else holds, to be changed in place. */
interface OpenPoint {
  readonly point: BeliefPoint;
  logWeight: number;
}

function longer(values: Float64Array, more: readonly number[], before: Before): Float64Array {
  if (before === "given-up" && more.length === 0) return values;
  const all = new Float64Array(values.length + more.length);
  all.set(values);
  all.set(more, values.length);
  return all;
}

/** Room for effects and meetings that were not there before. */
function grown(
  head: HeadBelief,
  added: readonly (readonly Term[])[],
  before: Before,
): { readonly nodes: NodeList; readonly points: readonly OpenPoint[] } {
  const ids = [...head.nodes.ids];
  const index = new Map(head.nodes.index);
  for (const terms of added) {
    for (const [id] of terms) {
      if (!index.has(id)) index.set(id, ids.push(id) - 1);
    }
  }
  const nodes = { ids, index, leaves: head.nodes.leaves };
  const fresh = ids.slice(head.nodes.ids.length);
  const [first] = head.points;
  const shape = first === undefined ? undefined : grownShape(first.posterior.shape, nodes, added);
  const points = head.points.map((point): OpenPoint => {
    const priors = fresh.map((id) => unseenPrior(point, id));
    const means = priors.map(({ mean }) => mean);
    const variances = priors.map(({ variance }) => variance);
    const precisions = variances.map((variance) => 1 / variance);
    return {
      logWeight: Math.log(point.weight),
      point: {
        ...point,
        mean: longer(point.mean, means, before),
        cavityMean: longer(point.cavityMean, means, before),
        priorMean: longer(point.priorMean, means, before),
        priorVariance: longer(point.priorVariance, variances, before),
        posterior: point.posterior.widened(shape ?? point.posterior.shape, precisions, before === "given-up"),
      },
    };
  });
  return { nodes, points };
}

/** The same shape when it has room already. */
function grownShape(
  shape: ArrowShape,
  { ids, index, leaves }: NodeList,
  added: readonly (readonly Term[])[],
): ArrowShape {
  const fresh = new Map<number, number[]>();
  for (const terms of added) {
    const columns = terms.map(([id]) => index.get(id) ?? 0);
    for (const leaf of columns.filter((column) => column < leaves)) {
      const known = new Set(placesOf(shape, leaf));
      const places = columns.filter((column) => column >= leaves).map((column) => column - leaves);
      const unmet = places.filter((place) => !known.has(place));
      if (unmet.length > 0) fresh.set(leaf, [...(fresh.get(leaf) ?? []), ...unmet]);
    }
  }
  if (fresh.size === 0) return shape.size === ids.length ? shape : { ...shape, size: ids.length };
  const start = new Int32Array(leaves + 1);
  const grownLeaves = new Map<number, Int32Array>();
  for (let leaf = 0; leaf < leaves; leaf += 1) {
    const places = placesOf(shape, leaf);
    const unmet = fresh.get(leaf);
    const own = unmet === undefined ? places : Int32Array.from(new Set([...places, ...unmet])).sort();
    if (unmet !== undefined) grownLeaves.set(leaf, own);
    start[leaf + 1] = at(start, leaf) + own.length;
  }
  const columns = new Int32Array(at(start, leaves));
  for (let leaf = 0; leaf < leaves; leaf += 1) {
    columns.set(grownLeaves.get(leaf) ?? placesOf(shape, leaf), at(start, leaf));
  }
  return { size: ids.length, leaves, start, columns };
}

function placesOf({ start, columns }: ArrowShape, leaf: number): Int32Array {
  return columns.subarray(at(start, leaf), at(start, leaf + 1));
}

function denseRow(terms: readonly Term[], { ids, index }: NodeList): Float64Array {
  const x = new Float64Array(ids.length);
  for (const [id, value] of terms) addAt(x, index.get(id) ?? 0, value);
  return x;
}

/** Gives how likely the answer was, as a logarithm. */
function addAnswer({ point }: OpenPoint, x: Float64Array, yes: 0 | 1, reliability: number): number {
  const { mean, cavityMean, posterior } = point;
  const v = posterior.solve(x);
  const q = dot(x, v);
  const believed = 1 - reliability + (2 * reliability - 1) * logisticNormalMean(dot(x, mean), q);
  // The mode lies as far beyond the mean as the mean beyond that of the data alone.
  const eta = 2 * dot(x, mean) - dot(x, cavityMean);
  let t = 0;
  for (let step = 0; step < NEWTON_STEPS; step += 1) {
    const { first, weight } = answers(eta + t * q, yes, 1, reliability);
    t += (first - t) / (weight * q + 1);
  }
  shift(point, v, t);
  posterior.addRow(x, answers(eta + t * q, yes, 1, reliability).weight);
  return Math.log(yes === 1 ? believed : 1 - believed);
}

/** A run's rows. Their shared noise is taken out by moving each towards the run's mean. */
function addNumbers(
  { point }: OpenPoint,
  rows: readonly { readonly x: Float64Array; readonly y: number; readonly weight: number }[],
): number {
  const { mean, posterior, sigma, omega } = point;
  const total = rows.reduce((sum, { weight }) => sum + weight, 0);
  const taken = 1 - Math.sqrt(sigma ** 2 / (sigma ** 2 + omega ** 2 * total));
  const meanX = new Float64Array(mean.length);
  let meanY = 0;
  for (const { x, y, weight } of rows) {
    for (let j = 0; j < x.length; j += 1) addAt(meanX, j, (weight / total) * at(x, j));
    meanY += (weight / total) * y;
  }
  let logDensity = 0;
  for (const { x, y, weight } of rows) {
    const own = x.map((value, j) => value - taken * at(meanX, j));
    const noise = sigma ** 2 / weight;
    const v = posterior.solve(own);
    const variance = noise + dot(own, v);
    const away = y - taken * meanY - dot(own, mean);
    shift(point, v, away / variance);
    posterior.addRow(own, 1 / noise);
    logDensity -= 0.5 * (Math.log(variance) + away ** 2 / variance);
  }
  return logDensity;
}

function shift({ mean, cavityMean }: BeliefPoint, direction: Float64Array, by: number): void {
  for (let j = 0; j < direction.length; j += 1) {
    addAt(mean, j, by * at(direction, j));
    if (cavityMean !== mean) addAt(cavityMean, j, by * at(direction, j));
  }
}

function settled(head: HeadBelief, nodes: NodeList, points: readonly OpenPoint[], added: number): HeadBelief {
  const most = Math.max(...points.map(({ logWeight }) => logWeight));
  const raw = points.map(({ logWeight }) => Math.exp(logWeight - most));
  const total = raw.reduce((sum, value) => sum + value, 0);
  const weighted = points.map(({ point }, m) => ({ ...point, weight: at(raw, m) / total }));
  const priorWeight = weighted.reduce((sum, { isShipped, weight }) => sum + (isShipped ? weight : 0), 0);
  return { ...head, nodes, points: weighted, rows: head.rows + added, priorWeight };
}
