import type { Cost } from "../core/money.ts";
import type { TokenUsage } from "../core/tokens.ts";
import type { ModelUsage, UsageReport } from "./provider.ts";

/** The one reader of money: what an agent session spent, from the agent's own logs. */
export interface UsageReader {
  /**
   * Usage of one agent session, sub-agents included, between two moments (all of it without them).
   * `unknown` when there is no log for it. Read-only.
   */
  ofSession(request: {
    readonly agent: "claude-code" | "codex";
    readonly session: string;
    readonly cwd: string;
    readonly from?: string;
    readonly to?: string;
    /** Where the agent keeps its files, when the attempt ran with another home. */
    readonly home?: string;
  }): Promise<UsageReport>;
}

/** What else decides the price of a call. */
export interface PriceTraits {
  /** Absent: standard. */
  readonly tier?: string;
  readonly webSearchRequests?: number;
}

export interface Prices {
  /**
   * Exact per class, rounded once. A model, tier or class without a price is unknown, never 0. The usage is taken as one
   * call: where a `ModelUsage` carries its own `cost`, that was decided call by call and wins.
   */
  price(
    model: string,
    usage: TokenUsage,
    at: string,
    basis: "measured" | "logged" | "estimated",
    traits?: PriceTraits,
  ): Cost;
  /** First 12 hex digits of the hash of the table, its date and its source, for the record. */
  readonly table: { readonly id: string; readonly date: string; readonly source: string };
}

export type { ModelUsage };
