import type { TaskFacts, WorkflowFacts } from "../learn/index.ts";
import type { Prediction, Predictor } from "./predict.ts";
import { type CostRecalibration, recalibratedCosts } from "./recalibrate-cost.ts";
import { mean, type Quantiles, quantilesOf, type Summary, summarize } from "./summary.ts";

/** An amount of one run: what is expected, and where a single run falls. */
export interface Amount {
  readonly mean: number;
  readonly quantiles: Quantiles;
  /** Those from before they were corrected by how earlier forecasts held; absent where they were not. */
  readonly uncorrected?: Quantiles;
}

/** What is foretold of one run, to be set against what comes of it. */
export interface Forecast {
  readonly success: Summary;
  /** The mean chance before it was corrected by how earlier forecasts held; absent where it was not. */
  readonly uncorrectedProb?: number;
  readonly costUsd: Amount;
  readonly tokens: Amount;
  readonly rounds: number;
}

/** The forecast of a configuration; with its prediction when there is one already, its costs corrected if they can be. */
export function forecastOf(
  predictor: Predictor,
  task: TaskFacts,
  workflow: WorkflowFacts,
  prediction: Prediction = predictor.predict(task, workflow),
  costs?: CostRecalibration,
): Forecast {
  const { success } = prediction;
  return {
    success: summarize(success),
    costUsd: {
      mean: mean(prediction.costUsd),
      ...costQuantiles(predictor.simulate("cost", task, workflow, success), costs),
    },
    tokens: {
      mean: mean(predictor.tokens(task, workflow, success)),
      quantiles: quantilesOf(predictor.simulate("tokens", task, workflow, success)),
    },
    rounds: mean(prediction.rounds),
  };
}

function costQuantiles(draws: Float64Array, costs: CostRecalibration | undefined): Omit<Amount, "mean"> {
  const plain = quantilesOf(draws);
  return costs === undefined
    ? { quantiles: plain }
    : { quantiles: quantilesOf(recalibratedCosts(draws, costs)), uncorrected: plain };
}
