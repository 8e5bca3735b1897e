import { randomBytes } from "node:crypto";
import { performance } from "node:perf_hooks";
import type { Clock, Entropy } from "../../ports/clock.ts";

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const timer = setTimeout(done, Math.min(ms, 2 ** 31 - 1));
      function done(): void {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      }
      signal?.addEventListener("abort", done, { once: true });
    }),
};

export const systemEntropy: Entropy = { bytes: (count) => randomBytes(count) };
