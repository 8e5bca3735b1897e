import type { Cost } from "../core/money.ts";
import type { Result } from "../core/result.ts";
import type { TokenUsage } from "../core/tokens.ts";
import type { ContainerWords } from "./containers.ts";
import type { ProcessEnd } from "./process.ts";

/** What a provider may do to the machine; the least that does the piece's job. */
export type Permission = "read" | "edit" | "full";

/**
 * A provider as the session froze it. `command` templates may hold `{prompt} {system} {model} {piece} {tier}`.
 * `env`: names of further variables that it may see and cannot work without, never values.
 */
export type ProviderSpec =
  | {
      readonly kind: "claude-code";
      readonly id: string;
      readonly command: string;
      readonly model?: string;
      readonly effort?: string;
      readonly args: readonly string[];
      readonly env?: readonly string[];
    }
  | {
      readonly kind: "codex";
      readonly id: string;
      readonly command: string;
      readonly model?: string;
      readonly effort?: string;
      readonly args: readonly string[];
      readonly env?: readonly string[];
    }
  /** Speaks the Agent Client Protocol on its standard streams. */
  | {
      readonly kind: "acp";
      readonly id: string;
      readonly argv: readonly string[];
      readonly model?: string;
      readonly env?: readonly string[];
    }
  | {
      readonly kind: "command";
      readonly id: string;
      readonly argv: readonly string[];
      readonly promptOnStdin: boolean;
      readonly model?: string;
      /** Follow the others when a model is named. */
      readonly modelArgs?: readonly string[];
      /** Follow the others for what the task may do. */
      readonly permissionArgs?: Readonly<Partial<Record<Permission, readonly string[]>>>;
      /** First capture group is a token count, searched in stdout then stderr. */
      readonly usageRegex?: string;
      readonly usdPer1kTokens?: number;
      readonly rateLimitExitCodes?: readonly number[];
      /** What stdout is. Absent: plain text, whose tokens are counted by `usageRegex` or estimated by length. */
      readonly output?: "claude-stream-json";
      readonly env?: readonly string[];
    };

export interface ProviderTask {
  readonly prompt: string;
  readonly system: string;
  readonly piece: string;
  readonly tier: string;
  readonly cwd: string;
  readonly permission: Permission;
  /** A fresh UUID the agent shall use as its session id, where it can. */
  readonly sessionId: string;
  /** Resume this agent session instead of starting a new one. */
  readonly resume?: string;
  /** Work on a copy of the session named by `resume` and leave that one as it is. */
  readonly fork?: boolean;
  /** Commands that the agent itself is to refuse, where it has rules for them. */
  readonly forbiddenCommands?: readonly string[];
  /** Runs the agent in a container. */
  readonly container?: ContainerWords;
  /** The workspace is the agent's own, such as a worktree; not that it could not reach beyond. */
  readonly isolated: boolean;
}

/** A ready command line: what the process runner starts. */
export interface ProviderLaunch {
  readonly argv: readonly string[];
  readonly stdin?: string;
  /** Names of variables taken from our environment when set; values are never read elsewhere. */
  readonly envNames: readonly string[];
  readonly envSet: Readonly<Record<string, string>>;
  /** Known before the start (Claude Code) or undefined (Codex: read from the stream). */
  readonly agentSession?: string;
}

/** What the stream says while the agent works. */
export type ProviderEvent =
  | { readonly kind: "session"; readonly id: string }
  | { readonly kind: "model"; readonly model: string }
  | { readonly kind: "activity"; readonly what: string }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "usage"; readonly usage: TokenUsage }
  /** The agent's final result was seen; its process should end soon. */
  | { readonly kind: "result" };

/**
 * Spend of one attempt by model, as far as it can be known.
 * `provenance`: measured = the provider's own structured output for exactly this attempt; logged = read from the agent's
 * log by session id; estimated = guessed from text length.
 */
export interface ModelUsage {
  readonly model: string;
  readonly usage: TokenUsage;
  /** The provider's own price for it, when it states one for this attempt alone. */
  readonly statedMicroUsd?: number;
  /** Priced call by call (day, service tier, long context): use it rather than a price of the sum. */
  readonly cost?: Cost;
  readonly webSearchRequests?: number;
  /** Absent: standard. */
  readonly tier?: string;
  /** Some call's output count was logged before the output was over. */
  readonly isLowerBound?: boolean;
  /** Spend that the agent states in its totals and logs no call for: compactions, titles. */
  readonly isUnlogged?: boolean;
}
export type UsageReport =
  | {
      readonly kind: "known";
      readonly provenance: "measured" | "logged" | "estimated";
      readonly models: readonly ModelUsage[];
    }
  | { readonly kind: "unknown"; readonly why: string };

/** How an attempt ended: a closed set. A timeout is not a rate limit is not a failure. */
export type AttemptEnd =
  | { readonly reason: "done" }
  | { readonly reason: "failed"; readonly kind: FailureKind; readonly detail: string }
  | { readonly reason: "timed-out" }
  | { readonly reason: "stalled" }
  | { readonly reason: "canceled" }
  | { readonly reason: "retry-later"; readonly retryAt: string | null; readonly detail: string }
  | { readonly reason: "refused"; readonly detail: string }
  | { readonly reason: "lost" };
/** Only `transient` is retried. */
export type FailureKind = "transient" | "agent-error" | "auth" | "configuration" | "missing" | "signal";

/** Reads one attempt's streams. Pure apart from its own memory, which is bounded. */
export interface StreamReader {
  /** Whole or partial chunk of stdout, in order. */
  push(chunk: Uint8Array, stream: "stdout" | "stderr"): readonly ProviderEvent[];
  /** After the end. `tail` is the last of stderr and stdout as text. */
  finish(
    end: ProcessEnd,
    nowMs: number,
  ): {
    readonly end: AttemptEnd;
    readonly agentSession?: string;
    readonly model?: string;
    /** The agent's last message, cut to 4,000 characters. */
    readonly summary: string;
    readonly usage: UsageReport;
    /** Cumulative counters as stated, so that the next attempt of the same agent session can subtract them. */
    readonly cumulative?: readonly ModelUsage[];
  };
}

export interface Availability {
  readonly id: string;
  readonly kind: ProviderSpec["kind"];
  readonly available: boolean;
  readonly path?: string;
  readonly version?: string;
  /** Why not, and what to do. */
  readonly reason?: string;
}

export interface Provider {
  readonly spec: ProviderSpec;
  /** Problems: `provider-missing`, `command-not-found`. */
  launch(task: ProviderTask): Result<ProviderLaunch>;
  /** `before`: what this agent session had already reported in earlier attempts of ours. */
  reader(task: ProviderTask, before?: readonly ModelUsage[]): StreamReader;
  /** True when its spend can be known, so that a dollar cap means something. */
  readonly reportsCost: boolean;
  /** True when two providers would grade their own work: same family, model and credentials. */
  readonly family: string;
}

export interface Providers {
  make(spec: ProviderSpec): Result<Provider>;
  /** `claude-code`, `codex`, `acp:CMDLINE` or `command:CMDLINE` as typed by a person. */
  parse(text: string): Result<ProviderSpec>;
  /** Runs nothing but `--version`. */
  detect(path: string): Promise<readonly Availability[]>;
}
