import { groupOf } from "../rows/terms.ts";

export type HeadKind = "success" | "gate" | "cost" | "tokens" | "score";

/** How far apart the effects of one group are thought to be: ln of their standard deviation, with its own sd. */
export interface ScalePrior {
  readonly ln: number;
  readonly lnSd: number;
}

/** What is thought of one effect before the data. `scaled`: its variance grows by its group's fitted scale. */
export interface NodePrior {
  readonly mean: number;
  readonly variance: number;
  readonly isScaled: boolean;
}

export interface HeadPrior {
  scale(group: string): ScalePrior;
  node(id: string): NodePrior;
  readonly sigma: ScalePrior;
  readonly omega: ScalePrior;
}

/** The priors to fit under: the table, and the shipped one beside it when there is one. */
export interface Priors {
  readonly plain: HeadPrior;
  readonly shipped?: HeadPrior;
}

export function priorsOf(kind: HeadKind, shipped: ShippedHead | undefined): Priors {
  const plain = plainPrior(kind);
  return shipped === undefined ? { plain } : { plain, shipped: shippedPrior(kind, shipped) };
}

/** One head of the shipped prior, as in its file. */
export interface ShippedHead {
  readonly groups: Readonly<Record<string, { readonly ln_phi_mean: number; readonly ln_phi_sd: number }>>;
  readonly nodes: readonly ShippedNode[];
  readonly sigma?: { readonly ln_mean: number; readonly ln_sd: number };
  readonly omega?: { readonly ln_mean: number; readonly ln_sd: number };
}
export interface ShippedNode {
  readonly id: string;
  readonly mean: number;
  readonly sd: number;
  /** Rows of published figures behind it; 0 for a judgement. */
  readonly runs: number;
}

const SCALE_SD = 0.7;
const MIN_SCALE_SD = 0.4;

/** Standard deviations of the levels: logit heads, then ln dollars and ln tokens, then scores. */
const SCALES: Readonly<Record<string, readonly [number, number, number]>> = {
  org: [1, 0.5, 1],
  type: [1, 0.5, 1],
  repo: [0.7, 0.4, 0.7],
  subtype: [0.5, 0.3, 0.5],
  task: [2, 0.5, 1],
  provider: [0.5, 0.7, 1],
  family: [1, 0.7, 1],
  model: [0.5, 0.5, 0.5],
  effort: [0.5, 0.4, 0.5],
  family_effort: [0.3, 0.2, 0.3],
  harness: [0.5, 0.45, 0.5],
  part: [0.3, 0.15, 0.3],
  role: [0.5, 0.5, 0.5],
  role_family: [0.5, 0.3, 0.5],
  topology: [0.7, 0.5, 0.7],
  position: [0.3, 0.2, 0.3],
  feature: [0.4, 0.3, 0.4],
  source: [0.5, 0.3, 0.5],
  gate: [0.7, 0.5, 0.7],
  drift: [0.3, 0.2, 0.3],
};

/** Effects without a scale: mean and standard deviation, logit heads then the rest. */
const FIXED: Readonly<Record<string, readonly [NodeSpread, NodeSpread]>> = {
  "fixed:intercept": [
    [0.5, 2],
    [0, 10],
  ],
  "fixed:exhausted": [
    [-1, 1],
    [0, 1],
  ],
  "fixed:rounds": [
    [0, 1],
    [0, 1],
  ],
  "fixed:failed": [
    [0, 1],
    [Math.log(1.4), 0.3],
  ],
  "round:2": [
    [0, 2],
    [0, 2],
  ],
  "round:3+": [
    [0, 2],
    [0, 2],
  ],
  "control:budget": [
    [0, 1],
    [0, 1],
  ],
  "control:width": [
    [0, 1],
    [0, 1],
  ],
  "horizon:log2h": [
    [0, 0.25],
    [Math.LN2, 0.35],
  ],
  "horizon:timebox": [
    [0, 1],
    [0, 1.5],
  ],
};
type NodeSpread = readonly [mean: number, sd: number];

/** Groups that mean the same to everybody, so that other people's runs say something about one's own. */
const PORTABLE = [
  "provider",
  "family",
  "model",
  "effort",
  "family_effort",
  "harness",
  "role",
  "role_family",
  "topology",
  "position",
  "gate",
  "feature",
  "type",
];

function isLogit(kind: HeadKind): boolean {
  return kind === "success" || kind === "gate";
}

function levelOf(group: string): string {
  return group.startsWith("feature:") ? "feature" : group;
}

/** The table alone, without anybody's runs. */
export function plainPrior(kind: HeadKind): HeadPrior {
  const column = isLogit(kind) ? 0 : kind === "score" ? 2 : 1;
  return {
    scale: (group) => ({ ln: Math.log(SCALES[levelOf(group)]?.[column] ?? 0.5), lnSd: SCALE_SD }),
    node: (id) => {
      const fixed = FIXED[id];
      if (fixed === undefined) return { mean: 0, variance: 0, isScaled: true };
      // A score under a time box is like a chance: no longer box makes it twice as good.
      const isLikeChance = isLogit(kind) || (kind === "score" && groupOf(id) === "horizon");
      const [mean, sd] = fixed[isLikeChance ? 0 : 1];
      return { mean, variance: sd * sd, isScaled: false };
    },
    sigma: { ln: Math.log(0.5), lnSd: 0.5 },
    omega: { ln: Math.log(0.5), lnSd: 0.5 },
  };
}

/**
 * The table with the shipped summary of other people's runs: an effect that it names starts at its mean, and one's
 * own deviation from there has a scale of its own, half the group's. An effect of such a group that it does not
 * name keeps the group's whole width.
 */
export function shippedPrior(kind: HeadKind, shipped: ShippedHead): HeadPrior {
  const plain = plainPrior(kind);
  const nodes = new Map(shipped.nodes.map((node) => [node.id, node] as const));
  const published = (group: string): ScalePrior => {
    const own = shipped.groups[group] ?? shipped.groups[levelOf(group)];
    return own === undefined
      ? plain.scale(group)
      : { ln: own.ln_phi_mean, lnSd: Math.max(MIN_SCALE_SD, own.ln_phi_sd) };
  };
  const isPortable = (group: string) => PORTABLE.includes(levelOf(group));
  return {
    scale: (group) =>
      isPortable(group) ? { ln: published(group).ln - Math.LN2, lnSd: SCALE_SD } : published(group),
    node: (id) => {
      const base = plain.node(id);
      const known = nodes.get(id);
      if (known !== undefined) return { ...base, mean: known.mean, variance: known.sd * known.sd };
      if (!base.isScaled || !isPortable(groupOf(id))) return base;
      return { ...base, variance: Math.exp(2 * published(groupOf(id)).ln) };
    },
    sigma: noise(shipped.sigma) ?? plain.sigma,
    omega: noise(shipped.omega) ?? plain.omega,
  };
}

function noise(given: ShippedHead["sigma"]): ScalePrior | undefined {
  return given === undefined ? undefined : { ln: given.ln_mean, lnSd: Math.max(MIN_SCALE_SD, given.ln_sd) };
}
