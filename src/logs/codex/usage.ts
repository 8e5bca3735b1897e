import { addUsage, ONE_REQUEST } from "../../core/tokens.ts";
import { type AgentLogs, allDamage, type Call, type SessionLog, UNKNOWN_MODEL } from "../call.ts";
import { areEqual, billed, callsOf, type Step, subtract } from "./counters.ts";
import { type CodexFacts, isOwn, threadOf, type UsageFact } from "./facts.ts";
import { dropReplay, isCopying } from "./replay.ts";
import type { Counter } from "./schema.ts";

type Threads = ReadonlyMap<string, CodexFacts>;

/** Threads of all rollouts together. Pure; equal for the same files in any order. */
export function mergeCodex(files: readonly CodexFacts[]): AgentLogs {
  const only = files[0];
  if (only !== undefined && files.length === 1) {
    const id = threadOf(only);
    return { sessions: [threadLog(id, only, new Map([[id, only]]))], damaged: only.damaged };
  }
  const threads = chooseFiles(files);
  const sessions = [...threads].map(([id, facts]) => threadLog(id, facts, threads));
  sessions.sort((a, b) => (a.firstAtMs ?? 0) - (b.firstAtMs ?? 0) || (a.id < b.id ? -1 : 1));
  const chosen = [...threads.values()].sort((a, b) => (a.file.path < b.file.path ? -1 : 1));
  return { sessions, damaged: allDamage(chosen) };
}

/** One file per thread: not an empty one, plain before compressed, the one that says more, then one that is in use. */
function chooseFiles(files: readonly CodexFacts[]): Threads {
  const threads = new Map<string, CodexFacts>();
  const sorted = [...files].sort(
    (a, b) =>
      Number(a.lines === 0) - Number(b.lines === 0) ||
      Number(a.file.isCompressed) - Number(b.file.isCompressed) ||
      readableLines(b) - readableLines(a) ||
      Number(a.file.isArchived) - Number(b.file.isArchived) ||
      (a.file.path < b.file.path ? -1 : 1),
  );
  for (const facts of sorted) {
    if (!threads.has(threadOf(facts))) threads.set(threadOf(facts), facts);
  }
  return threads;
}

function readableLines({ lines, damaged }: CodexFacts): number {
  return lines - damaged.lines.length - damaged.more;
}

function threadLog(id: string, facts: CodexFacts, threads: Threads): SessionLog {
  const { meta, file } = facts;
  const warnings = facts.warnings.map((warning) => `${file.path}: ${warning}`);
  const warn = (line: number, message: string): void => {
    warnings.push(`${file.path}: line ${line}: ${message}`);
  };
  const inherited = inheritedModel(facts, threads);
  const files = [file.path];
  const calls: Call[] = [];
  for (const { entry, counter } of billedCalls(id, facts, threads, warn)) {
    const { usage, isClamped } = billed(counter);
    if (isClamped) warn(entry.line, "more cached tokens than input tokens");
    calls.push({
      agent: "codex",
      session: id,
      subagent: undefined,
      isSidechain: meta?.parentThread !== undefined,
      model: entry.model ?? inherited ?? UNKNOWN_MODEL,
      atMs: entry.atMs === 0 ? (facts.firstAtMs ?? 0) : entry.atMs,
      isTimeGuessed: entry.atMs === 0,
      usage: addUsage(usage, ONE_REQUEST),
      tier: entry.tier,
      webSearches: 0,
      isOutputIncomplete: false,
      recordedUsd: undefined,
      cwd: meta?.cwd,
      branch: meta?.branch,
      path: file.path,
    });
  }
  return {
    agent: "codex",
    id,
    root: rootOf(id, threads),
    parent: meta?.parentThread,
    forkedFrom: meta?.forkedFrom,
    cwd: meta?.cwd,
    branch: meta?.branch,
    source: meta?.source,
    isArchived: file.isArchived,
    isCompressed: file.isCompressed,
    files,
    firstAtMs: facts.firstAtMs,
    lastAtMs: facts.lastAtMs,
    calls,
    unlogged: NOTHING,
    errors: 0,
    warnings,
  };
}

const NOTHING: readonly never[] = [];

interface BilledCall {
  readonly entry: Step | UsageFact;
  readonly counter: Counter;
}

