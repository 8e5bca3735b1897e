import type { Result } from "../../core/result.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Database } from "./driver.ts";
import { lockHolder } from "./lock-holder.ts";
import { isBusy, storeLocked, storeProblem } from "./problems.ts";
import type { WriteName } from "./write-points.ts";

/** How the parts of the store reach the database. `work` is synchronous: it sees and leaves one state. */
export interface Connection {
  readonly file: string;
  read<T>(work: (db: Database) => T): Promise<Result<T>>;
  /** Commits what `work` wrote before it resolves `ok`; a failed or throwing `work` leaves nothing. */
  write<T>(name: WriteName, work: (db: Database) => Result<T>): Promise<Result<T>>;
  close(): Promise<void>;
}

export interface Patience {
  readonly clock: Clock;
  /** How long a locked store is tried again before it is `store-locked`. */
  readonly lockWaitMs: number;
}

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 150;

/** Tries again while the database is locked, giving the event loop its turn in between. */
export async function whileBusy<T>(
  patience: Patience,
  file: string,
  work: () => Result<T>,
): Promise<Result<T>> {
  const { clock, lockWaitMs } = patience;
  const startedMs = clock.monotonic();
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error)) return storeProblem(error, file);
      const waitedMs = clock.monotonic() - startedMs;
      if (waitedMs >= lockWaitMs) return storeLocked(file, waitedMs, lockHolder(file));
    }
    await clock.sleep(pauseMs);
  }
}
