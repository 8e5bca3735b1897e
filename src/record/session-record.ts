import type { JsonObject } from "../core/canonical-json.ts";
import type { AttemptId, RunId, SessionId } from "../core/ids.ts";
import type { Cost } from "../core/money.ts";
import type { Instant } from "../core/time.ts";
import type { TokenUsage } from "../core/tokens.ts";
import type { OcpSetting, OcpWorkflow } from "../formats/ocp/index.ts";
import type { GateLevel } from "../ports/check-rooms.ts";
import type { AttemptEnd } from "../ports/provider.ts";
import type { Prices } from "../ports/usage.ts";

/**
 * What a session's events say about its run, ready to be written down. Plain data; made by the engine's fold.
 */
export interface SessionRecordInput {
  /** Version of this program. */
  readonly producerVersion: string;
  readonly emittedAt: Instant;
  readonly session: SessionId;
  readonly run: RunId;
  /** May be the person's own words: cut to a label of one line. */
  readonly title: string;
  readonly startedAt: Instant;
  readonly endedAt?: Instant;
  /** State of the session, e.g. `succeeded`; `stopReason` says why it stopped. */
  readonly state: string;
  readonly stopReason?: string;
  /** Path or name of the folder worked on. */
  readonly workspace: string;
  readonly task: RecordedTask;
  readonly choice: RecordedChoice;
  /** Id of the workflow's shape, `implement_check` for `go`. */
  readonly shape: string;
  /** The workflow that was run, as it was chosen; absent where the plan itself is written down as one. */
  readonly configuration?: RecordedWorkflow;
  /** What reviewers and selectors said, in order of time. */
  readonly reviews: readonly RecordedReview[];
  /** Agent work only; gates are listed apart and become pieces of their own. */
  readonly pieces: readonly RecordedPiece[];
  readonly gates: readonly RecordedGate[];
  /** Rounds of work before a gate gives up, the first one counted. */
  readonly rounds: number;
  /** In order of start. */
  readonly attempts: readonly RecordedAttempt[];
  /** In order of time; those after the end of the session included. */
  readonly evaluations: readonly RecordedEvaluation[];
  readonly commits: readonly { readonly commit: string; readonly attempt: AttemptId; readonly at: Instant }[];
  /** Limits as the session froze them, by name with the unit at its end. */
  readonly limits?: JsonObject;
  /** What a recommendation that was followed foretold, by the extension that it is kept in. */
  readonly followed?: JsonObject;
}

export interface RecordedWorkflow {
  readonly workflow: OcpWorkflow;
  /** By piece; without a model where the agent's own default was to run. */
  readonly settings: Readonly<Record<string, OcpSetting>>;
}

/** A verdict of an agent: worth less than a gate's, and never in its place. */
export interface RecordedReview {
  readonly kind: "review" | "referee";
  readonly piece: string;
  /** The attempt that is accepted, rejected or picked; absent when there was no verdict on any. */
  readonly attempt?: AttemptId;
  readonly value: "accept" | "reject" | "error";
  readonly at: Instant;
}

export interface RecordedTask {
  readonly id: string;
  readonly type?: "bug_fix" | "feature" | "refactor" | "tests" | "docs" | "research" | "infra" | "data";
  readonly subtype?: string;
  readonly repo?: string;
  readonly org?: string;
  readonly features?: Readonly<Record<string, boolean | number | string>>;
  readonly baseCommit?: string;
  /** Who said what kind of task it is. */
  readonly labeledBy?: "user" | "inferred";
}

/** Why this configuration ran. */
export type RecordedChoice =
  | { readonly by: "habit" }
  | { readonly by: "user" }
  | {
      readonly by: "planner";
      readonly recommendation: string;
      readonly pick: "usual" | "alternative" | "exploration";
    };

export interface RecordedPiece {
  readonly id: string;
  /** `implementer`, `reviewer` ..., or a role of loop.yaml (`builder`, `judge` ...). */
  readonly role: string;
  readonly dependsOn: readonly string[];
  readonly setting: RecordedSetting;
}

/** As configured: `model` is absent when none was asked for and the agent's own default ran. */
export interface RecordedSetting {
  readonly harness: string;
  readonly model?: string;
  readonly effort?: string;
}

export interface RecordedGate {
  readonly id: string;
  /** What it runs, in order. */
  readonly commands: readonly string[];
  /** Pieces whose work it judges. */
  readonly judges: readonly string[];
  /** The piece that works again when it says no; absent when a no ends the session. */
  readonly sendsBackTo?: string;
}

export type RecordedCause =
  | { readonly kind: "initial" }
  | { readonly kind: "gate-failed"; readonly gate: string }
  | { readonly kind: "sent-back"; readonly by: string }
  | { readonly kind: "retry"; readonly of: AttemptId }
  | { readonly kind: "resume"; readonly of: AttemptId };

export interface RecordedAttempt {
  readonly id: AttemptId;
  readonly piece: string;
  /** From 1. */
  readonly round: number;
  /** What it ran with; the model is the one configured for it, if any. */
  readonly setting: RecordedSetting;
  /** The model that the agent's own stream or log named. */
  readonly observedModel?: string;
  readonly cause: RecordedCause;
  readonly startedAt: Instant;
  /** Both absent while it works. */
  readonly endedAt?: Instant;
  readonly end?: AttemptEnd;
  readonly spend: RecordedSpend;
  readonly agentSession?: string;
  /** What the folder held afterwards, when the attempt changed it. */
  readonly tree?: string;
}

export type RecordedSpend =
  | { readonly kind: "unknown"; readonly why: string }
  | {
      readonly kind: "known";
      readonly provenance: "measured" | "logged" | "estimated";
      readonly models: readonly { readonly model: string; readonly usage: TokenUsage; readonly cost: Cost }[];
      /** True when it is a share of what several attempts spent together. */
      readonly isSplit: boolean;
      /** The price table used; absent when the provider stated the price. */
      readonly tariff?: Prices["table"];
    };

export interface RecordedEvaluation {
  readonly gate: string;
  readonly round: number;
  readonly startedAt: Instant;
  readonly at: Instant;
  readonly verdict: "pass" | "fail" | "uncheckable";
  /** The folder's content that was judged; equals `tree` of the attempt that made it. */
  readonly tree: string;
  readonly level: GateLevel;
  readonly threat: "same-user" | "sandboxed";
  readonly checks: readonly RecordedCheck[];
}

export interface RecordedCheck {
  readonly name: string;
  readonly blocking: boolean;
  readonly verdict: "pass" | "fail" | "uncheckable";
  readonly exitCode?: number;
  /** True when it ran tests, so that its verdict also counts as `tests`. */
  readonly isTestRun: boolean;
}
