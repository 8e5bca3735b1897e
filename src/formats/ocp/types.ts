/**
 * The run document of the Orchestration Context Protocol, version 0.3: one JSON document is one run. The protocol's own
 * member names are kept, so a value of these types is the document itself. Readers ignore members that are not
 * named here; data of a producer belongs in `ext` under a reverse-domain key.
 */
import type { Json } from "../../core/canonical-json.ts";

export const OCP_VERSIONS = ["0.1", "0.2", "0.3"] as const;
export type OcpVersion = (typeof OCP_VERSIONS)[number];

export type OcpExt = { readonly [key: string]: Json | undefined };
export type OcpLabels = Readonly<Record<string, string>>;
/** How an observation was made: found in logs, inferred by a rule, said by somebody. */
export type EvidenceTier = "verified" | "heuristic" | "reported";
/** How a judgement was made, from mechanically checked to merely claimed. */
export type OutcomeTier = "verified" | "reported" | "heuristic" | "asserted";
export type TerminalStatus = "done" | "failed" | "rejected" | "canceled" | "settled_unverified" | "lost";

export interface OcpDocument {
  readonly ocp: "0.3";
  readonly producer: OcpProducer;
  readonly privacy: {
    readonly profile: "metadata_only" | "full";
    readonly note?: string;
    readonly ext?: OcpExt;
  };
  readonly run: OcpRun;
  readonly groups?: readonly OcpGroup[];
  readonly nodes: readonly OcpNode[];
  readonly edges?: readonly OcpEdge[];
  readonly attempts?: readonly OcpAttempt[];
  readonly artifacts?: readonly OcpArtifact[];
  readonly events?: readonly OcpEvent[];
  readonly ext?: OcpExt;
}

export interface OcpProducer {
  readonly name: string;
  readonly version?: string;
  readonly framework?: string;
  readonly framework_version?: string;
  readonly source_contract?: string;
  readonly emitted_at?: string;
  /** `false` promises that the element is absent. */
  readonly capabilities?: Readonly<Record<string, boolean>>;
  readonly ext?: OcpExt;
}

export interface OcpGroup {
  readonly id: string;
  readonly title?: string;
  readonly parent?: string;
  readonly ext?: OcpExt;
}

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

export interface OcpNode {
  readonly id: string;
  readonly kind: string;
  readonly title?: string;
  readonly group?: string;
  readonly state?: string;
  readonly labels?: OcpLabels;
  readonly vertex?: string;
  readonly gate?: { readonly rule?: string; readonly command?: string; readonly ext?: OcpExt };
  readonly ext?: OcpExt;
}

export interface OcpEdge {
  readonly from: string;
  readonly to: string;
  readonly kind?: string;
  readonly tier: EvidenceTier;
  readonly artifact?: string;
  readonly from_attempt?: string;
  readonly to_attempt?: string;
  readonly evidence?: string;
  readonly ext?: OcpExt;
}

export interface OcpLabeled {
  readonly value: string | null;
  readonly tier: EvidenceTier;
  readonly evidence: string | null;
  readonly ext?: OcpExt;
}

export interface OcpAttempt {
  readonly id: string;
  readonly node: string;
  readonly n?: number;
  readonly actor?: string;
  readonly harness?: string;
  readonly model?: OcpModelRef;
  readonly effort?: string;
  readonly cause?: {
    readonly type: string;
    readonly ref?: string;
    readonly by?: string;
    readonly reason?: string;
    readonly ext?: OcpExt;
  };
  readonly origin?: {
    readonly launched_by: string | null;
    readonly workspace: string | null;
    readonly external: boolean | null;
    readonly how: string | null;
    readonly tier: EvidenceTier;
    readonly evidence?: string;
    readonly ext?: OcpExt;
  };
  readonly role?: OcpLabeled;
  readonly phase?: OcpLabeled;
  readonly status: "queued" | "working" | TerminalStatus;
  readonly started_at?: string;
  readonly ended_at?: string;
  readonly outcome?: {
    readonly result: TerminalStatus;
    readonly evidence?: string;
    readonly via?: string;
    readonly receipt?: string;
    readonly reason?: string;
    readonly ext?: OcpExt;
  };
  readonly cost?: OcpCost;
  readonly session?: string;
  readonly labels?: OcpLabels;
  readonly vertex?: string;
  readonly round?: number;
  readonly setting?: OcpSetting;
  readonly cwd?: string;
  readonly ext?: OcpExt;
}

/** Counts are absent when unknown, never 0. `output_tokens` includes `reasoning_tokens`. */
export interface OcpCost {
  readonly input_tokens?: number;
  readonly cached_input_tokens?: number;
  readonly cache_creation_tokens?: number;
  readonly cache_creation_5m_tokens?: number;
  readonly cache_creation_1h_tokens?: number;
  readonly output_tokens?: number;
  readonly reasoning_tokens?: number;
  readonly requests?: number;
  readonly usd?: number;
  readonly basis?: string;
  readonly tariff?: {
    readonly id?: string;
    readonly date?: string;
    readonly source?: string;
    readonly ext?: OcpExt;
  };
  readonly ext?: OcpExt;
}

export interface OcpArtifact {
  readonly id: string;
  readonly path: string;
  readonly kind: {
    readonly value: string | null;
    readonly tier: EvidenceTier;
    readonly evidence?: string;
    readonly ext?: OcpExt;
  };
  readonly producer: string;
  readonly writers: readonly string[];
  readonly consumers: readonly string[];
  readonly first_write_at: string | null;
  readonly n_writes: number | null;
  readonly n_reads: number | null;
  readonly vertex?: string;
  readonly version?: number;
  readonly supersedes?: string;
  readonly transfer_tokens?: Readonly<
    Record<string, { readonly input?: number; readonly cache_read?: number }>
  >;
  readonly labels?: OcpLabels;
  readonly ext?: OcpExt;
}

export interface OcpEvent {
  readonly at: string;
  readonly type: string;
  readonly node?: string;
  readonly attempt?: string;
  readonly actor?: string;
  readonly detail?: string;
  readonly ext?: OcpExt;
}
