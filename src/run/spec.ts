import type { JsonObject } from "../core/canonical-json.ts";
import type { Digest } from "../core/hash.ts";
import type { HarnessRecord } from "../formats/harness/index.ts";
import type { LoopAlert, MemoryNamespace } from "../formats/loop/index.ts";
import type { OcpSetting, OcpWorkflow } from "../formats/ocp/index.ts";
import type { ProviderSpec } from "../ports/provider.ts";
import type { RecordedTask } from "../record/session-record.ts";
import type { CheckDescription } from "../verify/freeze.ts";
import type { FrozenGate } from "../verify/types.ts";

/** A step of the plan. Names of pieces are unique in a plan; the plan has no cycle. */
export type PlanPiece = AgentPiece | GatePiece | VerdictPiece;

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
  /** Who does it, in this order, while that one cannot. */
  readonly fallbacks?: readonly string[];
  /** Providers of the next tier, for rounds in which the way of working is changed. */
  readonly stronger?: readonly string[];
  /** Gates and reviewers that must have said yes, and agents that must have ended, whatever `join` says. */
  readonly after?: readonly string[];
  readonly tier: string;
  readonly isolation: "none" | "worktree";
  readonly permission: "read" | "edit" | "full";
  /**
   * Works in a container of the image where one is named and docker or podman works, else in a room of the system's where
   * there is one: its worktree is all that it can change.
   */
  readonly sandbox?: { readonly network: boolean; readonly image?: string };
  readonly join: Join;
  readonly wallMs?: number;
  /** Once it has used so many in this session it is not begun again. */
  readonly maxTokens?: number;
  /** Globs of what it must leave alone, on top of the session's own. */
  readonly forbiddenPaths?: readonly string[];
  /** Commands that are refused to it, those of all pieces among them. */
  readonly forbiddenCommands?: readonly string[];
  /** One of several that do the same piece of a workflow side by side; `index` counts from 1. */
  readonly copy?: { readonly of: string; readonly index: number; readonly count: number };
  /** Isolated work that is kept apart until it is picked, instead of being merged when it is done. */
  readonly isCandidate?: boolean;
  /** What the piece is given to read besides its task. */
  readonly reads?: readonly PieceInput[];
  /** What its last words must be, by a contract that it is told. */
  readonly answers?: "verdict" | "pick" | "judgement";
  /** Of a judge: what it answers for, each by name. */
  readonly judges?: readonly JudgedCheck[];
}

/** A statement that no code can check. It comes on top of the checks that run and never stands in for them. */
export interface JudgedCheck {
  readonly name: string;
  readonly statement: string;
  readonly standard: string;
  /** A check that is not blocking is answered and holds nothing back. */
  readonly blocking: boolean;
  /** From 0 to 10: the score that a pass needs. */
  readonly minScore?: number;
}

export type PieceInput =
  /** The last words of another piece. */
  | { readonly kind: "words"; readonly piece: string; readonly title: string }
  /** What the folder holds now, against the start of the session. */
  | { readonly kind: "changes" }
  /** The kept work of these pieces, under letters that do not tell who made it. */
  | { readonly kind: "candidates"; readonly pieces: readonly string[] };

/** Deterministic code that evaluates the goals. It runs once what it reads has ended, whatever the ending. */
export interface GatePiece extends PieceBase {
  readonly kind: "gate";
  /** Of the gate between two phases: only these goals. Another gate has to follow that evaluates all. */
  readonly goals?: readonly string[];
  /** Pieces that run again when the gate says no, at most `rounds` rounds in all. */
  readonly onFail: { readonly sendBack: readonly string[]; readonly rounds: number };
}

/**
 * Deterministic code that reads what a reviewer or selector said. It comes on top of the goal gate and never stands in
 * for it. It runs once what it reads has ended, whatever the ending.
 */
export interface VerdictPiece extends PieceBase {
  readonly kind: "verdict";
  /** The agent piece whose last words are read. */
  readonly of: string;
  readonly rule:
    | { readonly kind: "approve" }
    | { readonly kind: "pick"; readonly among: readonly string[] }
    | { readonly kind: "judgement"; readonly checks: readonly JudgedCheck[] };
  readonly onFail: { readonly sendBack: readonly string[]; readonly rounds: number };
}

/** When a piece may start, counted over its `dependsOn`. */
export type Join =
  | { readonly strategy: "wait_for_all" }
  /** All have ended, and one at least has succeeded. */
  | { readonly strategy: "any_of_all" }
  | { readonly strategy: "quorum"; readonly count: number }
  | { readonly strategy: "first_success" };

export type Retries = Readonly<{ count: number; baseMs: number; backoff?: "fixed" | "linear" }>;

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
  /** How the delay grows; doubling unless it says otherwise. */
  readonly retryBackoff?: "fixed" | "linear";
  /** How often an agent is tried again that cannot be used or fails for itself; never when absent. */
  readonly toolRetries?: Retries;
  /** How often in a row a judge or reviewer is asked when its words do not count; without a limit until no round is left. */
  readonly answerAttempts?: number;
  /** Instead: each of its providers is asked once in a row. */
  readonly answerFallback?: true;
  /** After so many rounds that left a goal of a piece open, the piece is not sent back again. */
  readonly maxRevisions?: number;
  readonly concurrency: number;
  readonly streamCapBytes: number;
}

