import type { TaskFacts } from "../learn/index.ts";
import type { Candidate } from "./candidates.ts";
import type { Forecast } from "./forecast.ts";
import type { Support } from "./predict.ts";
import type { ScoreTarget } from "./reach.ts";
import type { Recalibration } from "./recalibrate.ts";
import type { CostRecalibration } from "./recalibrate-cost.ts";
import type { Rescue } from "./rescue.ts";
import type { Summary } from "./summary.ts";

/** How a miss is priced. */
export type RescueRule =
  | {
      readonly kind: "retry";
      /** Runs in all, the first one counted. */
      readonly attempts?: number;
      /** Least chance of a workflow that rescues, while one has it. */
      readonly minProb?: number;
      /** The chance of each retry as a share of that of the try before. */
      readonly decay?: number;
    }
  | { readonly kind: "redo_usual" }
  | { readonly kind: "fixed"; readonly usd: number };

export interface Question {
  readonly task: TaskFacts;
  readonly candidates: readonly Candidate[];
  /** The configuration that the user runs now. */
  readonly currentId?: string;
  /** Whether it is run by habit, rather than since it was recommended. */
  readonly isCurrentUsual?: boolean;
  readonly rescue: RescueRule;
  /** Accepted is what has a score that reaches this, once enough runs have the score. */
  readonly target?: ScoreTarget;
  /** How chances of an accepted result are corrected by how earlier ones held. */
  readonly recalibration?: Recalibration;
  /** How ranges of a run's cost are. */
  readonly costRecalibration?: CostRecalibration;
  /** Ask for at least this chance, 0 to 1. */
  readonly goalProb?: number;
  /** Exploration that costs more than this is not suggested. */
  readonly budgetUsd?: number;
  /** What the exploration that is shown first is best at. */
  readonly explorePick?: "best_value" | "max_gain";
  /** Exploration that has paid after fewer runs than this needs no question. */
  readonly autoPaybackRuns?: number;
  /** Runs over which an exploration must pay. */
  readonly horizonRuns: number;
}

export interface Choice {
  readonly candidate: Candidate;
  readonly name: string;
  readonly success: Summary;
  /** False where the range is so wide that a chance would say nothing. */
  readonly isChanceKnown: boolean;
  readonly costUsd: Summary;
  readonly runUsd: Summary;
  readonly runMedianUsd: number;
  readonly tokens: Summary;
  readonly rounds: number;
  /** Expected dollars of a run with its rescue. */
  readonly lossUsd: number;
  readonly support: Support;
}

export type OptionKey = "goal" | "pair" | "reference" | "cheapest_run" | "most_likely";

/** One way to go on from a recommendation: one run, or a pair of them on the same task. */
export interface Option {
  readonly number: number;
  readonly key: OptionKey;
  readonly members: readonly OptionMember[];
}

export interface OptionMember {
  readonly choice: Choice;
  readonly forecast: Forecast;
  /** Why its run is made. */
  readonly source: "usual" | "alternative" | "exploration";
}

export interface ExplorationPick {
  readonly choice: Choice;
  readonly runs: number;
  readonly gainUsd: number;
  /** One-time price of those runs in place of the usual ones. */
  readonly priceUsd: number;
  readonly pairUsd: number;
  readonly paybackRuns: number;
  readonly isAutoOk: boolean;
  readonly beatsProb: number;
}

export type PickReason =
  | "cheapest-without-a-chance"
  | "lowest-loss"
  | "current-retired"
  | "reaches-the-goal"
  | "most-likely"
  | "current-kept"
  | "saves-more-than-noise";

export interface Recommendation {
  readonly pick: Choice;
  readonly reason: PickReason;
  /** What the pick is measured against: what the user runs now. */
  readonly current: Choice | undefined;
  readonly saving:
    | { readonly usd: number; readonly medianUsd: number; readonly sd: number; readonly prob: number }
    | undefined;
  readonly ties: readonly Choice[];
  readonly curve: readonly (Choice & { readonly frontProb: number })[];
  readonly explorations: readonly ExplorationPick[];
  /** The two runs that would teach most. */
  readonly pair: readonly [Choice, Choice] | undefined;
  readonly rescue: Rescue;
  /** What a chance is one of: an accepted result, or a score that reaches its target. */
  readonly successFrom: "success_head" | "score_head";
  /** What can be taken, numbered from 1. */
  readonly options: readonly Option[];
  readonly considered: number;
}
