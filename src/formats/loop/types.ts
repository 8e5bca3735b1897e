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
  readonly goals: readonly LoopGoal[];
  readonly pieces: readonly LoopPiece[];
  readonly concurrency: LoopConcurrency;
  /** Every piece's default. */
  readonly join: LoopJoin;
  readonly providers: readonly LoopProvider[];
  /** Ordered fallbacks by tier. */
  readonly cascade: Readonly<Partial<Record<Tier, readonly string[]>>>;
  readonly enforceJudgeIndependence: boolean;
  readonly checks: readonly LoopCheck[];
  readonly stop: LoopStop;
  readonly approvals: readonly LoopApproval[];
  readonly limits: LoopLimits;
  /** On top of `limits`, by piece. */
  readonly pieceLimits: ReadonlyMap<string, LoopLimits>;
}

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
  /** Relative cost, above 0. */
  readonly weight: number;
  readonly isolation: "none" | "worktree";
}

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
      /** The check whose run states the metric. */
      readonly producer: string;
    }
  | { readonly type: "diff"; readonly allow: readonly string[]; readonly deny: readonly string[] }
  | {
      readonly type: "test_report";
      readonly command: LoopCommand;
      readonly format: "junit" | "tap" | "json";
      readonly path: string;
    };

export interface LoopCheck {
  /** A goal's name or `overall`. */
  readonly target: string;
  readonly name: string;
  readonly mode: "subjective" | "objective" | "percentage";
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
  readonly stopOnOverallSuccess: boolean;
}

export interface LoopApproval {
  readonly id: string;
  readonly statement: string;
  /** Absent: a person is asked every time. */
  readonly detector?: LoopDetector;
  readonly onFail: "stop" | "escalate" | "pause" | "rollback" | "warn";
}

export interface LoopLimits {
  readonly rules: readonly string[];
  readonly forbiddenPaths: readonly string[];
  readonly forbiddenCommands: readonly string[];
  readonly maxTokens?: number;
  readonly maxMs?: number;
  readonly humanCheckpoint: readonly string[];
}
