import type { BinaryData } from "../learn/fit/design.ts";
import { fitBinaryHead } from "../learn/fit/fit-head.ts";
import type { HeadPrior } from "../learn/fit/prior-table.ts";
import { type Interval, nestedRanges } from "../learn/ranges/any-size.ts";
import { cavity } from "../learn/ranges/effect.ts";
import { groupOf } from "../learn/rows/terms.ts";
import { LEVELS, type PartEffects, STUDY_PRIOR } from "./learner-lab.ts";

/** The root mean square of the effects of parts, those that are nothing included. */
const PART_SPREADS: Readonly<Record<PartEffects, number>> = {
  sparseMed: Math.sqrt(0.3) * 0.5,
  sparseLarge: Math.sqrt(0.3) * 0.8,
  rareHuge: Math.sqrt(0.1) * 1.5,
  half: Math.sqrt(0.5) * 0.6,
  fixedMed: Math.sqrt(0.3) * 0.5,
  denseSmall: 0.25,
  denseMed: 0.5,
  null: 0,
};

/** The 80% ranges of parts by the rule that the product prints, for somebody who knows the true spreads. */
export function knownSpreadRanges(data: BinaryData, effects: PartEffects): readonly Interval[] {
  const head = fitBinaryHead(data, { plain: truePrior(effects) });
  const parts = head.nodes.ids.filter((id) => groupOf(id) === "part");
  return parts.map(
    (id) => nestedRanges({ ...cavity(head, [[id, 1]]), spread: PART_SPREADS[effects] }).range80,
  );
}

function truePrior(effects: PartEffects): HeadPrior {
  const spreadOf = (group: string): number =>
    Object.entries(LEVELS).find(([name]) => name === group)?.[1][1] ?? PART_SPREADS[effects];
  return { ...STUDY_PRIOR, scale: (group) => ({ ln: Math.log(spreadOf(group)), lnSd: 1e-4 }) };
}
