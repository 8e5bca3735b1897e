import { binaryData } from "../learn/fit/design.ts";
import { fitBinaryHead } from "../learn/fit/fit-head.ts";
import type { HeadBelief } from "../learn/fit/head-belief.ts";
import { keyedStream } from "../learn/kernels/keyed-random.ts";
import { logistic } from "../learn/kernels/normal.ts";
import { logisticNormalMean } from "../learn/kernels/quadrature.ts";
import { beliefOf } from "../learn/ranges/effect.ts";
import { type ModelMonths, modelMonths, stepsTo, stepsUntil } from "../learn/rows/drift.ts";
import type { BinaryRow } from "../learn/rows/head-rows.ts";
import type { Term } from "../learn/rows/terms.ts";
import { inOrder, LEVELS, pick, STUDY_PRIOR } from "./learner-lab.ts";

export interface DriftOptions {
  /** What the first model gains, in logits, from the third of four months on. */
  readonly jump: number;
  readonly runsPerMonth: number;
  /** Runs after which the fit is made anew. */
  readonly every: number;
  /** Whether models may step from month to month. */
  readonly hasSteps: boolean;
}

/** Nats lost against the true chances in the last two months: by all runs, and by those of the model that jumped. */
export interface DriftLoss {
  all: number;
  runs: number;
  jumped: number;
  jumpedRuns: number;
}

interface TimedRun {
  readonly month: number;
  readonly model: string;
  readonly terms: readonly Term[];
  readonly chance: number;
  readonly isYes: boolean;
}

const MONTHS = 4;
const JUMPED = "0";

/** Predicts each run of the last two months from those before it, and adds what that lost. */
export function addDriftStudy(sums: DriftLoss, seed: number, options: DriftOptions): void {
  const runs = timedRuns(seed, options);
  for (let start = (MONTHS / 2) * options.runsPerMonth; start < runs.length; start += options.every) {
    const known = runs.slice(0, start);
    const months = modelMonths(known.map(({ model, month }) => [model, month]));
    const rows = known.map((run): BinaryRow => {
      const steps = options.hasSteps ? stepsUntil(months, run.model, run.month, 1) : [];
      return { terms: [...run.terms, ...steps], isYes: run.isYes, reliability: 1, weight: 1 };
    });
    const head = fitBinaryHead(binaryData(rows), { plain: STUDY_PRIOR });
    for (const run of runs.slice(start, start + options.every)) {
      const loss = lossOf(run, predicted(head, run, months, options.hasSteps));
      sums.all += loss;
      sums.runs += 1;
      if (run.model !== JUMPED) continue;
      sums.jumped += loss;
      sums.jumpedRuns += 1;
    }
  }
}

function timedRuns(seed: number, { jump, runsPerMonth }: DriftOptions): readonly TimedRun[] {
  const numbers = inOrder(keyedStream(seed, "drift study"));
  const truth = new Map([["fixed:intercept", 0.6 + 0.5 * numbers.normal()]]);
  const frequencies = new Map<string, readonly number[]>();
  for (const [level, [count, sd]] of Object.entries(LEVELS)) {
    const raw = Array.from({ length: count }, () => 0.3 - Math.log(numbers.uniform()));
    frequencies.set(level, raw);
    for (let i = 0; i < count; i += 1) truth.set(`${level}:${i}`, sd * numbers.normal());
  }
  return Array.from({ length: MONTHS * runsPerMonth }, (_, n): TimedRun => {
    const month = Math.floor(n / runsPerMonth);
    const chosen = [...frequencies].map(
      ([level, raw]) => [level, `${pick(raw, numbers.uniform())}`] as const,
    );
    const model = chosen.find(([level]) => level === "model")?.[1] ?? "";
    const terms: Term[] = [
      ["fixed:intercept", 1],
      ...chosen.map(([level, key]): Term => [`${level}:${key}`, 1]),
    ];
    const jumped = model === JUMPED && month >= MONTHS / 2 ? jump : 0;
    const chance = logistic(terms.reduce((sum, [id]) => sum + (truth.get(id) ?? 0), jumped));
    return { month, model, terms, chance, isYes: numbers.uniform() < chance };
  });
}

function predicted(head: HeadBelief, run: TimedRun, months: ModelMonths, hasSteps: boolean): number {
  const steps = hasSteps ? stepsTo(months, run.model, run.month, 1) : [];
  const { mean, range } = beliefOf(head, [...run.terms, ...steps]);
  const sd = (range.hi - range.lo) / (2 * 1.2815515655);
  return logisticNormalMean(mean, sd * sd);
}

function lossOf({ chance }: TimedRun, prob: number): number {
  return chance * Math.log(chance / prob) + (1 - chance) * Math.log((1 - chance) / (1 - prob));
}
