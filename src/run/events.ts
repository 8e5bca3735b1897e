import type { JsonObject } from "../core/canonical-json.ts";
import type { Digest } from "../core/hash.ts";
import type { AttemptId } from "../core/ids.ts";
import type { Cost } from "../core/money.ts";
import { fail, ok, type Problem, type Result } from "../core/result.ts";
import type { TokenUsage } from "../core/tokens.ts";
import type { GateLevel } from "../ports/check-rooms.ts";
import type { Containment, ProcessIdentity } from "../ports/process.ts";
import type { AttemptEnd, ModelUsage, UsageReport } from "../ports/provider.ts";
import type { NewEvent, StoredEvent } from "../ports/store.ts";
import type { PathChange, RepositoryFacts, TreeId } from "../ports/workspace.ts";
import type { Baseline, GateResult } from "../verify/types.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { Perturbation } from "./perturb.ts";
import type { Ruling } from "./ruling.ts";
import type { EndCause, Limits, SessionSpec } from "./spec.ts";

/** Spend of one model in one attempt, priced. */
export interface PricedUsage {
  readonly model: string;
  readonly usage: TokenUsage;
  readonly cost: Cost;
}

export interface ArtifactRef {
  readonly name: string;
  readonly kind: "diff" | "tree" | "salvage" | "prompt" | "stdout" | "stderr";
  /** A tree id or a blob's digest. */
  readonly content: string;
}

/** How the loop stopped; `limit` is a ceiling that fired. */
export type StopReason =
  | { readonly why: "goal-satisfied" }
  | { readonly why: "already-satisfied" }
  | { readonly why: "iterations" }
  | { readonly why: "running-time" }
  | { readonly why: "spend" }
  | { readonly why: "tokens" }
  | { readonly why: "no-progress" }
  /** All that could mend what the gate found have used what they may. */
  | { readonly why: "pieces-spent"; readonly pieces: readonly string[] }
  | { readonly why: "asked"; readonly how: "boundary" | "force"; readonly by: string }
  | { readonly why: "refused"; readonly by: string }
  | { readonly why: "parked"; readonly retryAt: string | null }
  | { readonly why: "needs-person"; readonly question: string }
  | { readonly why: "problem"; readonly problem: Problem; readonly cause?: EndCause };

/** What an agent or a person did to the workspace that a reader must know. */
export type WorkspaceNotice =
  | { readonly notice: "protected-touched"; readonly paths: readonly string[] }
  | { readonly notice: "user-edit"; readonly paths: readonly string[] }
  | { readonly notice: "repository-changed"; readonly what: readonly string[] }
  | { readonly notice: "forbidden-touched"; readonly paths: readonly string[] }
  | { readonly notice: "command-refused"; readonly commands: readonly string[] }
  | { readonly notice: "skipped"; readonly paths: readonly string[] }
  | { readonly notice: "rule"; readonly rule: string; readonly statement: string };

/**
 * Everything that can happen to a session: the closed list that the ledger stores, `events` prints and the fold
 * understands. Adding a variant here makes the compiler point at every place that must answer for it.
 */
