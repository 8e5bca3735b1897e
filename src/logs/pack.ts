import type { TokenUsage, UsageSum } from "../core/tokens.ts";
import type { AgentLogs, AgentName, SessionLog } from "./call.ts";
import { type AgentSummary, type SessionSummary, summariseSession, type UsageRow } from "./summary.ts";

/** A summary with each string once and all rows as one list of numbers: a tenth of the size, and fast to parse. */
export interface PackedSummary extends Omit<AgentSummary, "sessions"> {
  readonly words: readonly string[];
  readonly sessions: readonly PackedSession[];
}

/** Names would be most of it. */
export type PackedSession = readonly [
  id: string,
  root: string,
  parent: Maybe<string>,
  forkedFrom: Maybe<string>,
  cwd: number,
  branch: number,
  source: Maybe<string>,
  isArchived: boolean,
  isCompressed: boolean,
  files: readonly string[],
  firstAtMs: Maybe<number>,
  lastAtMs: Maybe<number>,
  errors: number,
  reported: Maybe<SessionSummary["reported"]>,
  warnings: readonly string[],
  warningCount: number,
  rows: readonly number[],
];
/** Null once it was written. */
type Maybe<T> = T | null | undefined;

/** Where some of its members stand. */
export const SESSION = { id: 0, firstAtMs: 10, lastAtMs: 11, warningCount: 15, rows: 16 } as const;

const NUMBERS_OF_ROW = 17;
/** In place of a string or a count that is not there. */
const ABSENT = -1;

/** What `summarise` says, packed. */
export function packSummary(agent: AgentName, logs: AgentLogs): PackedSummary {
  const words = new Words();
  const sessions = logs.sessions.map((session) => packSession(session, words));
  return { agent, sessions, damaged: logs.damaged, words: words.all };
}

function packSession(log: SessionLog, words: Words): PackedSession {
  const session = summariseSession(log);
  return [
    session.id,
    session.root,
    session.parent,
    session.forkedFrom,
    words.placeOf(session.cwd),
    words.placeOf(session.branch),
    session.source,
    session.isArchived,
    session.isCompressed,
    session.files,
    session.firstAtMs,
    session.lastAtMs,
    session.errors,
    session.reported,
    session.warnings,
    session.warningCount,
    packRows(session.rows, words),
  ];
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

export function unpackSummary({ agent, sessions, damaged, words }: PackedSummary): AgentSummary {
  return { agent, damaged, sessions: sessions.map((session) => unpackSession(agent, session, words)) };
}

function unpackSession(agent: AgentName, packed: PackedSession, words: readonly string[]): SessionSummary {
  return {
    agent,
    id: packed[0],
    root: packed[1],
    parent: packed[2] ?? undefined,
    forkedFrom: packed[3] ?? undefined,
    cwd: wordAt(words, packed[4]),
    branch: wordAt(words, packed[5]),
    source: packed[6] ?? undefined,
    isArchived: packed[7],
    isCompressed: packed[8],
    files: packed[9],
    firstAtMs: packed[10] ?? undefined,
    lastAtMs: packed[11] ?? undefined,
    errors: packed[12],
    reported: packed[13] ?? undefined,
    warnings: packed[14],
    warningCount: packed[15],
    rows: unpackRows(packed[16], words),
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
  const usage: UsageSum = {};
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
