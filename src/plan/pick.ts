import type { PickReason } from "./question.ts";
import type { Standing } from "./standing.ts";
import { difference, gapOf } from "./summary.ts";

/** A rival whose saving is smaller than this share of its noise is a tie. */
const TIE = 0.25;
/** Moving away from what runs now takes a saving that is this sure. Its mean alone jumps with rare large costs. */
const SURE = 0.8;

export function pickOf(
  standings: readonly Standing[],
  current: Standing | undefined,
  goalProb: number | undefined,
): { readonly pick: Standing; readonly reason: PickReason } | undefined {
  const offered = standings.filter(({ candidate }) => !candidate.isRetired);
  const byCost = [...offered].sort((a, b) => a.costMean - b.costMean);
  const known = offered.filter(({ isChanceKnown }) => isChanceKnown);
  const cheapest = byCost[0];
  const [best] = known;
  if (cheapest === undefined) return undefined;
  if (best === undefined) return { pick: cheapest, reason: "cheapest-without-a-chance" };
  if (goalProb !== undefined) {
    const reaching = known.filter(({ successMean }) => successMean >= goalProb);
    const [first] = [...reaching].sort((a, b) => a.costMean - b.costMean);
    if (first !== undefined) return { pick: first, reason: "reaches-the-goal" };
    const likely = [...known].sort((a, b) => b.successMean - a.successMean)[0];
    return { pick: likely ?? best, reason: "most-likely" };
  }
  if (current === undefined) return { pick: best, reason: "lowest-loss" };
  if (current.candidate.isRetired) return { pick: best, reason: "current-retired" };
  if (current === best) return { pick: best, reason: "current-kept" };
  const saving = difference(current.loss, best.loss);
  return saving.mean > 0 && saving.positiveProb >= SURE
    ? { pick: best, reason: "saves-more-than-noise" }
    : { pick: current, reason: "current-kept" };
}

/** Candidates that cannot be told from the pick. */
export function tiesOf(standings: readonly Standing[], pick: Standing): readonly Standing[] {
  return standings
    .filter((other) => {
      if (other === pick || !other.isChanceKnown || other.candidate.isRetired) return false;
      const gap = gapOf(other.loss, pick.loss);
      return Math.abs(gap.mean) < TIE * gap.sd;
    })
    .slice(0, 5);
}