function billedCalls(
  id: string,
  facts: CodexFacts,
  threads: Threads,
  warn: (line: number, message: string) => void,
): readonly BilledCall[] {
  const records = ownRecords(id, facts);
  const first = records[0];
  const parentId = facts.meta?.forkedFrom ?? facts.replayed?.id ?? facts.meta?.parentThread;
  const parent = parentId === undefined || parentId === id ? undefined : threads.get(parentId);
  // A writer of records states each call of its own, so counters beside records of other threads are replay.
  if (first === undefined && facts.usages.length > 0) return [];
  const own = dropReplay(facts, parent);
  const steps = first === undefined ? own.steps : stepsBefore(facts, first);
  const calls: BilledCall[] = callsOf(steps, own.base, (step, message) => warn(step.line, message));
  const known = isCopying(facts) ? (parent?.usages ?? []) : [];
  for (const record of withoutCopies(records, known)) calls.push({ entry: record, counter: record.usage });
  return calls;
}

/** Some copies are made out to the thread that holds them: their responses are the parent's all the same. */
function withoutCopies(records: readonly UsageFact[], known: readonly UsageFact[]): readonly UsageFact[] {
  if (known.length === 0) return records;
  const responses = new Set(known.map(({ response }) => response));
  return records.filter(
    (record) =>
      record.response === undefined ||
      !responses.has(record.response) ||
      !known.some((other) => other.response === record.response && isRepeat(other, record)),
  );
}

/** Each response of this thread once. */
function ownRecords(id: string, facts: CodexFacts): readonly UsageFact[] {
  const seen = new Set<number>();
  for (const { thread, response } of facts.usages) {
    if (!isOwn(thread, id)) return distinctRecords(id, facts);
    if (response === undefined) continue;
    if (seen.has(response)) return distinctRecords(id, facts);
    seen.add(response);
  }
  return facts.usages;
}

function distinctRecords(id: string, facts: CodexFacts): UsageFact[] {
  const seen = new Map<number, UsageFact[]>();
  return facts.usages.filter((record) => {
    if (!isOwn(record.thread, id)) return false;
    if (record.response === undefined) return true;
    const same = seen.get(record.response);
    if (same === undefined) {
      seen.set(record.response, [record]);
      return true;
    }
    // A gateway that gives every response the same id: the thread's total tells repeats from new calls.
    if (same.some((other) => isRepeat(other, record))) return false;
    same.push(record);
    return true;
  });
}

function isRepeat(a: UsageFact, b: UsageFact): boolean {
  if (a.total === undefined || b.total === undefined) return areEqual(a.usage, b.usage);
  return areEqual(a.total, b.total);
}

/**
 * Calls of an older writer in front of the first usage record: there, when the thread's total already held what
 * the counters add up to. A fork's total starts at its parent's, so there it proves nothing.
 */
function stepsBefore(facts: CodexFacts, first: UsageFact): CodexFacts["steps"] {
  const { meta } = facts;
  if (first.total === undefined || meta?.forkedFrom !== undefined || meta?.historyBase !== undefined)
    return [];
  if (facts.replayed !== undefined || meta?.ownFromOrdinal !== undefined) return [];
  const steps = facts.steps.filter((step) => step.line < first.line);
  const end = steps.findLast((step) => step.total !== undefined)?.total;
  return end !== undefined && areEqual(subtract(first.total, first.usage), end) ? steps : [];
}

/** The model before a thread's first own `turn_context`: the parent's at the fork, through as many forks as there are. */
function inheritedModel(facts: CodexFacts, threads: Threads): string | undefined {
  const seen = new Set<CodexFacts>();
  let current: CodexFacts | undefined = facts;
  // Ordinals go on in a fork, which may begin in front of what its parent wrote itself.
  let end = Infinity;
  while (current !== undefined && !seen.has(current)) {
    seen.add(current);
    const base: NonNullable<CodexFacts["meta"]>["historyBase"] = current.meta?.historyBase;
    const parent: CodexFacts | undefined = threads.get(base?.thread ?? current.meta?.forkedFrom ?? "");
    end = base === undefined ? Infinity : Math.min(end, base.endOrdinal ?? Infinity);
    const bound = end;
    const model = parent?.models.findLast(({ ordinal = -1 }) => ordinal < bound)?.model;
    if (model !== undefined) return model;
    current = parent;
  }
  return undefined;
}

/** The root of a tree of spawned agents: as stated, else up the parents; survives cycles and missing files. */
function rootOf(id: string, threads: Threads): string {
  const seen = new Set<string>();
  let current = id;
  while (!seen.has(current)) {
    seen.add(current);
    const meta = threads.get(current)?.meta;
    if (meta?.sessionId !== undefined) return meta.sessionId;
    if (meta?.parentThread === undefined) return current;
    current = meta.parentThread;
  }
  return [...seen].sort()[0] ?? id;
}