export type SessionEvent =
  | {
      readonly type: "session:created";
      readonly data: { readonly spec: SessionSpec; readonly facts: RepositoryFacts | null };
    }
  | {
      readonly type: "session:moved";
      readonly data: { readonly from: Lifecycle; readonly to: Lifecycle; readonly why: string };
    }
  | { readonly type: "session:resumed"; readonly data: { readonly limits?: Partial<Limits> } }
  | {
      readonly type: "session:recovered";
      readonly data: {
        readonly drained: readonly AttemptId[];
        readonly lost: readonly AttemptId[];
        readonly reapedProcesses: number;
        readonly restoredPaths: readonly string[];
      };
    }
  | { readonly type: "session:parked"; readonly data: { readonly until: string; readonly why: string } }
  | { readonly type: "session:unparked"; readonly data: Record<never, never> }
  | { readonly type: "session:stopped"; readonly data: { readonly reason: StopReason } }
  | { readonly type: "session:tampered"; readonly data: { readonly detail: string } }
  | { readonly type: "baseline:recorded"; readonly data: { readonly baseline: Baseline } }
  | { readonly type: "iteration:started"; readonly data: { readonly iteration: number } }
  | {
      readonly type: "iteration:perturbed";
      readonly data: {
        /** The one that is about to begin. */
        readonly iteration: number;
        readonly seed: string;
        readonly how: Perturbation;
      };
    }
  | {
      readonly type: "piece:skipped";
      readonly data: {
        readonly piece: string;
        readonly because: string;
        /** What it did before stands, and those who wait for it go on. */
        readonly stands?: AttemptId;
      };
    }
  | {
      readonly type: "attempt:dispatched";
      readonly data: {
        readonly attempt: AttemptId;
        readonly piece: string;
        readonly iteration: number;
        readonly n: number;
        readonly assignment: Digest;
        readonly before: TreeId;
        readonly provider: string;
        readonly workDir: string;
        readonly promptDigest: Digest;
        readonly steering: readonly string[];
        readonly continues: AttemptId | null;
        /** Works in a worktree of its own; its work counts once it is merged. */
        readonly isolated: boolean;
      };
    }
  | {
      readonly type: "attempt:starting";
      readonly data: {
        readonly attempt: AttemptId;
        readonly nonce: string;
        readonly dir: string;
        readonly fence: number;
        readonly workDir: string;
        readonly agentSession: string | null;
      };
    }
  | {
      readonly type: "attempt:spawned";
      readonly data: {
        readonly attempt: AttemptId;
        readonly identity: ProcessIdentity;
        readonly containment: Containment;
        /** Could change its worktree alone, and did not see the store. */
        readonly sandboxed?: boolean;
        /** The image of the container it works in. */
        readonly container?: string;
      };
    }
  | { readonly type: "attempt:ended"; readonly data: AttemptEnded }
  | {
      readonly type: "workspace:noticed";
      readonly data: WorkspaceNotice & { readonly attempt: AttemptId | null };
    }
  | {
      readonly type: "work:integrated";
      readonly data: {
        readonly attempt: AttemptId;
        readonly base: TreeId;
        readonly found: TreeId;
        readonly paths: readonly PathChange[];
        readonly conflicts: readonly string[];
        readonly problem: Problem | null;
        /** What the root holds afterwards. */
        readonly root: TreeId | null;
      };
    }
  | {
      readonly type: "work:rolled-back";
      readonly data: {
        readonly iteration: number;
        readonly from: TreeId;
        readonly to: TreeId;
        /** Rules that did not hold; none when the session's recovery asks for it. */
        readonly rules: readonly string[];
        /** Paths that somebody else had changed meanwhile and that were left alone. */
        readonly kept: readonly string[];
      };
    }
  | {
      readonly type: "work:delivered";
      readonly data: {
        readonly kind: "commit" | "branch";
        readonly commit: string;
        readonly branch: string | null;
      };
    }
  | {
      readonly type: "gate:started";
      readonly data: {
        readonly piece: string;
        readonly iteration: number;
        readonly tree: TreeId;
        readonly level: GateLevel;
      };
    }
  | {
      readonly type: "gate:evaluated";
      readonly data: {
        readonly piece: string;
        readonly iteration: number;
        readonly result: GateResult;
        readonly headKnown: boolean;
        readonly threat: "same-user" | "sandboxed";
      };
    }
  | {
      readonly type: "gate:failed";
      readonly data: { readonly piece: string; readonly iteration: number; readonly problem: Problem };
    }
  | {
      readonly type: "verdict:read";
      readonly data: {
        readonly piece: string;
        readonly iteration: number;
        /** Whose words were read; null when there were none. */
        readonly attempt: AttemptId | null;
        /** What the folder held when they were read. */
        readonly tree: TreeId;
        readonly ruling: Ruling;
      };
    }
  | { readonly type: "gate:canceled"; readonly data: { readonly piece: string } }
  | {
      readonly type: "alert:raised";
      readonly data: { readonly alert: string; readonly value: number; readonly message: string };
    }
  | { readonly type: "goal:satisfied"; readonly data: { readonly tree: TreeId; readonly iteration: number } }
  | { readonly type: "goal:revoked"; readonly data: { readonly tree: TreeId; readonly why: string } }
  | {
      readonly type: "person:asked";
      readonly data: { readonly id: string; readonly question: string; readonly answerWith: string };
    }
  | {
      readonly type: "person:answered";
      readonly data: { readonly id: string; readonly answer: "approve" | "refuse"; readonly by: string };
    }
  /** An approval rule that its detector has answered, so that no person has to: it holds, or it only warns. */
  | {
      readonly type: "rule:answered";
      readonly data: {
        readonly rule: string;
        readonly holds: boolean;
        readonly statement: string;
        readonly tree: TreeId;
      };
    }
  | {
      readonly type: "command:accepted";
      readonly data: { readonly command: string; readonly kind: string; readonly payload: JsonObject };
    }
  | {
      readonly type: "command:refused";
      readonly data: { readonly command: string; readonly kind: string; readonly problem: Problem };
    }
  | {
      readonly type: "memory:kept";
      readonly data: {
        /** `namespace/key` of each. */
        readonly kept: readonly string[];
        readonly refused: readonly { readonly key: string; readonly why: string }[];
      };
    }
  | { readonly type: "record:written"; readonly data: { readonly run: string; readonly document: Digest } };

