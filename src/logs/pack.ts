import type { TokenUsage } from "../core/tokens.ts";
import { optional } from "./fields.ts";
import type { AgentSummary, SessionSummary, UsageRow } from "./summary.ts";

/** A summary with each string once and each row as a list of numbers: a tenth of the size, and fast to parse. */
export interface PackedSummary extends Omit<AgentSummary, "sessions"> {
  readonly words: readonly string[];
  readonly sessions: readonly (Omit<SessionSummary, "rows"> & { readonly rows: readonly PackedRow[] })[];
}
type PackedRow = readonly number[];

const USAGE = [
  "inputTokens",
  "cacheWrite5mTokens",
  "cacheWrite1hTokens",
  "cacheReadTokens",
  "outputTokens",
  "reasoningTokens",
  "requests",
] as const;
const WORDS = ["model", "tier", "subagent", "cwd", "branch"] as const;
const NUMBERS = ["slot", "size", "webSearches", "lowerBounds"] as const;

export function packSummary(summary: AgentSummary): PackedSummary {
  const places = new Map<string, number>();
  const wordOf = (word: string | undefined): number => {
    if (word === undefined) return -1;
    const place = places.get(word) ?? places.size;
    places.set(word, place);
    return place;
  };
  const sessions = summary.sessions.map((session) => ({
    ...session,
    rows: session.rows.map((row) => [
      ...WORDS.map((key) => wordOf(row[key])),
      ...NUMBERS.map((key) => row[key]),
      row.isUnlogged ? 1 : 0,
      ...USAGE.map((key) => row.usage[key] ?? -1),
    ]),
  }));
  return { ...summary, sessions, words: [...places.keys()] };
}

export function unpackSummary(packed: PackedSummary): AgentSummary {
  const { words, ...rest } = packed;
  return {
    ...rest,
    sessions: packed.sessions.map((session) => ({
      ...session,
      rows: session.rows.map((row) => unpackRow(row, words)),
    })),
  };
}

function unpackRow(row: PackedRow, words: readonly string[]): UsageRow {
  const at = (i: number): number => row[i] ?? -1;
  const word = (i: number): string | undefined => words[at(i)];
  const usage: { -readonly [K in keyof TokenUsage]: TokenUsage[K] } = {};
  const usageAt = WORDS.length + NUMBERS.length + 1;
  for (let i = 0; i < USAGE.length; i += 1) {
    const count = at(usageAt + i);
    const key = USAGE[i];
    if (count >= 0 && key !== undefined) usage[key] = count;
  }
  return {
    model: word(0) ?? "",
    ...optional("tier", word(1)),
    ...optional("subagent", word(2)),
    ...optional("cwd", word(3)),
    ...optional("branch", word(4)),
    slot: at(5),
    size: at(6),
    webSearches: at(7),
    lowerBounds: at(8),
    isUnlogged: at(9) === 1,
    usage,
  };
}
