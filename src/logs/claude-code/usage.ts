import { addUsage, ONE_REQUEST, type TokenUsage } from "../../core/tokens.ts";
import { type AgentLogs, ALL_TIME, allDamage, type Call, type SessionLog, type TimeWindow } from "../call.ts";
import type { CallFact, ClaudeFacts } from "./facts.ts";
import { type Copy, type OwnedCall, ownedCalls } from "./owners.ts";
import { joinAdvisors, joinUsage } from "./spent.ts";
import { type StatedSession, unloggedUsage } from "./unlogged.ts";

/**
 * Sessions of all files together. Pure; equal for the same files in any order.
 *
 * @param window the time whose unlogged spend is wanted; all of it when absent
 */
export function mergeClaude(files: readonly ClaudeFacts[], window: TimeWindow = ALL_TIME): AgentLogs {
  const sorted = files.length > 1 ? [...files].sort((a, b) => (a.file.path < b.file.path ? -1 : 1)) : files;
  const alone = sessionAlone(sorted, window);
  return {
    sessions: alone === undefined ? sessionsOf(sorted, window) : [alone],
    damaged: allDamage(sorted),
  };
}

/**
 * The session that all of some files belong to, where each call in them is its own and stands there once: nearly all, and
 * then nobody else needs to be asked whose a call is.
 */
function sessionAlone(files: readonly ClaudeFacts[], window: TimeWindow): SessionLog | undefined {
  const id = files[0]?.file.session ?? "";
  const refs = files.length > 1 ? new Set<number>() : undefined;
  const calls: Call[] = [];
  let hasChain = false;
  for (const facts of files) {
    if (facts.file.session !== id) return undefined;
    hasChain ||= facts.hasChain;
    for (const call of facts.calls) {
      const { ref, owner, advisors } = call;
      if (ref === undefined || advisors.length > 0 || (owner !== undefined && owner !== id)) return undefined;
      // In one file a request's own name stands for one call.
      if (refs?.has(ref) === true) return undefined;
      refs?.add(ref);
      calls.push(toCall(id, { call, facts }, NO_COPIES, facts.file.path));
    }
  }
  return hasChain
    ? sessionLog({ id, files, calls, main: mainFile(files), history: undefined }, window)
    : undefined;
}

const NO_COPIES: readonly Copy[] = [];

function sessionsOf(files: readonly ClaudeFacts[], window: TimeWindow): SessionLog[] {
  const owned = ownedCalls(files);
  const ids = new Set<string>();
  for (const facts of files) if (facts.hasChain) ids.add(facts.file.session);
  for (const call of owned) ids.add(call.owner);
  const index = indexSessions(files, owned);
  return [...ids].map((id) => sessionLog(partsOf(id, index), window)).sort(byTime);
}

function byTime(a: SessionLog, b: SessionLog): number {
  return (a.firstAtMs ?? 0) - (b.firstAtMs ?? 0) || (a.id < b.id ? -1 : 1);
}

interface SessionIndex {
  readonly files: ReadonlyMap<string, readonly ClaudeFacts[]>;
  readonly calls: ReadonlyMap<string, readonly OwnedCall[]>;
  /** Calls in a session's files that another session made, with their line there. */
  readonly copied: ReadonlyMap<string, readonly { readonly call: OwnedCall; readonly copy: Copy }[]>;
}

function indexSessions(files: readonly ClaudeFacts[], owned: readonly OwnedCall[]): SessionIndex {
  const copied = new Map<string, { call: OwnedCall; copy: Copy }[]>();
  for (const call of owned) {
    for (const copy of call.copies) {
      const { session } = copy.facts.file;
      if (session !== call.owner) into(copied, session, { call, copy });
    }
  }
  return {
    files: groupBy(files, (facts) => facts.file.session),
    calls: groupBy(owned, (call) => call.owner),
    copied,
  };
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) into(groups, keyOf(item), item);
  return groups;
}

function into<T>(groups: Map<string, T[]>, key: string, item: T): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [item]);
  else group.push(item);
}

/** What a session is put together from. */
interface SessionParts {
  readonly id: string;
  readonly files: readonly ClaudeFacts[];
  readonly calls: Call[];
  readonly main: ClaudeFacts | undefined;
  readonly history: History | undefined;
}

function partsOf(id: string, index: SessionIndex): SessionParts {
  const files = index.files.get(id) ?? [];
  const main = mainFile(files);
  const calls: Call[] = [];
  for (const owned of index.calls.get(id) ?? []) addCalls(calls, owned);
  return { id, files, calls, main, history: inheritedBy(id, main, index) };
}

function sessionLog({ id, files, calls, main, history }: SessionParts, window: TimeWindow): SessionLog {
  sortByTime(calls);
  const source = main ?? files[0];
  const span = spanOf(files, calls);
  const stated: StatedSession | undefined =
    main === undefined ? undefined : { main, calls, inherited: history };
  const paths: string[] = [];
  const warnings: string[] = [];
  let errors = 0;
  for (const facts of files) {
    const { path } = facts.file;
    paths.push(path);
    errors += facts.errors;
    for (const warning of facts.warnings) warnings.push(`${path}: ${warning}`);
  }
  return {
    agent: "claude-code",
    id,
    root: id,
    parent: undefined,
    forkedFrom: history?.from,
    cwd: source?.cwd ?? calls[0]?.cwd,
    branch: source?.branch ?? calls[0]?.branch,
    source: undefined,
    isArchived: false,
    isCompressed: false,
    files: paths,
    firstAtMs: span.firstAtMs,
    lastAtMs: span.lastAtMs,
    calls,
    unlogged: stated === undefined ? undefined : unloggedUsage(stated, window),
    errors,
    warnings,
  };
}

