import type { ScoreHead } from "./belief.ts";
import { type PriorArrays, priorArrays, priorVariance } from "./fit/design.ts";
import type { BeliefPoint, HeadBelief } from "./fit/head-belief.ts";
import type { HeadKind, HeadPrior, Priors } from "./fit/prior-table.ts";
import type { NodeList } from "./fit/row-store.ts";
import { packBytes, type Reader, unpackBytes, Writer } from "./keep-bytes.ts";
import { ArrowPosterior } from "./kernels/arrow.ts";
import { type ArrowShape, coreSize } from "./kernels/arrow-shape.ts";
import { at } from "./kernels/vector.ts";
import type { HorizonPlan } from "./rows/horizon.ts";
import type { PartPlan } from "./rows/parts.ts";

/** The heads of a fit and the parts that they tell apart. */
export interface KeptHeads {
  readonly success: HeadBelief;
  readonly gate: HeadBelief;
  readonly cost: HeadBelief;
  readonly tokens: HeadBelief;
  readonly scores: ReadonlyMap<string, ScoreHead>;
  readonly parts: PartPlan;
  readonly horizon: HorizonPlan | undefined;
}

export interface Kept {
  /** Names the runs and the prior. */
  readonly key: string;
  readonly heads: KeptHeads;
}

const SCALES = ["linear", "log", "fraction"] as const;
const REASONS = ["on every run", "on fewer than 2 runs"] as const;

export function writeKept({ key, heads }: Kept): Uint8Array {
  const to = new Writer();
  to.text(key);
  for (const head of [heads.success, heads.gate, heads.cost, heads.tokens]) writeHead(to, head);
  to.number(heads.scores.size);
  for (const [name, { head, scale, center, spread }] of heads.scores) {
    to.text(name);
    to.number(SCALES.indexOf(scale), center, spread);
    writeHead(to, head);
  }
  const { nodeOf, notEstimated } = heads.parts;
  to.texts([...nodeOf.keys()]);
  to.texts([...nodeOf.values()]);
  to.texts(notEstimated.map(({ part }) => part));
  for (const { why } of notEstimated) to.number(REASONS.indexOf(why));
  to.number(heads.horizon?.refS ?? 0, heads.horizon?.isTold === true ? 1 : 0);
  return packBytes(to);
}

/** Undefined when the bytes are no fit of this version. */
export function readKept(bytes: Uint8Array, priorsOf: (kind: HeadKind) => Priors): Kept | undefined {
  const from = unpackBytes(bytes);
  if (from === undefined) return undefined;
  const key = from.text();
  const heads = {
    success: readHead(from, "binary", priorsOf("success")),
    gate: readHead(from, "binary", priorsOf("gate")),
    cost: readHead(from, "number", priorsOf("cost")),
    tokens: readHead(from, "number", priorsOf("tokens")),
    scores: new Map<string, ScoreHead>(),
  };
  const scores = from.number();
  for (let i = 0; i < scores; i += 1) {
    const name = from.text();
    const scale = SCALES[from.number()] ?? "linear";
    const [center, spread] = [from.number(), from.number()];
    heads.scores.set(name, { scale, center, spread, head: readHead(from, "number", priorsOf("score")) });
  }
  const parts = from.texts();
  const nodes = from.texts();
  const nodeOf = new Map(parts.map((part, i) => [part, nodes[i] ?? part] as const));
  const notEstimated = from.texts().map((part) => ({ part, why: REASONS[from.number()] ?? REASONS[0] }));
  const [refS, isTold] = [from.number(), from.number() === 1];
  const horizon = refS > 0 ? { refS, isTold } : undefined;
  return from.isEnded ? { key, heads: { ...heads, parts: { nodeOf, notEstimated }, horizon } } : undefined;
}

/** Whether the bytes are what `keepFit` makes of this fit. */
export function isFitOf(bytes: Uint8Array, { fingerprint }: { readonly fingerprint: string }): boolean {
  return unpackBytes(bytes)?.text() === fingerprint;
}

export function writeHead(to: Writer, { rows, nodes, points, priorWeight }: HeadBelief): void {
  to.number(rows, priorWeight, nodes.leaves, points.length);
  to.texts(nodes.ids);
  const shape = points[0]?.posterior.shape;
  to.numbers(shape?.start ?? []);
  to.numbers(shape?.columns ?? []);
  for (const { weight, isShipped, lnScale, mean, cavityMean, posterior, sigma, omega } of points) {
    to.number(weight, isShipped ? 1 : 0, sigma, omega);
    to.texts([...lnScale.keys()]);
    to.numbers([...lnScale.values()]);
    to.numbers(mean);
    to.numbers(cavityMean);
    to.numbers(posterior.tips);
    to.numbers(posterior.arms);
    to.numbers(posterior.core.l);
  }
}

export function readHead(from: Reader, kind: HeadBelief["kind"], priors: Priors): HeadBelief {
  const [rows, priorWeight, leaves, count] = [from.number(), from.number(), from.number(), from.number()];
  const ids = from.texts();
  const nodes: NodeList = { ids, leaves, index: new Map(ids.map((id, j) => [id, j] as const)) };
  const shape: ArrowShape = {
    size: ids.length,
    leaves,
    start: Int32Array.from(from.numbers()),
    columns: Int32Array.from(from.numbers()),
  };
  const of = (prior: HeadPrior) => ({ prior, arrays: priorArrays(nodes, prior) });
  const plain = of(priors.plain);
  const shipped = priors.shipped === undefined ? plain : of(priors.shipped);
  const points = Array.from({ length: count }, () => readPoint(from, shape, { plain, shipped }));
  return { kind, rows, nodes, points, priorWeight };
}

interface KnownPrior {
  readonly prior: HeadPrior;
  readonly arrays: PriorArrays;
}

function readPoint(
  from: Reader,
  shape: ArrowShape,
  priors: Readonly<Record<"plain" | "shipped", KnownPrior>>,
): BeliefPoint {
  const weight = from.number();
  const isShipped = from.number() === 1;
  const [sigma, omega] = [from.number(), from.number()];
  const groups = from.texts();
  const scales = from.numbers();
  const { prior, arrays } = isShipped ? priors.shipped : priors.plain;
  const lnScale = new Map(groups.map((group, g) => [group, at(scales, g)] as const));
  const theta = arrays.ln.map((ln, g) => lnScale.get(arrays.groups[g] ?? "") ?? ln);
  return {
    weight,
    isShipped,
    sigma,
    omega,
    prior,
    lnScale,
    mean: from.numbers(),
    cavityMean: from.numbers(),
    priorMean: arrays.mean,
    priorVariance: priorVariance(arrays, theta),
    posterior: new ArrowPosterior(shape, from.numbers(), from.numbers(), {
      n: coreSize(shape),
      l: from.numbers(),
      jitter: 0,
    }),
  };
}
