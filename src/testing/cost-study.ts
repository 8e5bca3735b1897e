import { fitNumberHead } from "../learn/fit/fit-head.ts";
import type { HeadBelief } from "../learn/fit/head-belief.ts";
import { numberData } from "../learn/fit/number-data.ts";
import { plainPrior } from "../learn/fit/prior-table.ts";
import { keyedStream } from "../learn/kernels/keyed-random.ts";
import { normalQuantile } from "../learn/kernels/normal.ts";
import { at } from "../learn/kernels/vector.ts";
import { HeadDraws } from "../learn/predict/draws.ts";
import { partEffects } from "../learn/ranges/effect.ts";
import type { NumberRow } from "../learn/rows/head-rows.ts";
import type { Term } from "../learn/rows/terms.ts";
import { inOrder, type Numbers } from "./learner-lab.ts";

/** How the ln cost of an attempt strays: evenly, with heavy tails, or three times as dear once in twelve. */
export type CostNoise = "normal" | "t4" | "blow-ups";

/** How many ranges of effects of harness parts, and of costs of new runs, held what they say. */
export interface CostCounts {
  parts: number;
  held: number;
  real: number;
  realHeld: number;
  held95: number;
  runs: number;
  runsHeld: number;
  runsHeld95: number;
}

export const NO_COUNTS: CostCounts = {
  parts: 0,
  held: 0,
  real: 0,
  realHeld: 0,
  held95: 0,
  runs: 0,
  runsHeld: 0,
  runsHeld95: 0,
};

const PARTS = 15;
const MODELS = 4;
const TESTS = 60;
const DRAWS = 400;
export const [SIGMA, OMEGA] = [0.5, 0.4];
export const BLOW_UPS = { chance: 0.08, factor: 3 };

interface PricedRun {
  readonly terms: readonly Term[];
  readonly lnUsd: readonly number[];
}

/** Adds what one simulated user shows. The attempts of a run share its noise. */
export function addCostStudy(to: CostCounts, seed: number, runs: number, noise: CostNoise): void {
  const numbers = inOrder(keyedStream(seed, `cost study ${noise}`));
  const truth = new Map([["fixed:intercept", numbers.normal()]]);
  for (let m = 0; m < MODELS; m += 1) truth.set(`model:${m}`, 0.5 * numbers.normal());
  const parts = Array.from({ length: PARTS }, (_, j) => `part:h|skill:${String(j).padStart(2, "0")}`);
  const thresholds = parts.map(() => normalQuantile(0.15 + 0.6 * numbers.uniform()));
  for (const part of parts) truth.set(part, numbers.uniform() < 0.3 ? 0.2 * numbers.normal() : 0);
  const draw = (): PricedRun => pricedRun(numbers, truth, parts, thresholds, noise);
  const rows = Array.from({ length: runs }, (_, n) => rowsOf(draw(), `run ${n}`)).flat();
  const head = fitNumberHead(numberData(rows), { plain: plainPrior("cost") });
  for (const [part, { range }] of partEffects(head)) {
    const effect = truth.get(part) ?? 0;
    const isIn = (one: Range | undefined) => Number(one === undefined || isInside(one, effect));
    to.parts += 1;
    to.held += isIn(range?.range80);
    to.held95 += isIn(range?.range95);
    if (effect === 0) continue;
    to.real += 1;
    to.realHeld += isIn(range?.range80);
  }
  addRuns(to, head, Array.from({ length: TESTS }, draw), numbers);
}

interface Range {
  readonly lo: number;
  readonly hi: number;
}

function isInside({ lo, hi }: Range, value: number): boolean {
  return lo <= value && value <= hi;
}

function pricedRun(
  numbers: Numbers,
  truth: ReadonlyMap<string, number>,
  parts: readonly string[],
  thresholds: readonly number[],
  noise: CostNoise,
): PricedRun {
  const present = parts.filter((_, j) => numbers.normal() < at(thresholds, j));
  const model = `model:${Math.floor(MODELS * numbers.uniform())}`;
  const terms = ["fixed:intercept", model, ...present].map((id): Term => [id, 1]);
  const shared = OMEGA * numbers.normal();
  const expected = terms.reduce((sum, [id]) => sum + (truth.get(id) ?? 0), shared);
  const attempts = 1 + Math.floor(3 * numbers.uniform());
  return { terms, lnUsd: Array.from({ length: attempts }, () => expected + strayed(numbers, noise)) };
}

/** By how much the ln cost of one attempt strays from what its run makes of it. */
export function strayed(numbers: Numbers, noise: CostNoise): number {
  const z = SIGMA * numbers.normal();
  if (noise === "normal") return z;
  if (noise === "blow-ups") return z + (numbers.uniform() < BLOW_UPS.chance ? Math.log(BLOW_UPS.factor) : 0);
  const squares = [1, 2, 3, 4].reduce((sum) => sum + numbers.normal() ** 2, 0);
  // Of the same variance as the others: that of t(4) is 2.
  return (z / Math.sqrt(squares / 4)) * Math.SQRT1_2;
}

function rowsOf({ terms, lnUsd }: PricedRun, group: string): readonly NumberRow[] {
  return lnUsd.map((y) => ({ terms, y, weight: 1, group }));
}

/** Whether what new runs cost in all falls into its range. */
function addRuns(to: CostCounts, head: HeadBelief, runs: readonly PricedRun[], numbers: Numbers): void {
  const draws = new HeadDraws(head, "cost", 1, DRAWS);
  const { sigma, omega } = draws.noise();
  for (const { terms, lnUsd } of runs) {
    const totals = draws
      .sum(terms)
      .map((eta, d) => {
        const shared = eta + at(omega, d) * numbers.normal();
        return lnUsd.reduce((sum) => sum + Math.exp(shared + at(sigma, d) * numbers.normal()), 0);
      })
      .sort();
    const actual = lnUsd.reduce((sum, ln) => sum + Math.exp(ln), 0);
    const rangeOf = (tail: number) => ({
      lo: at(totals, Math.round(tail * (DRAWS - 1))),
      hi: at(totals, Math.round((1 - tail) * (DRAWS - 1))),
    });
    to.runs += 1;
    to.runsHeld += Number(isInside(rangeOf(0.1), actual));
    to.runsHeld95 += Number(isInside(rangeOf(0.025), actual));
  }
}
