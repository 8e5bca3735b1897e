import type { Json, JsonObject } from "../core/canonical-json.ts";
import type { Digest } from "../core/hash.ts";
import type { AttemptId, SessionId } from "../core/ids.ts";
import type { Result } from "../core/result.ts";
import type { Instant } from "../core/time.ts";

/** An event as stored. `hash = sha256(prev ‖ canonicalJson(event without hash))`; the first `prev` is 64 zeros. */
export interface StoredEvent {
  readonly session: SessionId;
  /** From 1, without a gap. */
  readonly seq: number;
  /** `subject:verb`. */
  readonly type: string;
  readonly at: Instant;
  readonly data: JsonObject;
  readonly prev: Digest;
  readonly hash: Digest;
}

export interface NewEvent {
  readonly type: string;
  readonly at: Instant;
  readonly data: JsonObject;
}

/** Where a session's chain ends. `seq` 0 with 64 zeros is the empty chain. */
export interface ChainHead {
  readonly seq: number;
  readonly hash: Digest;
}

/** What a list shows without folding the chain; rewritten with each append. */
export interface SessionSummary {
  readonly session: SessionId;
  /** `001`, `002` ... per top level: the short name that people type. */
  readonly number: number;
  /** Real path of the git top level (or folder) that the session works on. */
  readonly topLevel: string;
  readonly title: string;
  readonly state: string;
  readonly outcome?: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** The engine's fold at `head`, as JSON, so that a reader need not fold the chain. */
  readonly projection: Json;
  readonly head: ChainHead;
}

/** The exclusive right to append to one session's chain. `fence` grows with every new holder. */
export interface SessionLease {
  readonly session: SessionId;
  readonly owner: string;
  readonly fence: number;
  readonly expiresAt: Instant;
  /** What a second starter is told: pid, host, since when. */
  readonly holder: LeaseHolder;
}
export interface LeaseHolder {
  readonly pid: number;
  readonly host: string;
  readonly bootId: string;
  readonly startTicks: string;
  readonly since: Instant;
}

/** A request of another process to the lease holder. */
export interface InboxCommand {
  readonly id: string;
  readonly session: SessionId;
  readonly kind: string;
  readonly payload: JsonObject;
  readonly at: Instant;
}

/** Work that becomes claimable in the same transaction as the events that order it. */
export interface QueuedAttempt {
  readonly attempt: AttemptId;
  readonly session: SessionId;
  /** At most one live claim per key: the real path of the checkout. */
  readonly key: string;
  readonly capability: string;
  readonly priority: number;
  readonly notBefore: Instant;
  readonly dependsOn: readonly AttemptId[];
  readonly assignment: Digest;
}

/** One transaction on a session: all of it or nothing. */
export interface Append {
  readonly session: SessionId;
  readonly fence: number;
  /** The head this append was decided on. A different one is `head-moved`: somebody else wrote. */
  readonly expectedHead: ChainHead;
  readonly events: readonly NewEvent[];
  readonly summary: Pick<SessionSummary, "title" | "state" | "outcome" | "projection">;
  readonly enqueue?: readonly QueuedAttempt[];
  /** Settled or canceled attempts whose end is now in the chain; the queue forgets them. Another state is a bug. */
  readonly acknowledge?: readonly AttemptId[];
  /** Pending inbox commands that these events answer. Answering one that is not pending is a bug. */
  readonly answered?: readonly string[];
}

export interface SessionFilter {
  readonly topLevel?: string;
  readonly states?: readonly string[];
  readonly limit?: number;
}

/** The columns that lists of runs filter and sort by. */
export interface RunRow {
  /** Ours are `RunId`s; an imported run keeps the id that its producer gave it. */
  readonly run: string;
  readonly session?: SessionId;
  readonly title: string;
  readonly state: "open" | "finished";
  /** `imported` history was paid for elsewhere: it is no spend of this store. */
  readonly origin: "recorded" | "imported";
  readonly startedAt: Instant;
  readonly endedAt?: Instant;
  readonly outcome: string;
  readonly configuration?: string;
  /** Why this configuration ran, e.g. `usual` or `exploration`. */
  readonly source?: string;
  readonly task?: string;
  readonly taskType?: string;
  readonly repo?: string;
  readonly baseCommit?: string;
  readonly slate?: string;
  /** Known part of the cost, and how many attempts have an unknown one. */
  readonly costMicroUsd: number;
  readonly costBasis?: string;
  readonly unknownCosts: number;
  readonly attempts: number;
}

