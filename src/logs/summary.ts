import { addUsage, type TokenUsage } from "../core/tokens.ts";
import type { AgentLogs, AgentName, Call, SessionLog } from "./call.ts";
import type { DamageList } from "./lines.ts";

/** Calls are summed over a quarter of an hour: the offsets of all time zones are whole numbers of it. */
export const SLOT_MS = 900_000;

/**
 * Prompt sizes at which some provider's price changes. Calls on both sides of one are not summed, because each call's own
 * size decides its price.
 */
export const PRICE_BOUNDS: readonly number[] = [
  100_000, 128_000, 200_000, 256_000, 271_999, 272_000, 512_000,
];

/** Calls of one session that cost the same per token: one model, tier, place, quarter of an hour and size. */
export interface UsageRow {
  readonly model: string;
  readonly tier?: string;
  readonly subagent?: string;
  readonly cwd?: string;
  readonly branch?: string;
  /** Quarters of an hour since the epoch; 0 when no time is known. */
  readonly slot: number;
  /** How many of `PRICE_BOUNDS` the prompt exceeds. */
  readonly size: number;
  /** `requests` is the number of calls. */
  readonly usage: TokenUsage;
  readonly webSearches: number;
  /** Calls whose output count is a lower bound. */
  readonly lowerBounds: number;
  /** From the agent's running totals rather than from records of calls. */
  readonly isUnlogged: boolean;
}

/** One session without its single calls. */
export interface SessionSummary extends Omit<SessionLog, "calls" | "unlogged" | "warnings"> {
  readonly rows: readonly UsageRow[];
  /** The first few; `warningCount` counts all. */
  readonly warnings: readonly string[];
  readonly warningCount: number;
}

export interface AgentSummary {
  readonly agent: AgentName;
  readonly sessions: readonly SessionSummary[];
  readonly damaged: Readonly<DamageList>;
}

const KEPT_WARNINGS = 20;

/** What is needed to price, group and show sessions, at a small part of the size. Sums are exact. */
export function summarise(agent: AgentName, logs: AgentLogs): AgentSummary {
  return { agent, sessions: logs.sessions.map(summariseSession), damaged: logs.damaged };
}

function summariseSession(session: SessionLog): SessionSummary {
  const { calls, unlogged = [], warnings, ...rest } = session;
  const rows = new RowSums();
  for (const call of calls) rows.add(rowOf(call));
  const slot = slotOf(session.lastAtMs ?? 0);
  for (const { model, usage, webSearches } of unlogged) {
    rows.add({ model, slot, size: 0, usage, webSearches, lowerBounds: 0, isUnlogged: true });
  }
  return {
    ...rest,
    rows: rows.all(),
    warnings: warnings.slice(0, KEPT_WARNINGS),
    warningCount: warnings.length,
  };
}

type OpenRow = { -readonly [K in keyof UsageRow]: UsageRow[K] };

function rowOf(call: Call): OpenRow {
  const row: OpenRow = {
    model: call.model,
    slot: slotOf(call.atMs),
    size: sizeOf(call.usage),
    usage: call.usage,
    webSearches: call.webSearches,
    lowerBounds: call.isOutputIncomplete ? 1 : 0,
    isUnlogged: false,
  };
  if (call.tier !== undefined) row.tier = call.tier;
  if (call.subagent !== undefined) row.subagent = call.subagent;
  if (call.cwd !== undefined) row.cwd = call.cwd;
  if (call.branch !== undefined) row.branch = call.branch;
  return row;
}

/** Adds up rows that cost the same per token, in the order in which each first came. */
class RowSums {
  readonly #rows: OpenRow[] = [];
  readonly #byKey = new Map<string, OpenRow>();
  #last: OpenRow | undefined;

  add(row: OpenRow): void {
    // Calls come in the order of time: most belong to the row of the one before.
    const isLast = this.#last !== undefined && areAlike(this.#last, row);
    const known = isLast ? this.#last : this.#byKey.get(keyOf(row));
    if (known === undefined) {
      this.#rows.push(row);
      this.#byKey.set(keyOf(row), row);
    } else {
      known.usage = addUsage(known.usage, row.usage);
      known.webSearches += row.webSearches;
      known.lowerBounds += row.lowerBounds;
    }
    this.#last = known ?? row;
  }

  all(): readonly UsageRow[] {
    return this.#rows;
  }
}

function areAlike(a: UsageRow, b: UsageRow): boolean {
  return (
    a.slot === b.slot &&
    a.size === b.size &&
    a.isUnlogged === b.isUnlogged &&
    a.model === b.model &&
    a.tier === b.tier &&
    a.subagent === b.subagent &&
    a.cwd === b.cwd &&
    a.branch === b.branch &&
    knownOf(a.usage) === knownOf(b.usage)
  );
}

function keyOf({ model, tier, subagent, cwd, branch, slot, size, usage, isUnlogged }: UsageRow): string {
  return `${model}\n${tier}\n${subagent}\n${cwd}\n${branch}\n${slot}\n${size}\n${isUnlogged}${knownOf(usage)}`;
}

/** A class that is unknown in some calls must not hide in a sum with known ones. */
function knownOf(usage: TokenUsage): number {
  return (usage.inputTokens === undefined ? 0 : 1) + (usage.outputTokens === undefined ? 0 : 2);
}

export function slotOf(atMs: number): number {
  return Math.floor(atMs / SLOT_MS);
}

function sizeOf(usage: TokenUsage): number {
  const prompt =
    (usage.inputTokens ?? 0) +
    (usage.cacheWrite5mTokens ?? 0) +
    (usage.cacheWrite1hTokens ?? 0) +
    (usage.cacheReadTokens ?? 0);
  let size = 0;
  while (prompt > (PRICE_BOUNDS[size] ?? Number.POSITIVE_INFINITY)) size += 1;
  return size;
}
