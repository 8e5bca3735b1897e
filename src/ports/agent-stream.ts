import type { TokenUsage } from "../core/tokens.ts";
import type { ModelUsage, ProviderEvent, UsageReport } from "./provider.ts";

/** What a headless agent's stdout said, once it is over. Everything absent was not said. */
export interface FinishedStream {
  readonly session?: string;
  readonly model?: string;
  /** The agent's last message; empty when there was none. Cut to 4,000 characters. */
  readonly summary: string;
  /** The agent's own verdict on the run; true as well when it ended without its closing line. */
  readonly isError: boolean;
  /** HTTP status of the model API behind the error. */
  readonly errorStatus?: number;
  /** What the error said; text that was no JSON is kept for this. Cut to 4,000 characters. */
  readonly errorText?: string;
  /** End of the limit behind the error, in milliseconds since the epoch (Claude Code: `rate_limit_event`, status `rejected`). */
  readonly limitResetsAtMs?: number;
  /** Why the agent stopped, in its words: `completed`, `max_turns`, `error_max_budget_usd` ... */
  readonly terminalReason?: string;
  /** Spend of this process as the agent states it (Claude Code: the main agent's calls only). */
  readonly usage?: TokenUsage;
  /** Counters by model as stated: often cumulative over the session. Never bill from these directly. */
  readonly perModel: readonly ModelUsage[];
  /** Total as stated, in dollars, cumulative like `perModel`. */
  readonly statedCostUsd?: number;
  /** The line that closes a run was seen. */
  readonly sawResult: boolean;
  /** Program version, when stated. */
  readonly version?: string;
}

/**
 * What earlier attempts of the same agent session had already reported: its counters as of then; absent for a
 * new session; `unknown` for a session that somebody else had used before.
 */
export type SpentBefore = readonly ModelUsage[] | "unknown";

/** Reads one headless agent's stdout. Any chunking, garbage between the lines, bounded memory. */
export interface AgentStream {
  push(chunk: Uint8Array): readonly ProviderEvent[];
  /** Call once, after the last chunk. */
  finish(): FinishedStream;
  /** The share of this process in counters that may be cumulative, by comparison with the process's own usage. */
  attributable(finished: FinishedStream, before?: SpentBefore): UsageReport;
}

/** @param model the model that was asked for: Codex does not name it on its stream */
export type AgentStreamFactory = (model?: string) => AgentStream;
