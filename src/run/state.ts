import type { AttemptId } from "../core/ids.ts";
import { type CostSum, NO_COST } from "../core/money.ts";
import type { Problem } from "../core/result.ts";
import type { TokenUsage } from "../core/tokens.ts";
import type { ProcessIdentity } from "../ports/process.ts";
import type { AttemptEnd } from "../ports/provider.ts";
import type { RepositoryFacts, TreeId } from "../ports/workspace.ts";
import type { BaselineCheck, GateResult } from "../verify/types.ts";
import type { AttemptEnded, PricedUsage, StopReason } from "./events.ts";
import type { Lifecycle, Outcome } from "./lifecycle.ts";
import type { Perturbation } from "./perturb.ts";
import type { Ruling } from "./ruling.ts";
import type { EndCause, Limits, SessionSpec } from "./spec.ts";

/** Where a piece stands in the present iteration. */
export type PieceState =
  | { readonly state: "pending" }
  | { readonly state: "working"; readonly attempt: AttemptId | null }
  /** A transient failure waits for its next attempt. */
  | { readonly state: "retrying"; readonly notBefore: string; readonly retries: number }
  | { readonly state: "succeeded"; readonly attempt: AttemptId | null }
  | { readonly state: "failed"; readonly attempt: AttemptId | null; readonly end: AttemptEnd }
  /** A gate that could not be evaluated, or a reviewer without words that count; a person must act. */
  | { readonly state: "broken"; readonly problem: Problem; readonly cause?: EndCause }
  | { readonly state: "skipped"; readonly because: string };

export type AttemptPhase = "dispatched" | "starting" | "spawned" | "ended";

/** One attempt, from its order to its end. */
export interface AttemptState {
  readonly id: AttemptId;
  readonly piece: string;
  readonly iteration: number;
  readonly n: number;
  readonly phase: AttemptPhase;
  readonly provider: string;
  readonly assignment: string;
  readonly before: TreeId;
  readonly workDir: string;
  readonly dispatchedAt: string;
  readonly startedAt?: string;
  readonly endedAt?: string;
  readonly nonce?: string;
  readonly dir?: string;
  readonly agentSession?: string;
  readonly identity?: ProcessIdentity;
  readonly continues: AttemptId | null;
  readonly isolated: boolean;
  readonly isSandboxed?: boolean;
  readonly ended?: AttemptEnded;
  /** Of an isolated attempt that is done: whether its work is in the root. */
  readonly integrated?: boolean;
}

export interface GateRecord {
  readonly piece: string;
  readonly iteration: number;
  readonly startedAt: string;
  readonly at: string;
  readonly result: GateResult;
  readonly threat: "same-user" | "sandboxed";
}

export interface VerdictRecord {
  readonly piece: string;
  readonly iteration: number;
  readonly attempt: AttemptId | null;
  readonly at: string;
  readonly tree: TreeId;
  readonly ruling: Ruling;
}

/** The last round that a rule undid. */
export interface Undone {
  readonly iteration: number;
  readonly rules: readonly string[];
}

export interface OutOfService {
  readonly why: string;
  readonly until: string | null;
}

export interface Question {
  readonly id: string;
  readonly question: string;
  readonly answerWith: string;
  readonly askedAt: string;
}

/** The fold of a session's chain: plain JSON. */
export interface SessionState {
  readonly spec: SessionSpec;
  readonly limits: Limits;
  readonly lifecycle: Lifecycle;
  readonly outcome?: Outcome;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly wait?: { readonly until: string; readonly why: string };
  readonly parks: number;
  /** Providers that cannot work now, and until when; null until a person has acted. */
  readonly outOfService?: Readonly<Record<string, OutOfService>>;
  readonly question?: Question;
  readonly answers: Readonly<Record<string, "approve" | "refuse">>;
  readonly baseline?: {
    readonly state: "green" | "red" | "uncheckable";
    readonly level: string;
    readonly notes: readonly string[];
    readonly checks: readonly BaselineCheck[];
  };
  /** Rounds begun; 0 before the first dispatch. */
  readonly iteration: number;
  readonly pieces: Readonly<Record<string, PieceState>>;
  readonly attempts: readonly AttemptState[];
  readonly gates: readonly GateRecord[];
  /** What reviewers and selectors said, in order. */
  readonly verdicts: readonly VerdictRecord[];
  readonly gateStartedAt?: string;
  readonly undone?: Undone;
  readonly satisfied: boolean;
  /** The tree that the last verdict is bound to. */
  readonly satisfiedTree?: TreeId;
  /** For a closed session whose goal was taken back later. */
  readonly verdictNow?: "satisfied" | "revoked";
  readonly currentTree: TreeId;
  readonly facts: RepositoryFacts | null;
  readonly seenTrees: readonly TreeId[];
  readonly seenResults: readonly string[];
  readonly staleIterations: number;
  /** Rounds that were worked on in another way, in order. */
  readonly perturbations?: readonly { readonly iteration: number; readonly how: Perturbation }[];
  readonly cost: CostSum;
  readonly usage: TokenUsage;
  /** Running time so far, without parks, approvals and down time. */
  readonly runningMs: number;
  readonly runningSince?: string;
  /** Texts of `update` that the next attempt will be told. */
  readonly steering: readonly string[];
  readonly stopAsked?: { readonly how: "boundary" | "force"; readonly by: string };
  readonly stopped?: StopReason;
  readonly notices: readonly string[];
  /** Ids of those that were raised. */
  readonly alerts?: readonly string[];
  readonly delivered?: {
    readonly kind: "commit" | "branch";
    readonly commit: string;
    readonly branch: string | null;
  };
  readonly record?: { readonly run: string; readonly document: string };
  readonly handledCommands: readonly string[];
}

export type { PricedUsage };

export function emptyState(spec: SessionSpec, at: string, facts: RepositoryFacts | null): SessionState {
  return {
    spec,
    limits: spec.limits,
    lifecycle: "created",
    createdAt: at,
    updatedAt: at,
    parks: 0,
    answers: {},
    iteration: 0,
    pieces: allPending(spec),
    attempts: [],
    gates: [],
    verdicts: [],
    satisfied: false,
    currentTree: spec.gate.base,
    facts,
    seenTrees: [spec.gate.base],
    seenResults: [],
    staleIterations: 0,
    cost: NO_COST,
    usage: {},
    runningMs: 0,
    steering: [],
    notices: [],
    handledCommands: [],
  };
}

export function allPending(spec: SessionSpec): Record<string, PieceState> {
  return Object.fromEntries(spec.pieces.map((piece) => [piece.id, { state: "pending" } as const]));
}

export function attemptOf(state: SessionState, id: AttemptId | null): AttemptState | undefined {
  return state.attempts.find((attempt) => attempt.id === id);
}

export function inFlight(state: SessionState): readonly AttemptState[] {
  return state.attempts.filter((attempt) => attempt.phase !== "ended");
}