/** Most are in order, which is seen sooner than sorted. */
function sortByTime(calls: Call[]): void {
  let lastMs = -Infinity;
  for (const { atMs } of calls) {
    if (atMs < lastMs) {
      calls.sort((a, b) => a.atMs - b.atMs);
      return;
    }
    lastMs = atMs;
  }
}

/** When the files begin and end, or, where they have no times, the calls; these come in the order of time. */
function spanOf(
  files: readonly ClaudeFacts[],
  calls: readonly Call[],
): { readonly firstAtMs: number | undefined; readonly lastAtMs: number | undefined } {
  let first = Infinity;
  let last = -Infinity;
  for (const { firstAtMs, lastAtMs } of files) {
    first = Math.min(first, firstAtMs ?? Infinity);
    last = Math.max(last, lastAtMs ?? -Infinity);
  }
  return first > last
    ? { firstAtMs: calls[0]?.atMs, lastAtMs: calls.at(-1)?.atMs }
    : { firstAtMs: first, lastAtMs: last };
}

/** The session's own transcript: the longest, when several folders hold one. */
function mainFile(files: readonly ClaudeFacts[]): ClaudeFacts | undefined {
  let most: ClaudeFacts | undefined;
  for (const facts of files) {
    if (facts.file.subagent !== undefined) continue;
    if (most === undefined || facts.lines > most.lines) most = facts;
  }
  return most;
}

type History = NonNullable<StatedSession["inherited"]> & { readonly from: string };

/** Where copied history came from: the owner of the last copied call, and how far into its file the copy goes. */
function inheritedBy(id: string, main: ClaudeFacts | undefined, index: SessionIndex): History | undefined {
  const copied = (index.copied.get(id) ?? []).filter((entry) => entry.copy.facts === main);
  const last = copied.reduce<(typeof copied)[number] | undefined>(
    (most, entry) =>
      most === undefined || entry.copy.call.lastLine > most.copy.call.lastLine ? entry : most,
    undefined,
  );
  if (last === undefined || main === undefined) return undefined;
  const from = last.call.owner;
  const parent = mainFile(index.files.get(from) ?? []);
  const inParent = last.call.copies.find((copy) => copy.facts === parent);
  const lines = new Map(parent?.anchors.map((anchor) => [anchor.uuid, anchor.line]));
  const anchorLines = main.anchors.flatMap((anchor) => lines.get(anchor.uuid) ?? []);
  return { from, parent, endLine: Math.max(inParent?.call.lastLine ?? 0, ...anchorLines) };
}

/** Adds the call itself and the calls of other models inside it. */
function addCalls(calls: Call[], owned: OwnedCall): void {
  let best: Copy | undefined;
  let isOwn = false;
  let advisors: CallFact["advisors"] = [];
  for (const copy of owned.copies) {
    const isHere = copy.facts.file.session === owned.owner;
    advisors = joinAdvisors(advisors, copy.call.advisors);
    // Where the owner's own files hold the call, they tell of it.
    if (best === undefined || (isHere && !isOwn) || (isHere === isOwn && rank(copy) < rank(best)))
      best = copy;
    isOwn ||= isHere;
  }
  if (best === undefined) return;
  const made = toCall(owned.owner, best, owned.copies, isOwn ? best.facts.file.path : undefined);
  calls.push(made);
  if (advisors.length === 0) return;
  const { tier: _, recordedUsd: __, ...shared } = made;
  for (const { model, usage } of advisors) calls.push({ ...shared, ...advisorCall(model, usage) });
}

function toCall(
  session: string,
  { call, facts }: Copy,
  copies: readonly Copy[],
  path: string | undefined,
): Call {
  let { usage, webSearches, hasStopReason } = call;
  for (const copy of copies) {
    if (copy.call === call) continue;
    usage = joinUsage(usage, copy.call.usage);
    webSearches = Math.max(webSearches, copy.call.webSearches);
    hasStopReason ||= copy.call.hasStopReason;
  }
  return {
    agent: "claude-code",
    session,
    subagent: call.subagent,
    isSidechain: call.isSidechain,
    model: call.model,
    atMs: call.atMs,
    isTimeGuessed: call.isTimeGuessed,
    usage: addUsage(usage, ONE_REQUEST),
    tier: call.tier,
    webSearches,
    isOutputIncomplete: !hasStopReason,
    recordedUsd: call.recordedUsd,
    cwd: call.cwd ?? facts.cwd,
    branch: call.branch ?? facts.branch,
    path,
  };
}

function advisorCall(
  model: string,
  usage: TokenUsage,
): Pick<Call, "model" | "usage" | "webSearches" | "isOutputIncomplete"> {
  return { model, usage: { ...usage, requests: 1 }, webSearches: 0, isOutputIncomplete: false };
}

/** The main agent's record comes before a subagent's copy of it; among subagents the smaller name. */
function rank({ facts, call }: Copy): string {
  const place = facts.file.subagent === undefined && !call.isSidechain ? "0" : "1";
  return `${place}:${call.subagent ?? ""}:${facts.file.path}`;
}
