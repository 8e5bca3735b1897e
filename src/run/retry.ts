import type { AttemptId } from "../core/ids.ts";
import { instant } from "../core/time.ts";
import type { AttemptEnd } from "../ports/provider.ts";
import type { Limits } from "./spec.ts";
import type { PieceState } from "./state.ts";

const LONGEST_MS = 60 * 60 * 1000;

/** Delay before retry number `retry` (from 0): the base, growing as the limits say, at most an hour. */
function retryDelayMs(limits: Pick<Limits, "retryBaseMs" | "retryBackoff">, retry: number): number {
  return Math.min(limits.retryBaseMs * growth(limits.retryBackoff, retry), LONGEST_MS);
}

function growth(backoff: Limits["retryBackoff"], retry: number): number {
  switch (backoff) {
    case "fixed":
      return 1;
    case "linear":
      return retry + 1;
    case undefined:
      return 2 ** Math.min(retry, 16);
  }
}

/** Only a transient failure is tried again, and only as often as the limits say. */
export function afterFailure(
  attempt: AttemptId,
  end: Extract<AttemptEnd, { readonly reason: "failed" }>,
  at: string,
  retriesSoFar: number,
  limits: Pick<Limits, "transientRetries" | "retryBaseMs" | "retryBackoff">,
): PieceState {
  if (end.kind !== "transient" || retriesSoFar >= limits.transientRetries) {
    return { state: "failed", attempt, end };
  }
  const notBefore = instant(Date.parse(at) + retryDelayMs(limits, retriesSoFar));
  return { state: "retrying", notBefore, retries: retriesSoFar + 1 };
}

/** How long a session parks when the provider named no time: 5 min, doubling to 1 h. */
export function parkDelayMs(parksSoFar: number): number {
  return Math.min(5 * 60_000 * 2 ** Math.min(parksSoFar, 8), 60 * 60_000);
}