/** What a run can be found by besides its columns. */
export interface RunKeys {
  /** Full or abbreviated hashes of commits that the run made, in lower case. */
  readonly commits: readonly string[];
  /** Each as `name=value`. */
  readonly labels: readonly string[];
}

export interface StoredRun {
  readonly row: RunRow;
  readonly document: string;
  /** Grows by one with each rewrite, from 1. */
  readonly revision: number;
}

export interface RunFilter {
  readonly state?: RunRow["state"];
  readonly origin?: RunRow["origin"];
  readonly outcome?: string;
  readonly configuration?: string;
  readonly source?: string;
  readonly task?: string;
  readonly taskType?: string;
  readonly repo?: string;
  readonly baseCommit?: string;
  readonly slate?: string;
  /** `name=value`. */
  readonly label?: string;
  /** Started at or after, and before. */
  readonly since?: Instant;
  readonly until?: Instant;
}

export const RUN_ORDERS = ["started", "ended", "cost", "attempts"] as const;
export interface RunList extends RunFilter {
  /** Largest first; equal ones by descending id. `started` when absent. */
  readonly order?: (typeof RUN_ORDERS)[number];
  readonly limit?: number;
  /** Only in the order `started`: what comes after this row. */
  readonly after?: Pick<RunRow, "startedAt" | "run">;
}

/** A sum over runs. Unknown is not zero: runs with an unknown part are counted apart. */
export interface RunTotals {
  readonly runs: number;
  readonly costMicroUsd: number;
  /** Attempts whose cost is unknown, and the runs that have one. */
  readonly unknownCosts: number;
  readonly runsNotCosted: number;
}

/** The columns that lists of recommendations show. */
export interface RecommendationRow {
  readonly recommendation: string;
  readonly at: Instant;
  readonly taskType: string;
  readonly repo?: string;
  /** The configuration that was picked. */
  readonly pick: string;
}

export const LOOP_RECORD_KINDS = ["memory", "standing", "proposal", "trial", "skill"] as const;
export type LoopRecordKind = (typeof LOOP_RECORD_KINDS)[number];

/** Something that is kept between the runs of a loop file, out of the reach of its agents. */
export interface LoopRecord {
  readonly topLevel: string;
  /** Name of the loop; empty for what all loops of the folder share. */
  readonly loop: string;
  readonly kind: LoopRecordKind;
  readonly key: string;
  /** Who said it, where several may say the same; else empty. */
  readonly part: string;
  readonly at: Instant;
  readonly document: JsonObject;
}
export type LoopRecordKey = Pick<LoopRecord, "topLevel" | "loop" | "kind" | "key" | "part">;

/**
 * Durable truth of all sessions. Every method that resolves `ok` has committed; a power cut after that
 * loses nothing. `store-locked` (after about 5 s of asynchronous retry), `store-full` and `store-damaged`
 * are returned, not thrown, and leave the store as it was. Readers never block a writer.
 * The embedded SQLite adapter is the example to read.
 */
export interface Store {
  /** Makes session and first events in one transaction and grants the first lease. */
  createSession(
    session: SessionId,
    topLevel: string,
    events: readonly NewEvent[],
    summary: Append["summary"],
    lease: Pick<SessionLease, "owner" | "expiresAt" | "holder">,
  ): Promise<Result<{ readonly summary: SessionSummary; readonly lease: SessionLease }>>;
  /** Appends under the lease. Problems: `stale-lease`, `head-moved`, `no-such-session`. */
  append(
    append: Append,
  ): Promise<Result<{ readonly head: ChainHead; readonly events: readonly StoredEvent[] }>>;
  events(session: SessionId, afterSeq: number, limit?: number): Promise<Result<readonly StoredEvent[]>>;
  head(session: SessionId): Promise<Result<ChainHead>>;
  session(session: SessionId): Promise<Result<SessionSummary | undefined>>;
  /** Newest first. */
  sessions(filter: SessionFilter): Promise<Result<readonly SessionSummary[]>>;

