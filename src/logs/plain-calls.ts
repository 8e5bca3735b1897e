import type { TokenUsage } from "../core/tokens.ts";
import {
  type AgentLogs,
  type AgentName,
  allDamage,
  type Call,
  type ReportedWork,
  type SessionLog,
} from "./call.ts";
import { optional } from "./fields.ts";
import type { AddKey } from "./group-keys.ts";
import type { DamageList } from "./lines.ts";
import { textHash } from "./text-hash.ts";

/** A log whose records are one call each, with final counts and an id of their own. */
export interface PlainFacts {
  readonly path: string;
  session?: string;
  startMs?: number;
  cwd?: string;
  parent?: string;
  forkedFrom?: string;
  isArchived?: boolean;
  reported?: ReportedWork;
  readonly calls: PlainCall[];
  lastAtMs?: number;
  errors: number;
  readonly damaged: DamageList;
  readonly warnings: string[];
}

export interface PlainCall {
  /** Copies in forks share it. */
  readonly key: string;
  readonly model: string;
  readonly atMs: number | undefined;
  readonly usage: TokenUsage;
  readonly recordedUsd?: number;
  /** Where it was made, if not in the session's own folder. */
  readonly cwd?: string;
  readonly subagent?: string;
}

export function noPlainFacts(path: string): PlainFacts {
  return { path, calls: [], errors: 0, damaged: { lines: [], more: 0 }, warnings: [] };
}

export function plainKeys(files: readonly PlainFacts[], add: AddKey): void {
  for (const facts of files) {
    add(textHash(`${facts.session}`, "s"));
    for (const call of facts.calls) add(textHash(call.key, "c"));
  }
}

/** Each call once, in the session that began first of those that hold it. Equal for the same files in any order. */
export function mergePlain(agent: AgentName, files: readonly PlainFacts[]): AgentLogs {
  const known = files.filter((facts) => facts.session !== undefined);
  known.sort((a, b) => (a.startMs ?? 0) - (b.startMs ?? 0) || (a.path < b.path ? -1 : 1));
  const owners = new Map<string, string>();
  const parents = new Map(known.map((facts) => [facts.session ?? "", facts.parent]));
  const sessions = new Map<string, SessionLog>();
  for (const facts of known) {
    const id = facts.session ?? "";
    const fresh = facts.calls.filter((call) => {
      const owner = owners.get(call.key);
      if (owner === undefined) owners.set(call.key, id);
      else if (owner !== id) facts.forkedFrom ??= owner;
      return owner === undefined;
    });
    const calls = fresh.map((call) => toCall(agent, id, call, facts));
    const before = sessions.get(id);
    const log = sessionLog(agent, id, facts, [...(before?.calls ?? []), ...calls], before);
    sessions.set(id, { ...log, root: rootOf(id, parents) });
  }
  const sorted = [...sessions.values()].sort(
    (a, b) => (a.firstAtMs ?? 0) - (b.firstAtMs ?? 0) || (a.id < b.id ? -1 : 1),
  );
  const byPath = [...files].sort((a, b) => (a.path < b.path ? -1 : 1));
  return { sessions: sorted, damaged: allDamage(byPath) };
}

function toCall(agent: AgentName, session: string, call: PlainCall, facts: PlainFacts): Call {
  return {
    agent,
    session,
    isSidechain: call.subagent !== undefined,
    ...optional("subagent", call.subagent),
    model: call.model,
    atMs: call.atMs ?? facts.startMs ?? 0,
    isTimeGuessed: call.atMs === undefined,
    usage: { ...call.usage, requests: 1 },
    webSearches: 0,
    isOutputIncomplete: false,
    ...optional("recordedUsd", call.recordedUsd),
    ...optional("cwd", call.cwd ?? facts.cwd),
    path: facts.path,
  };
}

/** Up the parents as far as they are known; survives circles. */
function rootOf(id: string, parents: ReadonlyMap<string, string | undefined>): string {
  const seen = new Set<string>();
  let current = id;
  while (!seen.has(current)) {
    seen.add(current);
    const parent = parents.get(current);
    if (parent === undefined) return current;
    current = parent;
  }
  return [...seen].sort()[0] ?? id;
}

function sessionLog(
  agent: AgentName,
  id: string,
  facts: PlainFacts,
  calls: readonly Call[],
  before: SessionLog | undefined,
): SessionLog {
  const times = [before?.lastAtMs, facts.lastAtMs].flatMap((ms) => ms ?? []);
  return {
    agent,
    id,
    root: id,
    ...optional("parent", before?.parent ?? facts.parent),
    ...optional("forkedFrom", before?.forkedFrom ?? facts.forkedFrom),
    ...optional("cwd", before?.cwd ?? facts.cwd),
    isArchived: facts.isArchived === true,
    isCompressed: false,
    files: [...new Set([...(before?.files ?? []), facts.path])].sort(),
    ...optional("firstAtMs", before?.firstAtMs ?? facts.startMs),
    ...optional("lastAtMs", times.length === 0 ? undefined : Math.max(...times)),
    calls: [...calls].sort((a, b) => a.atMs - b.atMs),
    unlogged: [],
    ...optional("reported", before?.reported ?? facts.reported),
    errors: (before?.errors ?? 0) + facts.errors,
    warnings: [...(before?.warnings ?? []), ...facts.warnings.map((text) => `${facts.path}: ${text}`)],
  };
}
