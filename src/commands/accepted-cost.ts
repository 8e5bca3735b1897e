import type { JsonObject } from "../core/canonical-json.ts";
import { type JsonSchema, number, object, oneOf, orNull, text, whole } from "./schema.ts";

/** A recorded run with a decided outcome and a cost that is known to the last part. */
export interface DecidedRun {
  readonly isAccepted: boolean;
  readonly microUsd: number;
}

const DRAWS = 2000;
const FEWEST = 5;
const LEVEL = 0.8;

export const PER_ACCEPTED: JsonSchema = object({
  mean: orNull(number),
  lo: orNull(number),
  hi: orNull(number),
  level: number,
  range_kind: oneOf("bootstrap", "none"),
  accepted: whole,
  decided: whole,
  why: orNull(text),
});

/**
 * Dollars spent on all decided runs for each accepted one, with an 80 % band: runs are drawn again with replacement
 * (Efron 1979), 2000 times from a fixed start, so that equal runs give an equal band. The band always holds its own
 * estimate. `hi` is null when a tenth of the draws or more accept nothing.
 */
export function costPerAccepted(runs: readonly DecidedRun[]): JsonObject {
  const accepted = runs.filter((run) => run.isAccepted).length;
  const spent = runs.reduce((sum, run) => sum + run.microUsd, 0);
  const mean = accepted === 0 ? null : dollars(spent / accepted);
  const base = { mean, level: LEVEL, accepted, decided: runs.length };
  if (mean === null || runs.length < FEWEST) {
    const why =
      runs.length === 0
        ? "no recorded run in this time has an outcome and a known cost"
        : mean === null
          ? "no run was accepted"
          : `a band needs ${FEWEST} runs`;
    return { ...base, lo: null, hi: null, range_kind: "none", why };
  }
  const draws = drawn(runs);
  const edge = (1 - LEVEL) / 2;
  const lo = Math.min(mean, dollars(draws[Math.floor(edge * DRAWS)] ?? 0));
  const top = draws[Math.ceil((1 - edge) * DRAWS) - 1] ?? Number.POSITIVE_INFINITY;
  const hi = Number.isFinite(top) ? Math.max(mean, dollars(top)) : null;
  return { ...base, lo, hi, range_kind: "bootstrap", why: null };
}

function drawn(runs: readonly DecidedRun[]): Float64Array {
  const roll = dice();
  return Float64Array.from({ length: DRAWS }, () => {
    let [spent, accepted] = [0, 0];
    for (let i = 0; i < runs.length; i += 1) {
      const run = runs[roll(runs.length)];
      spent += run?.microUsd ?? 0;
      accepted += run?.isAccepted === true ? 1 : 0;
    }
    return accepted === 0 ? Number.POSITIVE_INFINITY : spent / accepted;
  }).sort();
}

/** xorshift32: the same draws every time. */
function dice(): (below: number) => number {
  let state = 20260831;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return Math.floor(((state >>> 0) / 2 ** 32) * below);
  };
}

function dollars(microUsd: number): number {
  return Math.round(microUsd) / 1e6;
}
