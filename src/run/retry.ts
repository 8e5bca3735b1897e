import type { AttemptId } from "../core/ids.ts";
import { instant } from "../core/time.ts";
import type { AttemptEnd } from "../ports/provider.ts";
import type { Limits } from "./spec.ts";
import type { PieceState } from "./state.ts";

/** Delay before retry number `retry` (from 0): the base, doubling, at most an hour. */
export function retryDelayMs(baseMs: number, retry: number): number {
  return Math.min(baseMs * 2 ** Math.min(retry, 16), 60 * 60 * 1000);
}

/** Only a transient failure is tried again, and only as often as the limits say. */
export function afterFailure(
  attempt: AttemptId,
  end: Extract<AttemptEnd, { readonly reason: "failed" }>,
  at: string,
  retriesSoFar: number,
  limits: Pick<Limits, "transientRetries" | "retryBaseMs">,
): PieceState {
  if (end.kind !== "transient" || retriesSoFar >= limits.transientRetries) {
    return { state: "failed", attempt, end };
  }
  const notBefore = instant(Date.parse(at) + retryDelayMs(limits.retryBaseMs, retriesSoFar));
  return { state: "retrying", notBefore, retries: retriesSoFar + 1 };
}

/** How long a session parks when the provider named no time: 5 min, doubling to 1 h. */
export function parkDelayMs(parksSoFar: number): number {
  return Math.min(5 * 60_000 * 2 ** Math.min(parksSoFar, 8), 60 * 60_000);
}
