import type { TaskFacts, WorkflowFacts } from "../learn/index.ts";
import type { Prediction, Predictor } from "./predict.ts";
import { mean, type Quantiles, quantilesOf, type Summary, summarize } from "./summary.ts";

/** An amount of one run: what is expected, and where a single run falls. */
export interface Amount {
  readonly mean: number;
  readonly quantiles: Quantiles;
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

/** The forecast of a configuration; with its prediction when there is one already. */
export function forecastOf(
  predictor: Predictor,
  task: TaskFacts,
  workflow: WorkflowFacts,
  prediction: Prediction = predictor.predict(task, workflow),
): Forecast {
  const { success } = prediction;
  return {
    success: summarize(success),
    costUsd: {
      mean: mean(prediction.costUsd),
      quantiles: quantilesOf(predictor.simulate("cost", task, workflow, success)),
    },
    tokens: {
      mean: mean(predictor.tokens(task, workflow, success)),
      quantiles: quantilesOf(predictor.simulate("tokens", task, workflow, success)),
    },
    rounds: mean(prediction.rounds),
  };
}
