import type { AttemptId } from "../core/ids.ts";
import type { CheckFiles } from "../ports/check-files.ts";
import type { CheckRooms } from "../ports/check-rooms.ts";
import type { Clock, Entropy } from "../ports/clock.ts";
import type { Containers } from "../ports/containers.ts";
import type { Notifier } from "../ports/notifier.ts";
import type { ProcessRunner } from "../ports/process.ts";
import type { ProviderEvent, Providers } from "../ports/provider.ts";
import type { AttemptQueue } from "../ports/queue.ts";
import type { SessionFiles } from "../ports/session-files.ts";
import type { LeaseHolder, Store } from "../ports/store.ts";
import type { Prices, UsageReader } from "../ports/usage.ts";
import type { WorkspaceProvider } from "../ports/workspace.ts";
import type { DatedEvent } from "./events.ts";
import type { SessionRun } from "./session-run.ts";
import type { SessionState } from "./state.ts";

/** Everything the engine touches, handed in by the composition root. */
export interface RunPorts {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly store: Store;
  readonly queue: AttemptQueue;
  readonly process: ProcessRunner;
  readonly workspaces: WorkspaceProvider;
  readonly rooms: CheckRooms;
  readonly checkFiles: CheckFiles;
  readonly containers: Containers;
  readonly providers: Providers;
  readonly prices: Prices;
  readonly usageReader: UsageReader;
  readonly files: SessionFiles;
  readonly notifier: Notifier;
  /** Our own environment; only allowed names are ever passed on. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly holder: LeaseHolder;
  readonly version: string;
  /** Keeps leases alive even while our event loop is busy. */
  readonly heart: Heart;
}

/** Beats from a worker thread, so that a blocked event loop does not lose the lease. */
export interface Heart {
  keep(lease: { readonly session: string; readonly fence: number }, onLost: () => void): { stop(): void };
}

/** What a face shows while a session runs. */
export type Progress =
  | { readonly kind: "event"; readonly event: DatedEvent; readonly state: SessionState }
  | {
      readonly kind: "activity";
      readonly attempt: AttemptId;
      readonly piece: string;
      readonly activity: ProviderEvent;
    };

export interface RunOptions {
  /** Called once the session is in our hands, so that a signal can reach it. */
  readonly onOpen?: (run: SessionRun) => void;
  readonly onProgress?: (progress: Progress) => void;
  /** Stay and count down at a provider's limit; otherwise stop with `retryAt`. */
  readonly waitWhenParked: boolean;
  /** A terminal is there to ask. Undefined: never prompt. */
  readonly confirm?: (question: string) => Promise<boolean>;
}

export const LEASE_MS = 30_000;
export const HEARTBEAT_MS = 10_000;
