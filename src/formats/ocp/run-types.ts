/** The run of a document: task, configuration, and everything judged about it. */
import type { Json } from "../../core/canonical-json.ts";

export type OcpExt = { readonly [key: string]: Json | undefined };
export type OcpLabels = Readonly<Record<string, string>>;
/** How an observation was made: found in logs, inferred by a rule, said by somebody. */
export type EvidenceTier = "verified" | "heuristic" | "reported";
/** How a judgement was made, from mechanically checked to merely claimed. */
export type OutcomeTier = "verified" | "reported" | "heuristic" | "asserted";
export type TerminalStatus = "done" | "failed" | "rejected" | "canceled" | "settled_unverified" | "lost";

export interface OcpRun {
  readonly id: string;
  readonly title?: string;
  readonly started_at?: string;
  readonly ended_at?: string;
  readonly workspace?: string;
  readonly labels?: OcpLabels;
  readonly task?: OcpTask;
  readonly configuration?: OcpConfiguration;
  readonly provenance?: {
    readonly kind: "logged" | "designed";
    readonly chooser?: string;
    readonly ext?: OcpExt;
  };
  readonly acceptance_rule?: OcpAcceptanceRule;
  readonly signals?: readonly OcpSignal[];
  readonly slate?: OcpSlate;
  readonly preferences?: readonly OcpPreference[];
  readonly rescue?: {
    readonly kind: string;
    readonly ref?: string;
    readonly cost_usd?: number;
    readonly basis?: "measured" | "expected";
    readonly ext?: OcpExt;
  };
  readonly receipt?: OcpExt;
  readonly ext?: OcpExt;
}

export interface OcpTask {
  readonly id: string;
  readonly title?: string;
  readonly type?: string;
  readonly subtype?: string;
  readonly repo?: string;
  readonly org?: string;
  readonly groups?: readonly { readonly level: string; readonly id: string }[];
  readonly features?: Readonly<Record<string, boolean | number | string>>;
  readonly base_commit?: string;
  readonly source?: OcpSource;
  readonly labeled_by?: {
    readonly how: string;
    readonly model?: string;
    readonly tier?: OutcomeTier;
    readonly ext?: OcpExt;
  };
  readonly ext?: OcpExt;
}

export interface OcpSource {
  readonly kind: string;
  readonly ref?: string;
  readonly ext?: OcpExt;
}

export interface OcpConfiguration {
  /** `cfg_` and 12 hex digits, see `configurationId`. */
  readonly id?: string;
  readonly workflow?: OcpWorkflow | OcpWorkflowRef;
  /** One per top-level piece. */
  readonly settings?: Readonly<Record<string, OcpSetting>>;
  readonly source?: "usual" | "alternative" | "exploration" | "user_edit" | "habit" | "designed";
  readonly rec?: string;
  readonly ext?: OcpExt;
}

export interface OcpModelRef {
  readonly raw?: string;
  readonly id?: string;
  readonly family?: string;
  readonly provider?: string;
  readonly tier?: EvidenceTier;
  readonly ext?: OcpExt;
}

export interface OcpSetting {
  readonly harness?: string;
  readonly model?: OcpModelRef;
  readonly effort?: string;
  readonly context_policy?: string;
  readonly options?: OcpExt;
  readonly ext?: OcpExt;
}

export interface OcpWorkflowRef {
  readonly ref: string;
  readonly version?: number;
  readonly ext?: OcpExt;
}

export interface OcpWorkflow {
  readonly id?: string;
  readonly version?: number;
  readonly title?: string;
  readonly pieces: readonly OcpPiece[];
  readonly artifacts?: readonly { readonly id: string; readonly kind?: string; readonly ext?: OcpExt }[];
  /** `[piece, artifact]` produces, `[artifact, piece]` consumes. */
  readonly edges?: readonly (readonly [string, string])[];
  readonly control?: OcpControl;
  readonly ext?: OcpExt;
}

export interface OcpPiece {
  readonly id: string;
  readonly role?: string;
  readonly width?: number;
  readonly workflow?: OcpWorkflow | OcpWorkflowRef;
  readonly ext?: OcpExt;
}

export interface OcpControl {
  readonly gates?: readonly string[];
  /** Gate id to the piece that reruns when it rejects. */
  readonly repair?: Readonly<Record<string, string>>;
  /** Rounds, the first one counted. */
  readonly budget?: number;
  readonly rescue?: {
    readonly kind: string;
    readonly ref?: string;
    readonly cost_usd?: number;
    readonly ext?: OcpExt;
  };
  readonly ext?: OcpExt;
}

export interface OcpAcceptanceRule {
  readonly name: string;
  readonly definition: string;
  readonly requires?: readonly string[];
  readonly score?: OcpScoreTarget | null;
  readonly excludes_events?: readonly string[];
  readonly window_days?: number;
  readonly ext?: OcpExt;
}

export interface OcpScoreTarget {
  readonly name: string;
  readonly target: number;
  readonly better: "higher" | "lower";
  readonly scale?: "linear" | "log" | "fraction";
  readonly ext?: OcpExt;
}

export interface OcpSignal {
  readonly id: string;
  readonly kind: "verdict" | "score" | "event";
  readonly name: string;
  readonly value: string | number | null;
  readonly unit?: string;
  readonly better?: "higher" | "lower";
  readonly target?: number;
  readonly scale?: "linear" | "log" | "fraction";
  readonly at_attempt?: string;
  readonly observed_at: string;
  readonly source?: OcpSource;
  readonly tier: OutcomeTier;
  readonly ext?: OcpExt;
}

export interface OcpSlate {
  readonly id: string;
  readonly members: readonly string[];
  readonly base_commit?: string;
  readonly isolated?: boolean;
  readonly blinded?: boolean;
  readonly ext?: OcpExt;
}

export interface OcpPreference {
  readonly id: string;
  readonly slate: string;
  readonly winner: string;
  readonly members?: readonly string[];
  readonly judge?: {
    readonly kind?: string;
    readonly model?: string;
    readonly blinded?: boolean;
    readonly ext?: OcpExt;
  };
  readonly observed_at?: string;
  readonly tier?: OutcomeTier;
  readonly ext?: OcpExt;
}
