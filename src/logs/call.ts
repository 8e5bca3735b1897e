import type { TokenUsage } from "../core/tokens.ts";
import type { DamageList } from "./lines.ts";

export type AgentName =
  | "claude-code"
  | "codex"
  | "pi"
  | "omp"
  | "gemini-cli"
  | "opencode"
  | "otel-genai"
  | "orca"
  | "paseo"
  | "atrium"
  | "bb";

/** The model of calls whose log names none. It has no price. */
export const UNKNOWN_MODEL = "unknown";

/** One model request that was answered and billed, in the session that made it. */
export interface Call {
  readonly agent: AgentName;
  /** Session id (Claude Code) or thread id (Codex). */
  readonly session: string;
  /** The subagent that made it. */
  readonly subagent?: string | undefined;
  readonly isSidechain: boolean;
  /** As the log spells it. */
  readonly model: string;
  /** Milliseconds since the epoch; 0 when neither the record nor a neighbour has a time. */
  readonly atMs: number;
  readonly isTimeGuessed: boolean;
  readonly usage: TokenUsage;
  /** Absent: standard. `fast`, `priority`, `flex`, `batch` ... */
  readonly tier?: string | undefined;
  readonly webSearches: number;
  /** The writer logged the output count of the stream's start only: a lower bound. */
  readonly isOutputIncomplete: boolean;
  /** Cost that early writers logged per record. */
  readonly recordedUsd?: number | undefined;
  readonly cwd?: string | undefined;
  readonly branch?: string | undefined;
  /** The file that this call is read from; absent when only a copy of it is left. */
  readonly path?: string | undefined;
}

/** Both ends belong to it. */
export interface TimeWindow {
  readonly fromMs: number;
  readonly toMs: number;
}
export const ALL_TIME: TimeWindow = { fromMs: -Infinity, toMs: Infinity };

/** Spend that the agent states in its running totals and that no call record shows: titles, compactions. */
export interface UnloggedUsage {
  readonly model: string;
  readonly usage: TokenUsage;
  readonly webSearches: number;
}

/** What an orchestrator says of work that it gave to an agent; nothing of it is measured. */
export interface ReportedWork {
  readonly harness?: string;
  readonly model?: string;
  readonly effort?: string;
  /** Attempts at one task share it. */
  readonly task?: string;
  /** Tasks of one run share it. */
  readonly run?: string;
  readonly state?: WorkState;
  /** The agent's own session, where the orchestrator's records agree on it. */
  readonly agentSession?: string;
}
export type WorkState = "working" | "done" | "failed" | "canceled" | "settled_unverified";

export interface SessionLog {
  readonly agent: AgentName;
  readonly id: string;
  /** The session at the root of a tree of spawned agents; its own id for a root. */
  readonly root: string;
  readonly parent?: string | undefined;
  readonly forkedFrom?: string | undefined;
  readonly cwd?: string | undefined;
  readonly branch?: string | undefined;
  readonly source?: string | undefined;
  readonly isArchived: boolean;
  readonly isCompressed: boolean;
  /** Empty when the session is known from copies in forks only. */
  readonly files: readonly string[];
  readonly firstAtMs?: number | undefined;
  readonly lastAtMs?: number | undefined;
  /** In the order of time. */
  readonly calls: readonly Call[];
  /** Undefined when it cannot be told. */
  readonly unlogged?: readonly UnloggedUsage[] | undefined;
  readonly errors: number;
  readonly warnings: readonly string[];
  readonly reported?: ReportedWork | undefined;
}

/** What all files of one agent say, each call once. Equal for equal files in whatever order. */
export interface AgentLogs {
  /** By first time, then id. */
  readonly sessions: readonly SessionLog[];
  readonly damaged: Readonly<DamageList>;
}

/** A file or folder that could not be read. */
export interface ReadProblem {
  readonly path: string;
  readonly reason: string;
}

export function allDamage(files: readonly { readonly damaged: DamageList }[]): Readonly<DamageList> {
  const only = files[0];
  if (only !== undefined && files.length === 1) return only.damaged;
  return {
    lines: files.flatMap((facts) => facts.damaged.lines),
    more: files.reduce((sum, facts) => sum + facts.damaged.more, 0),
  };
}

/** Component-wise maximum: counts of one call only grow. */
export function maxUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  const most: { -readonly [K in keyof TokenUsage]: TokenUsage[K] } = { ...a };
  for (const key of USAGE_KEYS) {
    const other = b[key];
    if (other !== undefined && other > (most[key] ?? -1)) most[key] = other;
  }
  return most;
}

/** True when one of the two is at least the other in every count. */
export function areComparable(a: TokenUsage, b: TokenUsage): boolean {
  let isMore = false;
  let isLess = false;
  for (const key of USAGE_KEYS) {
    const difference = (a[key] ?? 0) - (b[key] ?? 0);
    if (difference > 0) isMore = true;
    if (difference < 0) isLess = true;
  }
  return !(isMore && isLess);
}

/** True when what was sent to the model has the same size in every class: what repeats of one call share. */
export function haveSameInput(a: TokenUsage, b: TokenUsage): boolean {
  return INPUT_KEYS.every((key) => (a[key] ?? 0) === (b[key] ?? 0));
}

const INPUT_KEYS = ["inputTokens", "cacheWrite5mTokens", "cacheWrite1hTokens", "cacheReadTokens"] as const;
const USAGE_KEYS = [...INPUT_KEYS, "outputTokens", "reasoningTokens"] as const;

/** `a` less `b`, a missing count of `b` being nothing. Counts may come out negative. */
export function subtractUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  const rest: { -readonly [K in keyof TokenUsage]: TokenUsage[K] } = {};
  for (const key of USAGE_KEYS) {
    const count = a[key];
    if (count !== undefined) rest[key] = count - (b[key] ?? 0);
    else if (b[key] !== undefined) rest[key] = -b[key];
  }
  return rest;
}

/** True when no count of `a` is below that of `b`. */
export function isAtLeast(a: TokenUsage, b: TokenUsage): boolean {
  return USAGE_KEYS.every((key) => (a[key] ?? 0) >= (b[key] ?? 0));
}

export function isNothing(usage: TokenUsage): boolean {
  return USAGE_KEYS.every((key) => (usage[key] ?? 0) === 0);
}

export function equalUsage(a: TokenUsage, b: TokenUsage): boolean {
  return USAGE_KEYS.every((key) => (a[key] ?? 0) === (b[key] ?? 0));
}
