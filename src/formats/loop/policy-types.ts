/** How a loop remembers, equips, starts, recovers and changes itself. */

export interface LoopPhases {
  readonly items: readonly LoopPhase[];
  /** Each a chain: a phase opens when the one before it is complete. */
  readonly chains: readonly (readonly string[])[];
}

export interface LoopPhase {
  readonly name: string;
  readonly guideline: string;
  readonly note?: string;
}

export type MemoryNamespace = "episodic" | "semantic" | "procedural" | "failure";

export interface LoopMemory {
  /** How many summaries of earlier iterations an agent is told. */
  readonly carrySummaries: number;
  readonly summaryProvider?: string;
  readonly maxSummaryChars: number;
  readonly maxRetrieved: number;
  readonly namespaces: Readonly<Record<MemoryNamespace, LoopNamespace>>;
}

export interface LoopNamespace {
  readonly isEnabled: boolean;
  readonly retentionDays?: number;
  readonly minConfidence: number;
  readonly requireProvenance: boolean;
  readonly promotion: Promotion;
}

export type Promotion =
  | { readonly rule: "never" }
  | { readonly rule: "automatic" }
  | { readonly rule: "repeated_validation"; readonly times: number }
  | { readonly rule: "human_approval" };

export const SKILL_SOURCES = ["installed", "marketplace", "generate"] as const;
/** Where skills that are not trusted yet lie, unless a file says otherwise. */
export const QUARANTINE_DIR = "generated-skills";
export const TRUST_LEVELS = ["untrusted", "reviewed", "approved"] as const;
export type TrustLevel = (typeof TRUST_LEVELS)[number];

export interface LoopSkills {
  readonly acquisitionOrder: readonly (typeof SKILL_SOURCES)[number][];
  readonly quarantineDir: string;
  readonly minMarketplaceStars: number;
  readonly requireHumanPromotion: boolean;
  readonly explore: boolean;
  readonly exploreCandidates: readonly string[];
  readonly minTrials: number;
  readonly minTrustLevel: TrustLevel;
  readonly requireChecksum: boolean;
  readonly allowExternalSideEffects: boolean;
}

export interface LoopDefaultSkill {
  readonly name: string;
  readonly source: "marketplace" | "github" | "local";
  readonly url?: string;
  readonly initCommand?: string;
  readonly note?: string;
  /** SHA-256 of what is fetched. */
  readonly checksum?: string;
  readonly trustLevel: TrustLevel;
}

export interface LoopTriggers {
  readonly triggers: readonly LoopTrigger[];
  /** How long a chain of runs that start each other may become. */
  readonly maxDepth: number;
  readonly dedupWindowMs: number;
}

export interface LoopTrigger {
  readonly on: TriggerEvent;
  readonly idempotencyKey?: string;
  readonly isEnabled: boolean;
  /** What becomes of the times that passed while nobody watched or a run was going on. */
  readonly missed: MissedRuns;
}

export const MISSED_RUNS = ["skip", "once", "all"] as const;
export type MissedRuns = (typeof MISSED_RUNS)[number];

export type TriggerEvent =
  | { readonly type: "cron"; readonly expr: string; readonly timezone: string }
  | { readonly type: "interval"; readonly intervalMs: number }
  | { readonly type: "file_change"; readonly path: string }
  /** `loop`: the name of another loop whose goal it is. */
  | { readonly type: "goal_satisfied"; readonly goal: string; readonly loop?: string }
  | { readonly type: "webhook"; readonly name: string }
  | { readonly type: "manual" };

export type FailureClass =
  | "transient_error"
  | "invalid_output"
  | "tool_unavailable"
  | "repeated_failure"
  | "safety_violation"
  | "resource_exhaustion"
  | "corrupted_state";
export type LoopRecovery = Readonly<Record<FailureClass, RecoveryAction>>;

export type RecoveryAction =
  | {
      readonly action: "retry";
      /** Counts dispatches, the first included. */
      readonly maxAttempts: number;
      readonly baseDelayMs: number;
      readonly backoff: "fixed" | "linear" | "exponential";
    }
  | { readonly action: "revise"; readonly maxAttempts: number }
  | { readonly action: "fallback" | "escalate" | "pause" | "restore_checkpoint" | "stop" };

export const PROTECTED_COMPONENTS = [
  "gates",
  "limits",
  "recovery",
  "protected",
  "approvals",
  "credentials",
  "audit",
  "baselines",
  "retention",
  "environment",
] as const;

export interface LoopProtected {
  readonly components: readonly (typeof PROTECTED_COMPONENTS)[number][];
  /** Dotted paths of the file's own keys. */
  readonly extraPaths: readonly string[];
}

export const ALERT_METRICS = [
  "iterations",
  "tokens_used",
  "cost_usd",
  "wall_clock_seconds",
  "failed_dispatches",
  "retries",
  "stale_iterations",
  "validation_pass_rate",
] as const;
export type AlertMetric = (typeof ALERT_METRICS)[number];

export interface LoopAlert {
  readonly id: string;
  readonly metric: AlertMetric;
  readonly above?: number;
  readonly below?: number;
  readonly message?: string;
}

export const PROPOSAL_KINDS = [
  "new_skill",
  "skill_update",
  "prompt_change",
  "graph_change",
  "provider_routing",
  "validation_change",
  "success_criteria",
] as const;

export interface LoopEvolution {
  readonly isEnabled: boolean;
  readonly baseline?: LoopBaseline;
  /** Share of the baseline by which a measure may become worse. */
  readonly maxRegression: number;
  readonly allowedKinds: readonly (typeof PROPOSAL_KINDS)[number][];
  readonly requireSandbox: boolean;
  readonly requireApproval: boolean;
  readonly keepRollback: boolean;
}

export interface LoopBaseline {
  readonly completionRate?: number;
  readonly validationPassRate?: number;
  readonly costUsd?: number;
  readonly latencySeconds?: number;
  readonly iterationsToSuccess?: number;
  readonly measuredAt?: string;
}
