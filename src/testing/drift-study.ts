import { binaryData } from "../learn/fit/design.ts";
import { fitBinaryHead } from "../learn/fit/fit-head.ts";
import type { HeadPrior } from "../learn/fit/prior-table.ts";
import { keyedStream } from "../learn/kernels/keyed-random.ts";
import { logistic } from "../learn/kernels/normal.ts";
import { modelMonths, stepsTo, stepsUntil } from "../learn/rows/drift.ts";
import type { BinaryRow } from "../learn/rows/head-rows.ts";
import type { Term } from "../learn/rows/terms.ts";
import { believedChance, natsLost } from "./belief-loss.ts";
import { drawnFrequencies, inOrder, LEVELS, pick, STUDY_PRIOR } from "./learner-lab.ts";

export interface DriftOptions {
  /** What the first model gains, in logits, from the third of four months on. */
  readonly jump: number;
  /** The part of all runs that the model makes. */
  readonly share: number;
  readonly runsPerMonth: number;
  /** Runs after which the fit is made anew. */
  readonly every: number;
  /** What the fit can tell: no change, steps of any model from month to month, or which model jumped and when. */
  readonly knows: "nothing" | "steps" | "jump";
}

/** Nats lost against the true chances in the last two months: by all runs, and by those of the model that jumped. */
export interface DriftLoss {
  readonly all: number;
  readonly runs: number;
  readonly jumped: number;
  readonly jumpedRuns: number;
  /** By how much the chances of the model that jumped were foretold too high, added up. */
  readonly bias: number;
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
const JUMP = "fixed:jump";
const TOLD: HeadPrior = {
  ...STUDY_PRIOR,
  node: (id) => (id === JUMP ? { mean: 0, variance: 1, isScaled: false } : STUDY_PRIOR.node(id)),
};

/** Predicts each run of the last two months from those before it. */
export function driftStudy(seed: number, options: DriftOptions): DriftLoss {
  const runs = timedRuns(seed, options);
  const sums = { all: 0, runs: 0, jumped: 0, jumpedRuns: 0, bias: 0 };
  for (let start = (MONTHS / 2) * options.runsPerMonth; start < runs.length; start += options.every) {
    const known = runs.slice(0, start);
    const months = modelMonths(known.map(({ model, month }) => [model, month]));
    const rows = known.map((run): BinaryRow => {
      const changes = changesOf(run, options, stepsUntil(months, run.model, run.month, 1));
      return { terms: [...run.terms, ...changes], isYes: run.isYes, reliability: 1, weight: 1 };
    });
    const head = fitBinaryHead(binaryData(rows), { plain: TOLD });
    for (const run of runs.slice(start, start + options.every)) {
      const changes = changesOf(run, options, stepsTo(months, run.model, run.month, 1));
      const prob = believedChance(head, [...run.terms, ...changes]);
      const loss = natsLost(run.chance, prob);
      sums.all += loss;
      sums.runs += 1;
      if (run.model !== JUMPED) continue;
      sums.jumped += loss;
      sums.jumpedRuns += 1;
      sums.bias += prob - run.chance;
    }
  }
  return sums;
}

/** What a fit may say of the change of a run's model, besides its own effect. */
function changesOf(run: TimedRun, { knows }: DriftOptions, steps: readonly Term[]): readonly Term[] {
  if (knows === "steps") return steps;
  return knows === "jump" && hasJumped(run) ? [[JUMP, 1]] : [];
}

function hasJumped({ model, month }: Pick<TimedRun, "model" | "month">): boolean {
  return model === JUMPED && month >= MONTHS / 2;
}

function timedRuns(seed: number, { jump, share, runsPerMonth }: DriftOptions): readonly TimedRun[] {
  const numbers = inOrder(keyedStream(seed, "drift study"));
  const truth = new Map([["fixed:intercept", 0.6 + 0.5 * numbers.normal()]]);
  const frequencies = new Map<string, readonly number[]>();
  for (const [level, [count, sd]] of Object.entries(LEVELS)) {
    const raw = drawnFrequencies(count, numbers);
    frequencies.set(level, level === "model" ? withShare(raw, share) : raw);
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
    const jumped = hasJumped({ model, month }) ? jump : 0;
    const chance = logistic(terms.reduce((sum, [id]) => sum + (truth.get(id) ?? 0), jumped));
    return { month, model, terms, chance, isYes: numbers.uniform() < chance };
  });
}

/** The first model gets so large a part, the others share the rest as they did. */
function withShare([, ...others]: readonly number[], share: number): readonly number[] {
  const rest = others.reduce((sum, value) => sum + value, 0);
  return [(rest * share) / (1 - share), ...others];
}
