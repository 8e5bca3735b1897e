import type { TokenUsage } from "../core/tokens.ts";
import type { AgentLogs, AgentName } from "./call.ts";
import { type AgentSummary, type SessionSummary, summariseSession, type UsageRow } from "./summary.ts";

/** A summary with each string once and all rows as one list of numbers: a tenth of the size, and fast to parse. */
export interface PackedSummary extends Omit<AgentSummary, "sessions"> {
  readonly words: readonly string[];
  readonly sessions: readonly PackedSession[];
}

export type PackedSession = Omit<SessionSummary, "rows"> & { readonly rows: readonly number[] };

const NUMBERS_OF_ROW = 17;
/** In place of a string or a count that is not there. */
const ABSENT = -1;

/** What `summarise` says, packed. */
export function packSummary(agent: AgentName, logs: AgentLogs): PackedSummary {
  const words = new Words();
  const sessions = logs.sessions.map((session) => summariseSession(session, (rows) => packRows(rows, words)));
  return { agent, sessions, damaged: logs.damaged, words: words.all };
}

/** Each string of some rows once. */
export class Words {
  readonly all: string[] = [];
  readonly #places = new Map<string, number>();

  placeOf(word: string | undefined): number {
    if (word === undefined) return ABSENT;
    const known = this.#places.get(word);
    if (known !== undefined) return known;
    this.#places.set(word, this.all.length);
    return this.all.push(word) - 1;
  }
}

export function packRows(rows: readonly UsageRow[], words: Words): number[] {
  const packed: number[] = [];
  for (const row of rows) packRow(row, words, packed);
  return packed;
}

/** Spelled out, as is the way back: there are some for every session of every log. */
function packRow(row: UsageRow, words: Words, to: number[]): void {
  const { usage } = row;
  to.push(
    words.placeOf(row.model),
    words.placeOf(row.tier),
    words.placeOf(row.subagent),
    words.placeOf(row.cwd),
    words.placeOf(row.branch),
    row.slot,
    row.size,
    row.webSearches,
    row.lowerBounds,
    row.isUnlogged ? 1 : 0,
    usage.inputTokens ?? ABSENT,
    usage.cacheWrite5mTokens ?? ABSENT,
    usage.cacheWrite1hTokens ?? ABSENT,
    usage.cacheReadTokens ?? ABSENT,
    usage.outputTokens ?? ABSENT,
    usage.reasoningTokens ?? ABSENT,
    usage.requests ?? ABSENT,
  );
}

export function unpackSummary(packed: PackedSummary): AgentSummary {
  const { words, ...rest } = packed;
  return {
    ...rest,
    sessions: packed.sessions.map((session) => ({ ...session, rows: unpackRows(session.rows, words) })),
  };
}

export function unpackRows(packed: readonly number[], words: readonly string[]): UsageRow[] {
  const rows: UsageRow[] = [];
  for (let at = 0; at < packed.length; at += NUMBERS_OF_ROW) rows.push(unpackRow(packed, at, words));
  return rows;
}

function unpackRow(rows: readonly number[], at: number, words: readonly string[]): UsageRow {
  const usage = unpackUsage(rows, at + 10);
  return {
    model: wordAt(words, rows[at]) ?? "",
    tier: wordAt(words, rows[at + 1]),
    subagent: wordAt(words, rows[at + 2]),
    cwd: wordAt(words, rows[at + 3]),
    branch: wordAt(words, rows[at + 4]),
    slot: rows[at + 5] ?? ABSENT,
    size: rows[at + 6] ?? ABSENT,
    webSearches: rows[at + 7] ?? ABSENT,
    lowerBounds: rows[at + 8] ?? ABSENT,
    isUnlogged: rows[at + 9] === 1,
    usage,
  };
}

/** An index below zero is asked for as a name, which takes several times as long. */
function wordAt(words: readonly string[], place = ABSENT): string | undefined {
  return place < 0 ? undefined : words[place];
}

function unpackUsage(rows: readonly number[], at: number): TokenUsage {
  const usage: { -readonly [K in keyof TokenUsage]: TokenUsage[K] } = {};
  const count = (i: number): number => rows[at + i] ?? ABSENT;
  if (count(0) >= 0) usage.inputTokens = count(0);
  if (count(1) >= 0) usage.cacheWrite5mTokens = count(1);
  if (count(2) >= 0) usage.cacheWrite1hTokens = count(2);
  if (count(3) >= 0) usage.cacheReadTokens = count(3);
  if (count(4) >= 0) usage.outputTokens = count(4);
  if (count(5) >= 0) usage.reasoningTokens = count(5);
  if (count(6) >= 0) usage.requests = count(6);
  return usage;
}
