/**
 * The run document of the Orchestration Context Protocol, version 0.3: one JSON document is one run. The
 * protocol's own member names are kept, so a value of these types is the document itself. Readers ignore
 * members that are not named here; data of a producer belongs in `ext` under a reverse-domain key.
 */
import type {
  EvidenceTier,
  OcpExt,
  OcpLabels,
  OcpModelRef,
  OcpRun,
  OcpSetting,
  TerminalStatus,
} from "./run-types.ts";

export const OCP_VERSIONS = ["0.1", "0.2", "0.3"] as const;
export type OcpVersion = (typeof OCP_VERSIONS)[number];

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

export * from "./run-types.ts";
