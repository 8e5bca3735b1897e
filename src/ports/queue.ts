import type { JsonObject } from "../core/canonical-json.ts";
import type { Digest } from "../core/hash.ts";
import type { AttemptId, SessionId } from "../core/ids.ts";
import type { Result } from "../core/result.ts";
import type { Instant } from "../core/time.ts";

/** A worker's time-limited right to one attempt. */
export interface Claim {
  readonly attempt: AttemptId;
  readonly session: SessionId;
  readonly worker: string;
  readonly fence: number;
  readonly assignment: Digest;
  readonly leaseUntil: Instant;
}

export type QueueState = "ready" | "claimed" | "settled" | "canceled";
export interface QueueRow {
  readonly attempt: AttemptId;
  readonly session: SessionId;
  readonly key: string;
  readonly state: QueueState;
  readonly fence: number;
  readonly worker?: string;
  readonly leaseUntil?: Instant;
  readonly cancelRequested: boolean;
  /** Present when settled: what the worker reported, until the coordinator has acknowledged it. */
  readonly result?: JsonObject;
}

/**
 * Hands each attempt to one worker at a time. Enqueueing happens inside `Store.append`, in the same transaction.
 * A completion counts once: it must carry the current fence and the assignment's hash.
 */
export interface AttemptQueue {
  /**
   * Best ready rows first (highest priority, then oldest) whose key has no live claim, lapsed or not, and whose
   * dependencies are settled or acknowledged. A canceled one holds its dependants back until it is acknowledged.
   */
  claim(request: {
    readonly worker: string;
    readonly capabilities: readonly string[];
    readonly max: number;
    readonly now: Instant;
    readonly leaseUntil: Instant;
    readonly session?: SessionId;
  }): Promise<Result<readonly Claim[]>>;
  heartbeat(
    claim: Pick<Claim, "attempt" | "fence">,
    leaseUntil: Instant,
  ): Promise<Result<"ok" | "lost" | "canceled">>;
  /** False when the fence or the assignment is not the current one: the result is thrown away. */
  complete(claim: Claim, result: JsonObject): Promise<Result<boolean>>;
  /** Asks the worker to stop (it sees `canceled` at its next heartbeat); a ready row is settled as canceled at once. */
  cancel(attempt: AttemptId): Promise<Result<void>>;
  /**
   * Ends a claim whose worker is proved dead, so that its late completion is refused (the fence moves).
   * Never called on a lapsed lease alone: a sleeping laptop's worker is alive. The row ends as `canceled`, without
   * a result, and is not handed out again: a retry is a new attempt.
   */
  revoke(attempt: AttemptId, fence: number): Promise<Result<boolean>>;
  list(session: SessionId): Promise<Result<readonly QueueRow[]>>;
}
