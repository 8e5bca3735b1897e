import type { OcpPreference } from "../../formats/ocp/index.ts";
import type { PreferenceFacts } from "./facts.ts";

const BLIND = 0.85;
const SEEN = 0.7;
/** One of the arms is of the judge's own family. */
const OWN = 0.6;

export const OWN_FAMILY_EXT = "dev.loopwright.own_family";

/** What judges said of a run beside others; each comparison once. */
export function preferencesOf(given: readonly OcpPreference[]): readonly PreferenceFacts[] {
  const known = new Map<string, PreferenceFacts>();
  for (const { id, winner, members = [], judge } of given) {
    if (members.length < 2) continue;
    const isOwn = judge?.ext?.[OWN_FAMILY_EXT] === true;
    const reliability = isOwn ? OWN : judge?.blinded === true ? BLIND : SEEN;
    known.set(id, { id, members, reliability, ...(members.includes(winner) && { winner }) });
  }
  return [...known.values()];
}
