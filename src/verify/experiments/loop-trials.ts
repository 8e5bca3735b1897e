import { sha256 } from "../../core/hash.ts";
import { lifetimeAlpha } from "./anytime.ts";
import { decideChange, tally } from "./decide.ts";
import { DEFAULT_RULE, type DecisionRule, type Pair, type Tally, type Verdict } from "./types.ts";

/** One run of a loop with a change of it, or without, as one half of a pair. */
export interface Trial {
  readonly change: string;
  readonly pair: number;
  readonly arm: "without" | "with";
  /** Absent while it is not known: the run goes on, or ended for reasons that say nothing. */
  readonly isAccepted?: boolean;
  readonly usd?: number;
}

export type TrialPlan = Pick<Trial, "change" | "pair" | "arm">;

export interface TrialStanding extends Tally {
  readonly change: string;
  readonly verdict: Verdict;
}

/** Chance that a loop ever adopts a change that does not help, over all that it tries in its life. */
const LIFETIME = 0.05;

/**
 * How the changes of a loop stand, each by its pairs. The more changes were tried before, the more a change needs, so that
 * trying many does not find a lucky one.
 */
export function standings(trials: readonly Trial[], fewestPairs: number): readonly TrialStanding[] {
  const changes = [...new Set(trials.map(({ change }) => change))];
  return changes.map((change, index) => {
    const pairs = pairsOf(trials.filter((trial) => trial.change === change));
    return { change, ...tally(pairs), verdict: decideChange(pairs, ruleFor(index + 1, fewestPairs)) };
  });
}

/**
 * Which change the next run tries, and which half of a pair it is; undefined when all are decided. A pair that was begun is
 * ended first; which half comes first is drawn from the names, so that neither who asks nor when has a say in it.
 */
export function nextTrial(
  changes: readonly string[],
  trials: readonly Trial[],
  fewestPairs: number,
): TrialPlan | undefined {
  const decided = new Set(
    standings(trials, fewestPairs)
      .filter(({ verdict }) => verdict.kind !== "undecided")
      .map(({ change }) => change),
  );
  const open = changes.filter((change) => !decided.has(change));
  const halves = open.map((change) => ({
    change,
    own: trials.filter((trial) => trial.change === change),
  }));
  const begun = halves.flatMap(({ change, own }) => missingHalf(change, own))[0];
  if (begun !== undefined) return begun;
  const [next] = halves.toSorted((a, b) => a.own.length - b.own.length);
  if (next === undefined) return undefined;
  const pair = Math.max(0, ...next.own.map((trial) => trial.pair)) + 1;
  return { change: next.change, pair, arm: firstArm(next.change, pair) };
}

function missingHalf(change: string, own: readonly Trial[]): readonly TrialPlan[] {
  const last = Math.max(0, ...own.map(({ pair }) => pair));
  const arms = own.filter(({ pair }) => pair === last).map(({ arm }) => arm);
  const missing = (["without", "with"] as const).filter((arm) => !arms.includes(arm));
  return arms.length === 1 ? missing.map((arm) => ({ change, pair: last, arm })) : [];
}

function firstArm(change: string, pair: number): Trial["arm"] {
  return Number.parseInt(sha256(`${change} ${pair}`).slice(0, 8), 16) % 2 === 0 ? "without" : "with";
}

function ruleFor(place: number, minPairs: number): DecisionRule {
  return { ...DEFAULT_RULE, isAnytime: true, alpha: lifetimeAlpha(LIFETIME, place), minPairs };
}

function pairsOf(trials: readonly Trial[]): readonly Pair[] {
  const numbers = [...new Set(trials.map(({ pair }) => pair))].sort((a, b) => a - b);
  return numbers.map((number) => {
    const half = (arm: Trial["arm"]) => trials.find((trial) => trial.pair === number && trial.arm === arm);
    const [base, candidate] = [half("without"), half("with")];
    return {
      ...(base?.isAccepted !== undefined && { baseAccepted: base.isAccepted }),
      ...(candidate?.isAccepted !== undefined && { candidateAccepted: candidate.isAccepted }),
      ...(base?.usd !== undefined && { baseUsd: base.usd }),
      ...(candidate?.usd !== undefined && { candidateUsd: candidate.usd }),
    };
  });
}
