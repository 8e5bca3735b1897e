import type {
  LoopAlert,
  LoopDefaultSkill,
  LoopEvolution,
  LoopMemory,
  LoopPhases,
  LoopProtected,
  LoopRecovery,
  LoopSkills,
  LoopTriggers,
} from "./policy-types.ts";

/** A loop as its file says it, with every default filled in. Words of the file's grammar, names of ours. */

export const TIERS = ["cheap", "standard", "strong"] as const;
export type Tier = (typeof TIERS)[number];
export const LOOP_ROLES = ["builder", "judge", "manager", "adversary", "researcher"] as const;
export type LoopRole = (typeof LOOP_ROLES)[number];
export const PROVIDER_KINDS = [
  "claude_code",
  "codex",
  "ollama",
  "grok_cli",
  "grok_build",
  "hermes",
  "openai",
  "gemini",
  "acp",
  "byok",
  "mcp",
] as const;
export type LoopProviderKind = (typeof PROVIDER_KINDS)[number];

export interface Loop {
  readonly name: string;
  /** The author's own version of the loop. */
  readonly version: string;
  readonly description: string;
  readonly environment: "dev" | "staging" | "prod";
  readonly features: LoopFeatures;
  readonly background: readonly LoopFact[];
  readonly prerequisites: readonly LoopPrerequisite[];
  readonly goals: readonly LoopGoal[];
  readonly success: readonly LoopSuccess[];
  readonly pieces: readonly LoopPiece[];
  readonly concurrency: LoopConcurrency;
  /** Every piece's default. */
  readonly join: LoopJoin;
  /** For pieces in containers that name none. */
  readonly containerImage?: string;
  readonly providers: readonly LoopProvider[];
  /** Ordered fallbacks by tier. */
  readonly cascade: Readonly<Partial<Record<Tier, readonly string[]>>>;
  readonly enforceJudgeIndependence: boolean;
  readonly phases: LoopPhases;
  readonly memory: LoopMemory;
  readonly skills: LoopSkills;
  readonly defaultSkills: readonly LoopDefaultSkill[];
  readonly triggers: LoopTriggers;
  readonly checks: readonly LoopCheck[];
  readonly stop: LoopStop;
  readonly entries: readonly LoopRule[];
  readonly approvals: readonly LoopApproval[];
  readonly rollbacks: readonly LoopRule[];
  readonly limits: LoopLimits;
  /** On top of `limits`, by piece. */
  readonly pieceLimits: ReadonlyMap<string, LoopLimits>;
  readonly recovery: LoopRecovery;
  readonly protected: LoopProtected;
  readonly alerts: readonly LoopAlert[];
  readonly evolution: LoopEvolution;
}

export interface LoopFeatures {
  readonly parallelExecution: boolean;
  readonly humanApproval: boolean;
  readonly marketplaceSkills: boolean;
  readonly externalSideEffects: boolean;
  readonly selfEvolution: boolean;
}

/** A static fact that every agent is told; the note is for people. */
export interface LoopFact {
  readonly key: string;
  readonly value: string;
  readonly note?: string;
}

/** Work that a person does by hand before the loop may start. */
export interface LoopPrerequisite {
  readonly step: string;
  readonly isDone: boolean;
  readonly evidence?: string;
}

export interface LoopSuccess {
  /** A goal's name or `overall`. */
  readonly target: string;
  readonly name: string;
  readonly mode: CheckMode;
  readonly statement: string;
  /** Share of passing blocking checks, 0 to 1. */
  readonly threshold?: number;
}

export const CHECK_MODES = ["objective", "subjective", "percentage"] as const;
export type CheckMode = (typeof CHECK_MODES)[number];

export interface LoopGoal {
  readonly name: string;
  readonly description: string;
  readonly dependsOn: readonly string[];
  readonly priority?: number;
}