export interface ApprovalRule {
  readonly id: string;
  readonly statement: string;
  /** What a person's no leaves the session as; failed unless it says otherwise. */
  readonly onNo?: SettableOutcome;
  /** A detector that finds plainly that it does not hold warns, and nobody is asked. */
  readonly warns?: true;
}

/** What is done with the work once the goal is satisfied. */
export type Delivery =
  | { readonly kind: "leave" }
  | { readonly kind: "commit" }
  | { readonly kind: "branch"; readonly name: string };

/** A check, by name, and what its no does: end the session, put the round's files back, or be told. */
export interface SessionRule {
  readonly check: string;
  readonly statement: string;
  readonly onFail: "stop" | "rollback" | "warn";
}

export interface SessionMemory {
  /** As lines, of earlier runs. */
  readonly told: readonly string[];
  /** Namespaces that something is kept in. */
  readonly keeps: Readonly<
    Partial<Record<MemoryNamespace, { readonly requireProvenance: boolean; readonly retentionDays?: number }>>
  >;
}

/** `rolled_back`: the files of the round go back to where it began. */
export type SettableOutcome = "paused" | "blocked" | "escalated" | "failed" | "rolled_back";

/**
 * What a session may end of: a ceiling, pieces that have used what they may, a forbidden path, an outage, an agent that
 * cannot be used, a judge whose words do not count.
 */
export type EndCause = "ceiling" | "spent" | "forbidden" | "transient" | "tool" | "invalid";

export interface SessionGoal {
  readonly name: string;
  readonly description: string;
  /** What judges must accept of it, in words. */
  readonly judged?: readonly string[];
}

/** Everything that was decided before the first dispatch. Part of the first event, so immutable. */
export interface SessionSpec {
  readonly kind: "go" | "loop";
  readonly title: string;
  readonly goals: readonly SessionGoal[];
  readonly topLevel: string;
  /** Whether attempts work in a worktree of the session's own, merged back when the goal is satisfied. */
  readonly sessionWorktree: boolean;
  readonly workspaceKind: "git" | "folder";
  /** Name of the ignore rules frozen at the start; every later opening of the workspace uses them. */
  readonly ignoreRules: string;
  readonly providers: readonly ProviderSpec[];
  readonly pieces: readonly PlanPiece[];
  readonly gate: FrozenGate;
  /** What must hold of the folder before anything runs, at every start and resume. */
  readonly entry?: { readonly gate: FrozenGate; readonly rules: readonly SessionRule[] };
  /** Checks of the gate whose no undoes the round. */
  readonly rollbacks?: readonly SessionRule[];
  /** What each check runs in the end, with package scripts followed: for people and the record. */
  readonly commands: readonly CheckDescription[];
  readonly limits: Limits;
  readonly approvals: readonly ApprovalRule[];
  /** Looks at the rules that have a detector, each a check of the rule's name: what holds needs no person. */
  readonly approvalGate?: FrozenGate;
  readonly delivery: Delivery;
  readonly allowUnknownCost: boolean;
  /** No agent is started that could reach the store: all work in a sandbox or a container. */
  readonly threat?: "sandboxed";
  /** What shaped the agents in their tree at the start, where that is recorded. */
  readonly harness?: HarnessRecord;
  /** A green baseline ends the session as satisfied instead of refusing it. */
  readonly ifNeeded: boolean;
  readonly rules: readonly string[];
  readonly forbiddenPaths: readonly string[];
  /**
   * What becomes of a session that stops for such a cause; what is absent ends the usual way. The last three end no
   * session unless they are named here.
   */
  readonly outcomes?: Readonly<Partial<Record<EndCause, SettableOutcome>>>;
  /** Of how many rounds an agent is told, the last one among them, and how long each may be told. */
  readonly summaries?: { readonly rounds: number; readonly maxCharacters: number };
  /** After so many rounds without any change the next one is worked on in another way. */
  readonly perturbAfter?: number;
  /** What is carried between the runs of a loop: told to its agents, kept at the end. It decides nothing. */
  readonly memory?: SessionMemory;
  /** A person is told when one comes to hold, once each. */
  readonly alerts?: readonly LoopAlert[];
  /** Agents may suggest changes of the loop file. */
  readonly maySuggest?: true;
  /** The loop file that it was made of; its text is a blob. */
  readonly source?: { readonly path: string; readonly digest: Digest };
  /** The workflow that the pieces were made of, with its settings; absent for `go` and loop files. */
  readonly configuration?: {
    readonly workflow: OcpWorkflow;
    readonly settings: Readonly<Record<string, OcpSetting>>;
  };
  /** What kind of task it is, where somebody said so. */
  readonly task?: Partial<Pick<RecordedTask, "id" | "type" | "repo" | "labeledBy">>;
  /** The recommendation that was followed: it goes into the record and decides nothing. */
  readonly followed?: {
    readonly recommendation: string;
    readonly pick: "usual" | "alternative" | "exploration";
    readonly ext: JsonObject;
  };
}

/** Whether a piece works in a worktree of its own rather than in the session's folder, which has none without git. */
export function worksApart(
  { isolation }: Pick<AgentPiece, "isolation">,
  { workspaceKind }: Pick<SessionSpec, "workspaceKind">,
): boolean {
  return isolation === "worktree" && workspaceKind === "git";
}
