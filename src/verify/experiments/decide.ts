import { anytimeDecision } from "./anytime.ts";
import { CPAR_ADOPT, CPAR_MIN_PAIRS, CPAR_REJECT, cheaperProb } from "./cost-per-accepted.ts";
import { adoptThreshold, betterProb, evidence, looksUpTo, REJECT_PAIRS, REJECT_PROB } from "./sequential.ts";
import type { DecisionRule, Look, Pair, Tally, Verdict } from "./types.ts";

/** A pair whose outcome is known on both sides. */
type Scored = Pair & { readonly baseAccepted: boolean; readonly candidateAccepted: boolean };

function isScored(pair: Pair): pair is Scored {
  return pair.baseAccepted !== undefined && pair.candidateAccepted !== undefined;
}

/**
 * Decides a change from pairs in their planned order. A decision falls only at the looks, each of which sees exactly
 * the first so many scored pairs; the first one stands. So neither looking often nor pairs that come in bulk change
 * anything.
 */
export function decideChange(pairs: readonly Pair[], rule: DecisionRule): Verdict {
  const scored = pairs.filter(isScored);
  const looks = rule.isAnytime === true ? everyPair(rule.maxPairs) : looksUpTo(rule.maxPairs);
  for (const size of looks) {
    if (size > scored.length) return { kind: "undecided", nextLook: size };
    if (size < rule.minPairs && size < rule.maxPairs) continue;
    const seen = scored.slice(0, size);
    const { look, isAdopted, isRejected } = lookAt(seen, rule);
    if (isAdopted) return { kind: "adopt", look };
    if (isRejected) return { kind: "reject", look };
    if (size === rule.maxPairs) return { kind: "unresolved", look };
  }
  return { kind: "undecided", nextLook: looks[0] ?? 1 };
}

function everyPair(maxPairs: number): readonly number[] {
  return Array.from({ length: maxPairs }, (_, i) => i + 1);
}

export function tally(pairs: readonly Pair[]): Tally {
  const scored = pairs.filter(isScored);
  return {
    pairs: scored.length,
    wins: scored.filter((pair) => pair.candidateAccepted && !pair.baseAccepted).length,
    losses: scored.filter((pair) => pair.baseAccepted && !pair.candidateAccepted).length,
  };
}

interface LookResult {
  readonly look: Look;
  readonly isAdopted: boolean;
  readonly isRejected: boolean;
}

function lookAt(seen: readonly Scored[], rule: DecisionRule): LookResult {
  const counts = tally(seen);
  const { wins, losses, pairs } = counts;
  const isHopeless = wins + losses >= REJECT_PAIRS && betterProb(losses, wins) >= REJECT_PROB;
  const ratio = rule.maxCostRatio === undefined ? undefined : costRatio(seen);
  if (ratio !== undefined && ratio > (rule.maxCostRatio ?? ratio)) {
    const look: Look = {
      ...counts,
      betterProb: betterProb(wins, losses),
      worseProb: betterProb(losses, wins),
      measure: "cost-ratio",
    };
    return { look, isAdopted: false, isRejected: true };
  }
  if (rule.isAnytime === true) return anytimeLook(counts, rule);
  const ratios = logRatios(seen);
  if (rule.objective === "cost-per-accepted" && ratios !== undefined)
    return costLook(seen, ratios, counts, rule);
  if (rule.floor > 0 && rule.objective === "acceptance") {
    const proof = evidence(wins, losses, pairs, rule.floor);
    const look: Look = {
      ...counts,
      betterProb: betterProb(wins, losses),
      worseProb: betterProb(losses, wins),
      measure: "evidence",
    };
    return { look, isAdopted: proof >= 1 / rule.alpha, isRejected: isHopeless };
  }
  const better = betterProb(wins, losses);
  const look: Look = {
    ...counts,
    betterProb: better,
    worseProb: betterProb(losses, wins),
    measure: "acceptance",
  };
  return { look, isAdopted: better >= adoptThreshold(rule.maxPairs, rule.alpha), isRejected: isHopeless };
}

function anytimeLook(counts: Tally, rule: DecisionRule): LookResult {
  const { wins, losses } = counts;
  const decision = anytimeDecision(wins, losses, rule.alpha);
  const look: Look = {
    ...counts,
    betterProb: betterProb(wins, losses),
    worseProb: betterProb(losses, wins),
    measure: "acceptance",
  };
  return { look, isAdopted: decision === "adopt", isRejected: decision === "reject" };
}

/** Mean cost of the candidate over that of the base; undefined while a cost is not known. */
export function costRatio(pairs: readonly Pair[]): number | undefined {
  let [base, candidate] = [0, 0];
  for (const { baseUsd, candidateUsd } of pairs) {
    if (baseUsd === undefined || candidateUsd === undefined) return undefined;
    base += baseUsd;
    candidate += candidateUsd;
  }
  return base > 0 ? candidate / base : undefined;
}

function costLook(
  seen: readonly Scored[],
  ratios: readonly number[],
  counts: Tally,
  rule: DecisionRule,
): LookResult {
  const accepted = {
    logRatios: ratios,
    baseAccepted: seen.filter((pair) => pair.baseAccepted).length,
    candidateAccepted: seen.filter((pair) => pair.candidateAccepted).length,
  };
  const better = cheaperProb(accepted, rule.floor);
  const worse = 1 - cheaperProb(accepted, 0);
  const isReady = seen.length >= CPAR_MIN_PAIRS;
  return {
    look: { ...counts, betterProb: better, worseProb: worse, measure: "cost-per-accepted" },
    isAdopted: isReady && better >= CPAR_ADOPT,
    isRejected: isReady && worse >= CPAR_REJECT,
  };
}

/** Undefined when a cost of one of them is not known: outcomes alone decide then. */
function logRatios(seen: readonly Scored[]): readonly number[] | undefined {
  const ratios = seen.map(({ baseUsd, candidateUsd }) =>
    baseUsd === undefined || candidateUsd === undefined || baseUsd <= 0 || candidateUsd <= 0
      ? undefined
      : Math.log(candidateUsd / baseUsd),
  );
  return ratios.every((ratio) => ratio !== undefined) ? ratios : undefined;
}
