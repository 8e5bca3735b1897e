import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../core/time.ts";
import type { Limits } from "./spec.ts";

/** Ceilings of a session that says nothing else. */
export const DEFAULT_LIMITS: Limits = {
  maxIterations: 10,
  maxRunningMs: 4 * HOUR_MS,
  noProgressIterations: 3,
  attemptWallMs: 60 * MINUTE_MS,
  attemptIdleMs: 15 * MINUTE_MS,
  transientRetries: 2,
  retryBaseMs: 2 * SECOND_MS,
  concurrency: 4,
  streamCapBytes: 64 * 1024 * 1024,
};

export const CHECK_TIMEOUT_MS = 10 * MINUTE_MS;