export interface LoopPiece {
  readonly id: string;
  readonly role: LoopRole;
  readonly instruction: string;
  readonly dependsOn: readonly string[];
  readonly goals: readonly string[];
  readonly tier: Tier;
  /** Pinned: the cascade is passed by. */
  readonly provider?: string;
  readonly skills: readonly string[];
  /** The phase that it belongs to; without one it may run at any time. */
  readonly phase?: string;
  /** Relative cost, above 0. */
  readonly weight: number;
  readonly isolation: LoopIsolation;
}

export type LoopIsolation =
  | { readonly mode: "none" }
  | { readonly mode: "worktree" }
  | { readonly mode: "container"; readonly image?: string; readonly network: boolean };

export type LoopConcurrency =
  | { readonly mode: "sequential" }
  | { readonly mode: "fixed"; readonly maxParallel: number }
  | { readonly mode: "auto"; readonly cap: number; readonly minMarginalGain: number };

export type LoopJoin =
  | { readonly strategy: "wait_for_all" }
  | { readonly strategy: "quorum"; readonly count: number }
  | { readonly strategy: "first_success" };

export interface LoopProvider {
  readonly id: string;
  readonly kind: LoopProviderKind;
  readonly command: string;
  readonly tiers: readonly Tier[];
  readonly args: readonly string[];
  readonly model?: string;
  readonly effort?: string;
  readonly requiresEnv: readonly string[];
  readonly timeoutMs?: number;
  readonly promptOnStdin: boolean;
  readonly usageRegex?: string;
  readonly usdPer1kTokens?: number;
}

/** A command line for a shell, or exact arguments. */
export type LoopCommand = { readonly line: string } | { readonly argv: readonly string[] };

export type LoopDetector =
  | { readonly type: "script"; readonly command: LoopCommand; readonly expectExit: number }
  | { readonly type: "file_exists"; readonly path: string; readonly nonEmpty: boolean }
  | { readonly type: "regex_match"; readonly artifact: string; readonly pattern: string }
  | {
      readonly type: "threshold";
      readonly metric: string;
      readonly op: "gt" | "gte" | "lt" | "lte" | "eq";
      readonly value: number;
      /** The check whose run states the metric. Without one it can never be read. */
      readonly producer?: string;
    }
  | { readonly type: "diff"; readonly allow: readonly string[]; readonly deny: readonly string[] }
  | {
      readonly type: "test_report";
      readonly command: LoopCommand;
      readonly format: "junit" | "tap" | "json";
      readonly path: string;
    }
  /** Scores are 0 to 10. */
  | { readonly type: "judge"; readonly standard: string; readonly minScore?: number };

export interface LoopCheck {
  /** A goal's name or `overall`. */
  readonly target: string;
  readonly name: string;
  readonly mode: CheckMode;
  readonly statement: string;
  readonly detector: LoopDetector;
  readonly blocking: boolean;
  readonly timeoutMs?: number;
}

export interface LoopStop {
  readonly maxIterations: number;
  readonly maxRevisionsPerPiece: number;
  readonly maxWallClockMs?: number;
  readonly maxTokens?: number;
  readonly maxCostMicroUsd?: number;
  /** 0 switches the rule off. */
  readonly noProgressIterations: number;
  /** After how many iterations without progress the way of working is changed. */
  readonly perturbAfterIterations?: number;
  readonly stopOnOverallSuccess: boolean;
}

export const ON_FAIL = ["stop", "escalate", "pause", "rollback", "warn"] as const;
export type OnFail = (typeof ON_FAIL)[number];

/** A condition that is looked at before the start, or after each iteration. */
export interface LoopRule {
  readonly id: string;
  readonly statement: string;
  readonly detector: LoopDetector;
  readonly onFail: OnFail;
}

export interface LoopApproval extends Omit<LoopRule, "detector"> {
  /** Absent: a person is asked every time. */
  readonly detector?: LoopDetector;
}

export interface LoopLimits {
  readonly rules: readonly string[];
  readonly forbiddenPaths: readonly string[];
  readonly forbiddenCommands: readonly string[];
  readonly maxTokens?: number;
  readonly maxMs?: number;
  readonly humanCheckpoint: readonly string[];
}
