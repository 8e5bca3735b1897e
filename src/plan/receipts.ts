import { type Belief, fitBelief, type RunFacts, type ShippedPrior } from "../learn/index.ts";
import { betaQuantile } from "../learn/kernels/beta.ts";
import { clip } from "../learn/kernels/vector.ts";
import { Predictor } from "./predict.ts";
import { outcomeOfRun } from "./receipt.ts";
import { summarize } from "./summary.ts";

/** A run beside what was believed of it before it ran. */
export interface Receipt {
  readonly run: string;
  readonly successProb: number;
  readonly isAccepted: boolean | undefined;
  readonly costUsd: { readonly mean: number; readonly lo: number; readonly hi: number };
  /** Undefined while a part of it is unknown. */
  readonly realizedUsd: number | undefined;
}

const BLOCKS = 6;

/** What was foretold of a run at its time. */
export type Foretold = Pick<Receipt, "successProb" | "costUsd">;

/**
 * Predicts every run from the runs before it, in order of time, unless it was foretold already. The belief is renewed
 * after each of six blocks, so that a long history costs six fits and no run is predicted from itself.
 */
export function receiptsOf(
  runs: readonly RunFacts[],
  shipped: ShippedPrior | undefined,
  foretold: ReadonlyMap<string, Foretold> = new Map(),
): readonly Receipt[] {
  const size = Math.max(1, Math.ceil(runs.length / BLOCKS));
  const receipts: Receipt[] = [];
  for (let start = 0; start < runs.length; start += size) {
    const predictorOf = byMoment(() => fitBelief(runs.slice(0, start), shipped));
    for (const run of runs.slice(start, start + size)) {
      receipts.push(receiptOf(run, foretold.get(run.id) ?? foretell(predictorOf(run), run)));
    }
  }
  return receipts;
}

const DRAWS = 200;

/** One fit for all runs, and one predictor for each month and its prices. */
function byMoment(learn: () => Belief): (run: RunFacts) => Predictor {
  let belief: Belief | undefined;
  const known = new Map<string, Predictor>();
  return ({ month = 0, attempts }) => {
    belief ??= learn();
    const prices = new Map(
      attempts.map(({ setting, lnPrice = 0 }) => [setting.model ?? "", lnPrice] as const),
    );
    const key = JSON.stringify([month, [...prices].filter(([, lnPrice]) => lnPrice !== 0)]);
    const priced = { ...belief, lnPriceNow: (model: string) => prices.get(model) ?? 0 };
    const predictor = known.get(key) ?? new Predictor(priced, month, DRAWS);
    known.set(key, predictor);
    return predictor;
  };
}

function foretell(predictor: Predictor, run: RunFacts): Foretold {
  const { success } = predictor.predict(run.task, run.workflow);
  const cost = summarize(predictor.simulate("cost", run.task, run.workflow, success));
  return {
    successProb: success.reduce((sum, p) => sum + p, 0) / success.length,
    costUsd: { mean: cost.mean, lo: cost.lo, hi: cost.hi },
  };
}

function receiptOf(run: RunFacts, foretold: Foretold): Receipt {
  const { isAccepted, costUsd } = outcomeOfRun(run);
  return { run: run.id, ...foretold, isAccepted, realizedUsd: costUsd };
}

export type Held = "held" | "failed" | "too-few";

export interface Calibration {
  readonly success: {
    readonly scored: number;
    readonly logScore: number | undefined;
    readonly baseRateLogScore: number | undefined;
    readonly brier: number | undefined;
    readonly held: Held;
    readonly bins: readonly {
      readonly from: number;
      readonly runs: number;
      readonly predicted: number;
      readonly accepted: number;
    }[];
  };
  readonly cost: {
    readonly scored: number;
    readonly inside: number;
    /** Share of runs inside their 80% range, with a 95% interval (Clopper and Pearson, 1934). */
    readonly coverage: { readonly mean: number; readonly lo: number; readonly hi: number } | undefined;
    readonly held: Held;
    readonly predictedMeanUsd: number | undefined;
    readonly realizedMeanUsd: number | undefined;
  };
}

const FEWEST = 10;

/** How well receipts held. A verdict about calibration takes ten of them. */
export function calibrationOf(receipts: readonly Receipt[]): Calibration {
  return { success: successCalibration(receipts), cost: costCalibration(receipts) };
}

function successCalibration(receipts: readonly Receipt[]): Calibration["success"] {
  const scored = receipts.flatMap(({ successProb, isAccepted }) =>
    isAccepted === undefined ? [] : [{ p: clip(successProb, 1e-6, 1 - 1e-6), z: isAccepted ? 1 : 0 }],
  );
  const rate = clip(mean(scored.map(({ z }) => z)) ?? 0.5, 1e-6, 1 - 1e-6);
  const score = (p: number, z: number) => Math.log(z === 1 ? p : 1 - p);
  const bins = [0, 0.2, 0.4, 0.6, 0.8].map((from) => {
    const inside = scored.filter(({ p }) => p >= from && (p < from + 0.2 || from === 0.8));
    return {
      from,
      runs: inside.length,
      predicted: mean(inside.map(({ p }) => p)) ?? 0,
      accepted: inside.filter(({ z }) => z === 1).length,
    };
  });
  const expected = scored.reduce((sum, { p }) => sum + p, 0);
  const spread = Math.sqrt(scored.reduce((sum, { p }) => sum + p * (1 - p), 0));
  const accepted = scored.filter(({ z }) => z === 1).length;
  const isOff = Math.abs(accepted - expected) > 1.96 * spread;
  return {
    scored: scored.length,
    logScore: mean(scored.map(({ p, z }) => score(p, z))),
    baseRateLogScore: mean(scored.map(({ z }) => score(rate, z))),
    brier: mean(scored.map(({ p, z }) => (p - z) ** 2)),
    held: scored.length < FEWEST ? "too-few" : isOff ? "failed" : "held",
    bins,
  };
}

function costCalibration(receipts: readonly Receipt[]): Calibration["cost"] {
  const scored = receipts.flatMap(({ costUsd, realizedUsd }) =>
    realizedUsd === undefined ? [] : [{ ...costUsd, realizedUsd }],
  );
  const n = scored.length;
  const inside = scored.filter(({ lo, hi, realizedUsd }) => lo <= realizedUsd && realizedUsd <= hi).length;
  const coverage =
    n === 0
      ? undefined
      : {
          mean: inside / n,
          lo: inside === 0 ? 0 : betaQuantile(0.025, inside, n - inside + 1),
          hi: inside === n ? 1 : betaQuantile(0.975, inside + 1, n - inside),
        };
  const isOff = coverage !== undefined && (coverage.lo > 0.85 || coverage.hi < 0.75);
  return {
    scored: n,
    inside,
    coverage,
    held: n < FEWEST ? "too-few" : isOff ? "failed" : "held",
    predictedMeanUsd: mean(scored.map((one) => one.mean)),
    realizedMeanUsd: mean(scored.map((one) => one.realizedUsd)),
  };
}

function mean(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}
