import type { AttemptId } from "../core/ids.ts";
import { instant } from "../core/time.ts";
import type { AttemptEnd, FailureKind } from "../ports/provider.ts";
import type { Limits, Retries } from "./spec.ts";
import type { PieceState } from "./state.ts";

const LONGEST_MS = 60 * 60 * 1000;

type RetryLimits = Pick<Limits, "transientRetries" | "retryBaseMs" | "retryBackoff" | "toolRetries">;

/** An outage passes by itself; what else fails is the tool: an agent that cannot be used, or fails for itself. */
export function causeOf(kind: FailureKind): "transient" | "tool" {
  return kind === "transient" ? "transient" : "tool";
}

/** How often a failure of this kind is tried again, and after what delay. */
export function retriesFor(kind: FailureKind, limits: RetryLimits): Retries {
  if (causeOf(kind) === "tool") return limits.toolRetries ?? { count: 0, baseMs: 0 };
  const { transientRetries: count, retryBaseMs: baseMs, retryBackoff: backoff } = limits;
  return { count, baseMs, ...(backoff !== undefined && { backoff }) };
}

/** Delay before retry number `retry` (from 0): the base, growing as it says, at most an hour. */
function delayMs({ baseMs, backoff }: Retries, retry: number): number {
  return Math.min(baseMs * growth(backoff, retry), LONGEST_MS);
}

function growth(backoff: Retries["backoff"], retry: number): number {
  switch (backoff) {
    case "fixed":
      return 1;
    case "linear":
      return retry + 1;
    case undefined:
      return 2 ** Math.min(retry, 16);
  }
}

/** Tried again only as often as the limits say; unless they do, only what is transient. */
export function afterFailure(
  attempt: AttemptId,
  end: Extract<AttemptEnd, { readonly reason: "failed" }>,
  at: string,
  retriesSoFar: number,
  limits: RetryLimits,
): PieceState {
  const retries = retriesFor(end.kind, limits);
  if (retriesSoFar >= retries.count) return { state: "failed", attempt, end };
  const notBefore = instant(Date.parse(at) + delayMs(retries, retriesSoFar));
  return { state: "retrying", notBefore, retries: retriesSoFar + 1 };
}

/** How long a session parks when the provider named no time: 5 min, doubling to 1 h. */
export function parkDelayMs(parksSoFar: number): number {
  return Math.min(5 * 60_000 * 2 ** Math.min(parksSoFar, 8), 60 * 60_000);
}
