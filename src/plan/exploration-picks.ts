import type { Belief } from "../learn/index.ts";
import { explorationGains, outlook } from "./explore.ts";
import type { Choice, ExplorationPick, Question } from "./question.ts";
import type { Rescue } from "./rescue.ts";
import type { Standing } from "./standing.ts";
import { difference, gapOf } from "./summary.ts";

/** Candidates that a pick is weighed against. */
export const RIVALS = 32;
const EXPLORED = 12;

/** The best by payback or by gain, as asked for, and the best among candidates of another shape or model family. */
export function explorationsOf(
  standings: readonly Standing[],
  pick: Standing,
  rescue: Rescue,
  belief: Belief,
  question: Question,
  choiceOf: (standing: Standing) => Choice,
): readonly ExplorationPick[] {
  if (!Number.isFinite(rescue.usd)) return [];
  const rivals = [pick, ...standings.filter((one) => one !== pick)].slice(0, RIVALS);
  const outlooks = rivals.map(({ success, costUsd }) => outlook(success, costUsd));
  const noise = noiseOf(belief);
  const order = question.explorePick === "max_gain" ? byGain : byPayback;
  const picks = rivals
    .slice(1, EXPLORED + 1)
    .flatMap((rival, i) => {
      const extra = Math.max(0, rival.lossMean - pick.lossMean);
      const options = explorationGains(outlooks, i + 1, rescue.usd, noise)
        .filter(({ gainUsd }) => gainUsd > 0.01 * pick.lossMean)
        .map(({ batch, gainUsd }) => ({
          rival,
          batch,
          gainUsd,
          priceUsd: batch * extra,
          paybackRuns: Math.max(1, Math.ceil((batch * extra) / gainUsd)),
        }));
      const [best] = options.filter((option) => isAffordable(option, question)).sort(order);
      return best === undefined ? [] : [best];
    })
    .sort(order);
  const [first] = picks;
  const second = picks.find(({ rival }) => first !== undefined && isUnlike(rival, first.rival));
  return [first, second].flatMap((one) => {
    if (one === undefined) return [];
    const { rival, batch, gainUsd, priceUsd, paybackRuns } = one;
    return [
      {
        choice: choiceOf(rival),
        runs: batch,
        gainUsd,
        priceUsd,
        pairUsd: batch * (rival.costMean + pick.costMean),
        paybackRuns,
        isAutoOk: paybackRuns < (question.autoPaybackRuns ?? 0),
        beatsProb: difference(pick.loss, rival.loss).positiveProb,
      },
    ];
  });
}

interface Batch {
  readonly rival: Standing;
  readonly batch: number;
  readonly gainUsd: number;
  readonly paybackRuns: number;
}

function byPayback(a: Batch, b: Batch): number {
  return a.paybackRuns - b.paybackRuns || b.gainUsd - a.gainUsd;
}

function byGain(a: Batch, b: Batch): number {
  return b.gainUsd - a.gainUsd || a.paybackRuns - b.paybackRuns;
}

function isAffordable({ rival, batch, paybackRuns }: Batch, { horizonRuns, budgetUsd }: Question): boolean {
  return paybackRuns <= horizonRuns && batch * rival.costMean <= (budgetUsd ?? Number.POSITIVE_INFINITY);
}

function isUnlike(a: Standing, b: Standing): boolean {
  const models = ({ candidate }: Standing) =>
    candidate.facts.pieces.map(({ setting }) => setting.model ?? "").join(",");
  return a.candidate.facts.shape !== b.candidate.facts.shape || models(a) !== models(b);
}

/** Variance of one run's ln cost around its expectation. */
function noiseOf(belief: Belief): number {
  const total = belief.cost.points.reduce((sum, { weight }) => sum + weight, 0);
  return (
    belief.cost.points.reduce(
      (sum, { weight, sigma, omega }) => sum + weight * (sigma ** 2 + omega ** 2),
      0,
    ) / Math.max(1e-9, total)
  );
}

/** Without a gain that pays: the rival whose standing against the pick is least certain for its money. */
export function teacherOf(standings: readonly Standing[], pick: Standing): readonly Standing[] {
  const rivals = standings.filter((one) => one !== pick).slice(0, RIVALS);
  const rated = rivals.map((rival) => ({
    rival,
    worth: gapOf(pick.success, rival.success).sd / Math.max(rival.costMean, 1e-6) ** 0.5,
  }));
  return rated
    .sort((a, b) => b.worth - a.worth)
    .slice(0, 1)
    .map(({ rival }) => rival);
}
