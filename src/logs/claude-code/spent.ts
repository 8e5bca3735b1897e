import type { TokenUsage } from "../../core/tokens.ts";
import { maxUsage } from "../call.ts";

/** What the usage of one record says. */
export interface SpentTokens {
  readonly usage: TokenUsage;
  readonly tier: string | undefined;
  readonly webSearches: number;
  /** Calls of other models inside this one, which `usage` leaves out. */
  readonly advisors: readonly AdvisorCall[];
}

export interface AdvisorCall {
  readonly model: string;
  readonly usage: TokenUsage;
}

/**
 * What two records of one call say of it together: counts only grow. A record without the split by lifetime gives all
 * writes as short-lived, which is no further count beside a split.
 */
export function joinUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  const most = maxUsage(a, b);
  const [flat, split] = a.cacheWrite1hTokens === undefined ? [a, b] : [b, a];
  if (flat.cacheWrite1hTokens !== undefined || split.cacheWrite1hTokens === undefined) return most;
  const unexplained = (flat.cacheWrite5mTokens ?? 0) - split.cacheWrite1hTokens;
  return { ...most, cacheWrite5mTokens: Math.max(split.cacheWrite5mTokens ?? 0, unexplained) };
}

/** The calls inside one call, as two records of it tell of them: in order, with the larger counts. */
export function joinAdvisors(a: readonly AdvisorCall[], b: readonly AdvisorCall[]): readonly AdvisorCall[] {
  if (a === b || b.length === 0) return a;
  const [more, fewer] = a.length < b.length ? [b, a] : [a, b];
  return more.map((call, i) => {
    const other = fewer[i];
    return other === undefined ? call : { ...call, usage: joinUsage(call.usage, other.usage) };
  });
}

/** The API's own counts. */
export interface ApiCounts {
  readonly input: number | undefined;
  /** To the cache for any time; the next two split it by lifetime. */
  readonly written: number | undefined;
  readonly written5m: number | undefined;
  readonly written1h: number | undefined;
  readonly read: number | undefined;
  readonly output: number | undefined;
  readonly thinking: number | undefined;
}

export function tokensOf(counts: ApiCounts): TokenUsage {
  const { input, written, written5m, written1h, read, output, thinking } = counts;
  const usage: { -readonly [K in keyof TokenUsage]: TokenUsage[K] } = {};
  if (input !== undefined) usage.inputTokens = input;
  if (written5m === undefined && written1h === undefined) {
    if (written !== undefined) usage.cacheWrite5mTokens = written;
  } else {
    // The split wins where it is larger than the flat count; what it does not explain is short-lived.
    const unexplained = Math.max(0, (written ?? 0) - (written5m ?? 0) - (written1h ?? 0));
    usage.cacheWrite5mTokens = (written5m ?? 0) + unexplained;
    if (written1h !== undefined) usage.cacheWrite1hTokens = written1h;
  }
  if (read !== undefined) usage.cacheReadTokens = read;
  if (output !== undefined) usage.outputTokens = output;
  if (thinking !== undefined) usage.reasoningTokens = thinking;
  return usage;
}

/** Priority costs the same and counts as standard; only other tiers are told apart. */
export function tierOf(speed: string | undefined, tier: string | undefined): string | undefined {
  if (speed !== undefined && speed !== "standard") return speed;
  return tier === undefined || tier === "standard" || tier === "priority" ? undefined : tier;
}
