import { sha256 } from "../core/hash.ts";
import type { Belief } from "../learn/index.ts";

/** Names the data and the settings that a belief rests on. */
export function fitId(belief: Belief): string {
  return `fit_${sha256(belief.fingerprint).slice(0, 12)}`;
}
