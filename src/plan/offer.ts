import type { Setting } from "../formats/workflow/index.ts";
import { modelPath } from "../learn/index.ts";

/** A model that can be run here, by which harness and with which efforts. */
export interface Offer {
  readonly harness: string;
  readonly model: string;
  readonly efforts: readonly string[];
}

const EFFORT_ORDER = ["none", "minimal", "low", "medium", "high", "xhigh", "max", "ultra"];
/** Where a word stands that is no effort, `default` among them. */
const USUAL_PLACE = EFFORT_ORDER.indexOf("high");

export function settingOf({ harness, model }: Offer, effort: string): Setting {
  return { harness, model, effort, contextPolicy: "fresh", options: {} };
}

/** A model of another family, of another maker if there is one. */
export function otherFamily(model: string, offers: readonly Offer[]): Offer | undefined {
  const own = modelPath(model);
  const others = offers.filter((offer) => modelPath(offer.model).family !== own.family);
  return others.find((offer) => modelPath(offer.model).provider !== own.provider) ?? others[0];
}

/** The offered effort that is nearest on the scale of efforts, of equals the lower. */
export function nearestEffort({ efforts }: Offer, wanted: string): string {
  if (efforts.includes(wanted)) return wanted;
  const known = EFFORT_ORDER.indexOf(wanted);
  const place = known < 0 ? USUAL_PLACE : known;
  const distance = (effort: string) => Math.abs(EFFORT_ORDER.indexOf(effort) - place);
  const inOrder = [...efforts].sort((a, b) => EFFORT_ORDER.indexOf(a) - EFFORT_ORDER.indexOf(b));
  return inOrder.reduce(
    (best, effort) => (distance(effort) < distance(best) ? effort : best),
    inOrder[0] ?? wanted,
  );
}
