/** What was spent up to a moment. Dollars are absent where a part has no price. */
export interface SpendReading {
  readonly atMs: number;
  readonly tokens: number;
  readonly microUsd: number | undefined;
}

export interface Pace {
  readonly tokensPerMinute: number;
  readonly microUsdPerMinute: number | undefined;
}

/** The pace is that of the last minutes: an agent that waits for a test must not look as if it had stopped. */
export const PACE_MS = 5 * 60_000;

/** Between two readings. What came in less than a minute counts as that minute's: a first answer is no pace yet. */
export function paceBetween(first: SpendReading, last: SpendReading): Pace {
  const minutes = Math.max(1, (last.atMs - first.atMs) / 60_000);
  const [from, to] = [first.microUsd, last.microUsd];
  return {
    tokensPerMinute: Math.round((last.tokens - first.tokens) / minutes),
    microUsdPerMinute: from === undefined || to === undefined ? undefined : Math.round((to - from) / minutes),
  };
}

/** Whole minutes until this much is used up; 0 when it is, undefined when nothing is being spent or it is not known. */
export function minutesTo(leftMicroUsd: number | undefined, pace: Pace): number | undefined {
  const { microUsdPerMinute } = pace;
  if (leftMicroUsd === undefined) return undefined;
  if (leftMicroUsd <= 0) return 0;
  if (microUsdPerMinute === undefined || microUsdPerMinute <= 0) return undefined;
  return Math.round(leftMicroUsd / microUsdPerMinute);
}
