import type { HeadPrior } from "../learn/fit/prior-table.ts";
import { type KeyedStream, keyedStream } from "../learn/kernels/keyed-random.ts";
import { logistic, normalQuantile } from "../learn/kernels/normal.ts";
import { at } from "../learn/kernels/vector.ts";
import type { BinaryRow } from "../learn/rows/head-rows.ts";
import { groupOf, type Term } from "../learn/rows/terms.ts";
import { presenceOf } from "./part-presence.ts";

/** Simulated runs whose true effects are known, as the calibration study draws them. */
export interface SimulatedRuns {
  readonly rows: readonly BinaryRow[];
  readonly truth: ReadonlyMap<string, number>;
  /** Rows that the fit has not seen, with their true chance. */
  readonly test: readonly { readonly terms: readonly Term[]; readonly chance: number }[];
  readonly parts: readonly string[];
}

export type PartEffects =
  | "sparseMed"
  | "sparseLarge"
  | "rareHuge"
  | "half"
  | "fixedMed"
  | "denseSmall"
  | "denseMed"
  | "null";

/** Levels of the generator: how many, the true spread, and what the fit believes it to be. */
export const LEVELS = {
  type: [6, 0.6, 0.7],
  repo: [6, 0.4, 0.5],
  model: [5, 0.5, 0.6],
  effort: [3, 0.4, 0.45],
  topology: [3, 0.4, 0.5],
  size: [3, 0.4, 0.4],
  lang: [4, 0.3, 0.4],
} as const;

/** The hyperprior of the study: on purpose not the generator's own. */
export const STUDY_PRIOR: HeadPrior = {
  scale: (group) => {
    const level = Object.entries(LEVELS).find(([name]) => name === group)?.[1];
    return { ln: Math.log(level?.[2] ?? 0.3), lnSd: 0.7 };
  },
  node: (id) =>
    groupOf(id) === "fixed"
      ? { mean: 0.5, variance: 4, isScaled: false }
      : { mean: 0, variance: 0, isScaled: true },
  sigma: { ln: Math.log(0.5), lnSd: 0.5 },
  omega: { ln: Math.log(0.5), lnSd: 0.5 },
};

/** Random numbers, one after the other. */
export interface Numbers {
  normal(): number;
  uniform(): number;
}

export function inOrder(stream: KeyedStream): Numbers {
  let index = 0;
  const next = () => {
    index += 1;
    return index;
  };
  return { normal: () => stream.normal(next()), uniform: () => stream.uniform(next()) };
}

export interface SimulationOptions {
  readonly runs: number;
  readonly parts: number;
  readonly effects: PartEffects;
  readonly tests?: number;
  /** How runs come to have parts: a few at once, or each repository from some day on. */
  readonly design?: "mid" | "step";
  /** Draw every spread and effect from what the study's fit believes beforehand, in place of the true ones. */
  readonly isFromPrior?: boolean;
}

export function simulateRuns(seed: number, options: SimulationOptions): SimulatedRuns {
  const numbers = inOrder(keyedStream(seed, "calibration study"));
  const isFromPrior = options.isFromPrior === true;
  const spread = (group: string, sd: number) => (isFromPrior ? priorSpread(group, numbers) : sd);
  const center = isFromPrior ? 0.5 + 2 * numbers.normal() : 0.6 + 0.5 * numbers.normal();
  const truth = new Map<string, number>([["fixed:intercept", center]]);
  const frequencies = new Map<string, readonly number[]>();
  for (const [level, [count, sd]] of Object.entries(LEVELS)) {
    const raw = drawnFrequencies(count, numbers);
    frequencies.set(level, raw);
    const own = spread(level, sd);
    for (let i = 0; i < count; i += 1) truth.set(`${level}:${i}`, own * numbers.normal());
  }
  const parts = Array.from({ length: options.parts }, (_, j) => `part:h|skill:${String(j).padStart(2, "0")}`);
  const thresholds = parts.map(() => normalQuantile(0.15 + 0.6 * numbers.uniform()));
  const partSd = spread("part", 0);
  for (const part of parts) {
    truth.set(part, isFromPrior ? partSd * numbers.normal() : effectOf(options.effects, numbers));
  }
  const hasPart = presenceOf(options.design ?? "mid", thresholds, numbers);
  const drawRow = (time: number): { terms: Term[]; chance: number } => {
    const terms: Term[] = [["fixed:intercept", 1]];
    for (const [level, raw] of frequencies) terms.push([`${level}:${pick(raw, numbers.uniform())}`, 1]);
    const repo = terms.find(([id]) => groupOf(id) === "repo")?.[0] ?? "";
    const isOn = hasPart(repo, time);
    parts.forEach((part, j) => {
      if (isOn(j)) terms.push([part, 1]);
    });
    const eta = terms.reduce((sum, [id, value]) => sum + value * (truth.get(id) ?? 0), 0);
    return { terms, chance: logistic(eta) };
  };
  const rows = Array.from({ length: options.runs }, (_, n): BinaryRow => {
    const { terms, chance } = drawRow(n / options.runs);
    return { terms, isYes: numbers.uniform() < chance, reliability: 1, weight: 1 };
  });
  const test = Array.from({ length: options.tests ?? 0 }, (_, n) => drawRow(n / (options.tests ?? 1)));
  return { rows, truth, test, parts };
}

/** How often each of some levels is met, up to a factor. */
export function drawnFrequencies(count: number, numbers: Numbers): number[] {
  return Array.from({ length: count }, () => 0.3 - Math.log(numbers.uniform()));
}

function priorSpread(group: string, numbers: Numbers): number {
  const { ln, lnSd } = STUDY_PRIOR.scale(group);
  return Math.exp(ln + lnSd * numbers.normal());
}

export function pick(frequencies: readonly number[], u: number): number {
  const total = frequencies.reduce((sum, value) => sum + value, 0);
  let rest = u * total;
  for (let i = 0; i < frequencies.length; i += 1) {
    rest -= at(frequencies, i);
    if (rest < 0) return i;
  }
  return frequencies.length - 1;
}

function effectOf(kind: PartEffects, numbers: Numbers): number {
  const u = numbers.uniform();
  const z = numbers.normal();
  switch (kind) {
    case "sparseMed":
      return u < 0.3 ? 0.5 * z : 0;
    case "sparseLarge":
      return u < 0.3 ? 0.8 * z : 0;
    case "rareHuge":
      return u < 0.1 ? 1.5 * Math.sign(z) : 0;
    case "half":
      return u < 0.5 ? 0.6 * z : 0;
    case "fixedMed":
      return u < 0.3 ? 0.5 * Math.sign(z) : 0;
    case "denseSmall":
      return 0.25 * z;
    case "denseMed":
      return 0.5 * z;
    case "null":
      return 0;
  }
}
