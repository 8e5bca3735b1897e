import type { ProviderSpec } from "../ports/provider.ts";
import type { CheckDescription } from "../verify/freeze.ts";
import type { FrozenGate } from "../verify/types.ts";

/** A step of the plan. Names of pieces are unique in a plan; the plan has no cycle. */
export type PlanPiece = AgentPiece | GatePiece;

interface PieceBase {
  readonly id: string;
  readonly dependsOn: readonly string[];
}

export interface AgentPiece extends PieceBase {
  readonly kind: "agent";
  readonly role: string;
  readonly instruction: string;
  readonly goals: readonly string[];
  /** Id of a provider in the spec. */
  readonly provider: string;
  readonly tier: string;
  readonly isolation: "none" | "worktree";
  readonly permission: "read" | "edit" | "full";
  readonly join: Join;
  readonly wallMs?: number;
}

/** Deterministic code that evaluates the goals. It runs once what it reads has ended, whatever the ending. */
export interface GatePiece extends PieceBase {
  readonly kind: "gate";
  /** Pieces that run again when the gate says no, at most `rounds` rounds in all. */
  readonly onFail: { readonly sendBack: readonly string[]; readonly rounds: number };
}

/** When a piece may start, counted over its `dependsOn`. */
export type Join =
  | { readonly strategy: "wait_for_all" }
  | { readonly strategy: "quorum"; readonly count: number }
  | { readonly strategy: "first_success" };

/** Ceilings of one session. Absent means no ceiling. */
export interface Limits {
  readonly maxIterations: number;
  readonly maxRunningMs: number;
  readonly maxMicroUsd?: number;
  readonly maxTokens?: number;
  readonly noProgressIterations: number;
  readonly attemptWallMs: number;
  readonly attemptIdleMs: number;
  readonly transientRetries: number;
  readonly retryBaseMs: number;
  readonly concurrency: number;
  readonly streamCapBytes: number;
}

export interface ApprovalRule {
  readonly id: string;
  readonly statement: string;
}

/** What is done with the work once the goal is satisfied. */
export type Delivery =
  | { readonly kind: "leave" }
  | { readonly kind: "commit" }
  | { readonly kind: "branch"; readonly name: string };

/** Everything that was decided before the first dispatch. Part of the first event, so immutable. */
export interface SessionSpec {
  readonly kind: "go" | "loop";
  readonly title: string;
  readonly goals: readonly { readonly name: string; readonly description: string }[];
  readonly topLevel: string;
  /** Whether attempts work in a worktree of the session's own, merged back when the goal is satisfied. */
  readonly sessionWorktree: boolean;
  readonly workspaceKind: "git" | "folder";
  /** Name of the ignore rules frozen at the start; every later opening of the workspace uses them. */
  readonly ignoreRules: string;
  readonly providers: readonly ProviderSpec[];
  readonly pieces: readonly PlanPiece[];
  readonly gate: FrozenGate;
  /** What each check runs in the end, with package scripts followed: for people and the record. */
  readonly commands: readonly CheckDescription[];
  readonly limits: Limits;
  readonly approvals: readonly ApprovalRule[];
  readonly delivery: Delivery;
  readonly allowUnknownCost: boolean;
  /** A green baseline ends the session as satisfied instead of refusing it. */
  readonly ifNeeded: boolean;
  readonly rules: readonly string[];
  readonly forbiddenPaths: readonly string[];
}