export interface AttemptEnded {
  readonly attempt: AttemptId;
  readonly end: AttemptEnd;
  readonly exitCode: number | null;
  readonly durationMs: number;
  readonly after: TreeId | null;
  readonly changes: readonly PathChange[];
  readonly facts: RepositoryFacts | null;
  readonly agentSession: string | null;
  readonly model: string | null;
  /** The agent's own claim, for people; never evidence. */
  readonly summary: string;
  readonly usage: UsageReport;
  readonly priced: readonly PricedUsage[];
  readonly cumulative: readonly ModelUsage[];
  readonly containment: Containment | null;
  readonly survivorsKilled: number;
  readonly escaped: number;
  readonly artifacts: readonly ArtifactRef[];
  readonly seal: Digest | null;
  /** Forbidden commands that it tried to run, by what their guards wrote down. */
  readonly refusedCommands?: readonly string[];
}

export type EventType = SessionEvent["type"];
export type EventOf<T extends EventType> = Extract<SessionEvent, { readonly type: T }>;

const EVENT_TYPES: ReadonlySet<string> = new Set<EventType>([
  "session:created",
  "session:moved",
  "session:resumed",
  "session:recovered",
  "session:parked",
  "session:unparked",
  "session:stopped",
  "session:tampered",
  "baseline:recorded",
  "iteration:started",
  "iteration:perturbed",
  "piece:skipped",
  "attempt:dispatched",
  "attempt:starting",
  "attempt:spawned",
  "attempt:ended",
  "workspace:noticed",
  "work:integrated",
  "work:rolled-back",
  "work:delivered",
  "gate:started",
  "gate:evaluated",
  "gate:failed",
  "gate:canceled",
  "verdict:read",
  "alert:raised",
  "goal:satisfied",
  "goal:revoked",
  "person:asked",
  "person:answered",
  "rule:answered",
  "command:accepted",
  "command:refused",
  "memory:kept",
  "record:written",
]);

/** An event with its place in time, as the fold reads it. */
export type DatedEvent = SessionEvent & { readonly at: string; readonly seq: number };

/** Plain JSON by construction, so the round trip through text gives the same value. */
export function toNewEvent(event: SessionEvent, at: string): NewEvent {
  return { type: event.type, at, data: JSON.parse(JSON.stringify(event.data)) as JsonObject };
}

/** Types are ours and the chain's hash vouches for the payload; an unknown type comes from a newer program. */
export function fromStored(stored: StoredEvent): Result<DatedEvent> {
  if (!EVENT_TYPES.has(stored.type)) {
    return fail("store-newer", `event ${stored.seq} has the unknown type ${stored.type}`, {
      hint: "use the version of loopwright that wrote this session",
    });
  }
  return ok({
    type: stored.type,
    data: stored.data,
    at: stored.at,
    seq: stored.seq,
  } as unknown as DatedEvent);
}
