import { at } from "../learn/kernels/vector.ts";
import type { Numbers } from "./learner-lab.ts";

/** Which parts a run has that a repository makes at a time from 0 to 1. */
export type Presence = (repo: string, time: number) => (part: number) => boolean;

/** A part's `threshold` decides how often it is there in the middle design; the steps go by chances of their own. */
export function presenceOf(
  design: "mid" | "step",
  thresholds: readonly number[],
  numbers: Numbers,
): Presence {
  return design === "mid" ? together(thresholds, numbers) : adopted(numbers);
}

/** Parts come in three lots that tend to be there together. */
function together(thresholds: readonly number[], numbers: Numbers): Presence {
  return () => {
    const factors = [numbers.normal(), numbers.normal(), numbers.normal()];
    return (part) => Math.SQRT1_2 * (at(factors, part % 3) + numbers.normal()) < at(thresholds, part);
  };
}

const ADOPTED = 0.75;
const DROPPED = 0.25;
const FLIPPED = 0.04;

/** Each repository adopts most parts at some time and drops a few later, so that parts share their effect with time. */
function adopted(numbers: Numbers): Presence {
  const spans = new Map<string, { readonly from: number; readonly to: number }>();
  const spanOf = (key: string) => {
    const known = spans.get(key);
    if (known !== undefined) return known;
    const from = numbers.uniform() < ADOPTED ? numbers.uniform() : 1;
    const to = numbers.uniform() < DROPPED ? from + (1 - from) * numbers.uniform() : 1;
    spans.set(key, { from, to });
    return { from, to };
  };
  return (repo, time) => (part) => {
    const { from, to } = spanOf(`${repo} ${part}`);
    const isOn = from <= time && time < to;
    return numbers.uniform() < FLIPPED ? !isOn : isOn;
  };
}
