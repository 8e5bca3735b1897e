import { cryptoModule } from "../../core/hash.ts";
import type { Clock, Entropy } from "../../ports/clock.ts";

/** As `performance.now()`, whose module would have to be loaded for it at each start of the program. */
function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: monotonicMs,
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

export const systemEntropy: Entropy = { bytes: (count) => cryptoModule().randomBytes(count) };