  /**
   * Takes the lease when it is free, expired before `now`, or already `owner`'s. Otherwise `checkout-busy`
   * or `session-running` with the holder in the message. Takeover of an expired lease is the caller's
   * decision: `allowTakeover` is false while the caller has not proved that the old holder is dead.
   */
  acquireLease(
    session: SessionId,
    request: Pick<SessionLease, "owner" | "expiresAt" | "holder">,
    now: Instant,
    allowTakeover: boolean,
  ): Promise<Result<SessionLease>>;
  lease(session: SessionId): Promise<Result<SessionLease | undefined>>;
  renewLease(session: SessionId, fence: number, expiresAt: Instant): Promise<Result<"renewed" | "lost">>;
  releaseLease(session: SessionId, fence: number): Promise<Result<void>>;

  /** One writer per checkout: `checkout-busy` names the session and holder that has it. Idempotent per session. */
  lockCheckout(realPath: string, session: SessionId, holder: LeaseHolder): Promise<Result<void>>;
  unlockCheckout(realPath: string, session: SessionId): Promise<Result<void>>;
  checkoutLock(
    realPath: string,
  ): Promise<Result<{ readonly session: SessionId; readonly holder: LeaseHolder } | undefined>>;

  submitCommand(command: InboxCommand): Promise<Result<void>>;
  pendingCommands(session: SessionId): Promise<Result<readonly InboxCommand[]>>;

  /** Written and synced before it resolves; writing the same bytes again is free. */
  putBlob(bytes: Uint8Array | string): Promise<Result<Digest>>;
  /**
   * What the store finds wrong with its own files, a sentence each: pages, keys that lead nowhere, blobs whose bytes are
   * not what they are named by. Reads all of it.
   */
  integrity(): Promise<Result<readonly string[]>>;
  /** Undefined when absent; `store-damaged` when the bytes do not hash to the digest. */
  blob(digest: Digest): Promise<Result<Uint8Array | undefined>>;

  /**
   * Inserts or rewrites one run. With `expected`, the revision that the change was made on (0: none stored yet),
   * another one found is `run-moved` and nothing is written.
   */
  putRun(
    row: RunRow,
    document: string,
    more?: { readonly keys?: RunKeys; readonly expected?: number },
  ): Promise<Result<void>>;
  runs(list: RunList): Promise<Result<readonly RunRow[]>>;
  runTotals(filter: RunFilter): Promise<Result<RunTotals>>;
  /** Runs that made a commit, newest first. A hash of 7 digits or more finds its longer and shorter forms. */
  runsOfCommit(commit: string): Promise<Result<readonly RunRow[]>>;
  run(run: string): Promise<Result<StoredRun | undefined>>;
  runDocument(run: string): Promise<Result<string | undefined>>;
  /** Those of several runs, in their order, as they stand at one moment. Many come sooner together than one by one. */
  runDocuments(runs: readonly string[]): Promise<Result<readonly (string | undefined)[]>>;

  /**
   * Keeps what was recommended, and which configurations it names so that each can be found again. It never changes:
   * an id that is kept already stays as it is.
   */
  putRecommendation(
    row: RecommendationRow,
    document: string,
    configurations: readonly string[],
  ): Promise<Result<void>>;
  /** Newest first. */
  recommendations(limit?: number): Promise<Result<readonly RecommendationRow[]>>;
  recommendation(id: string): Promise<Result<string | undefined>>;
  /** The newest recommendation that names a configuration. */
  recommendationOf(configuration: string): Promise<Result<string | undefined>>;

  /** All of it or nothing. A record of the same key takes the place of the one that is there. */
  changeLoopRecords(change: {
    readonly put?: readonly LoopRecord[];
    readonly drop?: readonly LoopRecordKey[];
  }): Promise<Result<void>>;
  /** Newest first. */
  loopRecords(
    of: Pick<LoopRecord, "topLevel" | "loop"> & { readonly kind?: LoopRecordKind },
  ): Promise<Result<readonly LoopRecord[]>>;
  close(): Promise<void>;
}
