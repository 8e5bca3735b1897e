import { addTo, addUsage, type TokenUsage, type UsageSum } from "../core/tokens.ts";
import type { AgentLogs, AgentName, SessionLog } from "./call.ts";
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
  readonly tier?: string | undefined;
  readonly subagent?: string | undefined;
  readonly cwd?: string | undefined;
  readonly branch?: string | undefined;
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

export function summariseSession(session: SessionLog): SessionSummary {
  const { calls, unlogged = [], warnings } = session;
  const rows = new RowSums();
  for (const call of calls) {
    const { usage, webSearches, isOutputIncomplete } = call;
    const place = { slot: slotOf(call.atMs), size: sizeOf(usage), isUnlogged: false };
    rows.add(call, place, { usage, webSearches, lowerBounds: isOutputIncomplete ? 1 : 0 });
  }
  const place = { slot: slotOf(session.lastAtMs ?? 0), size: 0, isUnlogged: true };
  for (const entry of unlogged) rows.add(entry, place, { ...entry, lowerBounds: 0 });
  return {
    agent: session.agent,
    id: session.id,
    root: session.root,
    parent: session.parent,
    forkedFrom: session.forkedFrom,
    cwd: session.cwd,
    branch: session.branch,
    source: session.source,
    isArchived: session.isArchived,
    isCompressed: session.isCompressed,
    files: session.files,
    firstAtMs: session.firstAtMs,
    lastAtMs: session.lastAtMs,
    errors: session.errors,
    reported: session.reported,
    rows: rows.all(),
    warnings: warnings.slice(0, KEPT_WARNINGS),
    warningCount: warnings.length,
  };
}

type OpenRow = { -readonly [K in keyof UsageRow]: K extends "usage" ? UsageSum : UsageRow[K] };
/** Who spent it, and where. */
type Spender = Pick<UsageRow, "model" | "tier" | "subagent" | "cwd" | "branch">;
type Place = Pick<UsageRow, "slot" | "size" | "isUnlogged">;
type Amount = Pick<UsageRow, "usage" | "webSearches" | "lowerBounds">;

const FEW_ROWS = 16;

/** Adds up what costs the same per token, in the order in which each first came. */
class RowSums {
  readonly #rows: OpenRow[] = [];
  /** Made when there are too many rows to look at each. */
  #byKey: Map<string, OpenRow> | undefined;
  #last: OpenRow | undefined;

  add(by: Spender, place: Place, amount: Amount): void {
    // Calls come in the order of time: most belong to the row of the one before.
    const isLast = this.#last !== undefined && areAlike(this.#last, by, place, amount.usage);
    const row = isLast ? this.#last : this.#find(by, place, amount.usage);
    this.#last = row ?? this.#make(by, place, amount);
    if (row === undefined) return;
    addTo(row.usage, amount.usage);
    row.webSearches += amount.webSearches;
    row.lowerBounds += amount.lowerBounds;
  }

  all(): readonly UsageRow[] {
    return this.#rows;
  }

  #find(by: Spender, place: Place, usage: TokenUsage): OpenRow | undefined {
    if (this.#byKey !== undefined) return this.#byKey.get(keyOf(by, place, usage));
    for (const row of this.#rows) if (areAlike(row, by, place, usage)) return row;
    return undefined;
  }

  #make(by: Spender, place: Place, amount: Amount): OpenRow {
    const row: OpenRow = {
      model: by.model,
      tier: by.tier,
      subagent: by.subagent,
      cwd: by.cwd,
      branch: by.branch,
      slot: place.slot,
      size: place.size,
      // It grows from here on.
      usage: addUsage({}, amount.usage),
      webSearches: amount.webSearches,
      lowerBounds: amount.lowerBounds,
      isUnlogged: place.isUnlogged,
    };
    this.#rows.push(row);
    if (this.#byKey !== undefined) this.#byKey.set(keyOf(row, row, row.usage), row);
    else if (this.#rows.length > FEW_ROWS)
      this.#byKey = new Map(this.#rows.map((one) => [keyOf(one, one, one.usage), one]));
    return row;
  }
}

function areAlike(row: UsageRow, by: Spender, place: Place, usage: TokenUsage): boolean {
  return (
    row.slot === place.slot &&
    row.size === place.size &&
    row.isUnlogged === place.isUnlogged &&
    row.model === by.model &&
    row.tier === by.tier &&
    row.subagent === by.subagent &&
    row.cwd === by.cwd &&
    row.branch === by.branch &&
    knownOf(row.usage) === knownOf(usage)
  );
}

function keyOf(by: Spender, { slot, size, isUnlogged }: Place, usage: TokenUsage): string {
  const who = `${by.model}\n${by.tier}\n${by.subagent}\n${by.cwd}\n${by.branch}`;
  return `${who}\n${slot}\n${size}\n${isUnlogged}${knownOf(usage)}`;
}

/** Which classes are known: one that is unknown in some calls must not hide in a sum with known ones. */
export function knownOf(usage: TokenUsage): number {
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
