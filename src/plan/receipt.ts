import type { StoredPrediction } from "../formats/recommendation/read-stored.ts";
import type { RunFacts } from "../learn/index.ts";

/** What came of a run. */
export interface Outcome {
  /** Undefined while a part of it is unknown. */
  readonly costUsd: number | undefined;
  readonly tokens: number | undefined;
  readonly isAccepted: boolean | undefined;
  /** The chance that the verdict is right. */
  readonly reliability: number;
  readonly rounds: number;
}

/** How a forecast held. Undefined where what came is not known. */
export interface Score {
  readonly isCostInside: boolean | undefined;
  readonly isTokensInside: boolean | undefined;
  /** How far the ln cost lies from the middle of its range, in standard deviations. */
  readonly surprise: number | undefined;
  /** The share of runs that were foretold to cost less. */
  readonly costShare: number | undefined;
  readonly logScore: number | undefined;
}

export function outcomeOfRun(run: RunFacts): Outcome {
  const { attempts, verdict, roundsUsed } = run;
  return {
    costUsd: sumOf(attempts.map(({ costUsd }) => costUsd)),
    tokens: sumOf(attempts.map(({ tokens }) => tokens)),
    isAccepted: verdict?.isAccepted,
    reliability: verdict?.reliability ?? 1,
    rounds: roundsUsed,
  };
}

/** Unknown when a part is: unknown is never zero. */
function sumOf(parts: readonly (number | undefined)[]): number | undefined {
  if (parts.length === 0) return undefined;
  return parts.reduce((sum, part) => (sum === undefined || part === undefined ? undefined : sum + part), 0);
}

const FLOOR = Math.log(1e-6);
/** Standard deviations between the ends of an 80% range. */
const WIDTH = 2 * 1.2816;

export function scoreOf(predicted: StoredPrediction, outcome: Outcome): Score {
  const { cost_usd: cost, tokens, p_success } = predicted;
  return {
    isCostInside: isInside(cost, outcome.costUsd),
    isTokensInside: isInside(tokens, outcome.tokens),
    surprise: surpriseOf(cost, outcome.costUsd),
    costShare: outcome.costUsd === undefined ? undefined : shareBelow(cost.quantiles, outcome.costUsd),
    logScore:
      outcome.isAccepted === undefined
        ? undefined
        : logScore(p_success.mean, outcome.isAccepted, outcome.reliability),
  };
}

/** The log of the chance that was given to the verdict that came, which itself may be wrong. */
export function logScore(chance: number, isAccepted: boolean, reliability: number): number {
  const yes = reliability * chance + (1 - reliability) * (1 - chance);
  return Math.max(FLOOR, Math.log(isAccepted ? yes : 1 - yes));
}

interface Range {
  readonly lo: number;
  readonly hi: number;
}

function isInside({ lo, hi }: Range, value: number | undefined): boolean | undefined {
  return value === undefined ? undefined : lo <= value && value <= hi;
}

function surpriseOf({ lo, hi }: Range, value: number | undefined): number | undefined {
  if (value === undefined || value <= 0 || lo <= 0 || hi <= lo) return undefined;
  const [from, to] = [Math.log(lo), Math.log(hi)];
  return (Math.log(value) - (from + to) / 2) / ((to - from) / WIDTH);
}

/** Where a value lies among quantiles that are known by share; between two of them by proportion. */
function shareBelow(quantiles: Readonly<Record<string, number>>, value: number): number {
  const points = Object.entries(quantiles)
    .map(([share, at]) => ({ share: Number(share), at }))
    .sort((a, b) => a.share - b.share);
  const above = points.findIndex(({ at }) => at >= value);
  const [low, high] = [points[above - 1], points[above]];
  if (high === undefined) return 1;
  if (low === undefined) return 0;
  const part = high.at === low.at ? 0 : (value - low.at) / (high.at - low.at);
  return low.share + part * (high.share - low.share);
}
