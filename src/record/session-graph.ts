import type { TokenUsage } from "../core/tokens.ts";
import type { TerminalStatus } from "../formats/ocp/index.ts";

/** One session of a graph; structurally what the log readers give. */
export interface SessionOfGraph {
  readonly id: string;
  readonly agent: string;
  readonly session: string;
  readonly kind: "session" | "subagent";
  readonly models: readonly string[];
  readonly cwd?: string;
  readonly firstAtMs?: number;
  readonly lastAtMs?: number;
  readonly calls?: number;
  readonly usage: TokenUsage;
  readonly role?: { readonly value: string; readonly tier: "reported" | "heuristic" };
  readonly phase?: string;
  readonly reported?: {
    readonly harness?: string;
    readonly model?: string;
    readonly effort?: string;
    readonly task?: string;
    readonly run?: string;
    readonly state?: "working" | TerminalStatus;
    readonly agentSession?: string;
  };
}

export interface SessionGraph {
  readonly nodes: readonly SessionOfGraph[];
  readonly edges: readonly {
    readonly from: string;
    readonly to: string;
    readonly kind: "spawn" | "fork" | "launch" | "artifact" | "dep" | "fan_in" | "retry";
    readonly tier: "verified" | "heuristic";
    readonly path?: string;
    readonly lagMs?: number;
  }[];
  readonly artifacts: readonly {
    readonly path: string;
    readonly kind: string;
    readonly writers: readonly string[];
    readonly readers: readonly string[];
    readonly firstWriteMs: number;
    readonly writes: number;
    readonly reads: number;
  }[];
}
