import type { LogFile, LogSource } from "../ports/log-source.ts";
import { readClaude, readCodex } from "./agents.ts";
import type { AgentLogs, ReadProblem, SessionLog, TimeWindow } from "./call.ts";
import {
  type ClaudeFacts,
  claudeProjectTrees,
  claudeSessionTrees,
  mergeClaude,
} from "./claude-code/index.ts";
import { type CodexFacts, codexFile, codexThreadTrees, codexTrees, mergeCodex } from "./codex/index.ts";
import type { LogEnvironment } from "./environment.ts";
import { readCodexHead } from "./scan.ts";

/** The logs of one session and of what it spawned; empty when there is no file of it. */
export interface FoundSession {
  readonly sessions: readonly SessionLog[];
  readonly problems: readonly ReadProblem[];
}

/**
 * Finds one Claude Code session by the names of its files, and reads others only as far as they decide whose a
 * copied call is: named owners by name, else the neighbours in the same project.
 */
export async function findClaudeSession(
  source: LogSource,
  env: LogEnvironment,
  session: string,
  window: TimeWindow,
): Promise<FoundSession> {
  const problems: ReadProblem[] = [];
  const facts = new Map<string, ClaudeFacts>();
  const add = async (files: readonly LogFile[]): Promise<void> => {
    for (const file of files) {
      if (!facts.has(file.path)) facts.set(file.path, await readClaude({ source, file, problems }));
    }
  };
  await add((await source.list(claudeSessionTrees(env, session))).files);
  const own = [...facts.values()];
  const owners = new Set(own.flatMap((entry) => entry.calls.flatMap((call) => call.owner ?? [])));
  for (const owner of owners) await add((await source.list(claudeSessionTrees(env, owner))).files);
  for (const entry of own) {
    if (holdsUnnamedHistory(entry)) {
      await add((await source.list(claudeProjectTrees(folderOf(entry.file.path)))).files);
    }
  }
  const logs = mergeClaude([...facts.values()], window);
  return { sessions: logs.sessions.filter((log) => log.id === session && log.files.length > 0), problems };
}

/** Copies of a writer that did not name the owner: a fork by its own file, or calls that lost their request id. */
function holdsUnnamedHistory(facts: ClaudeFacts): boolean {
  if (facts.file.subagent !== undefined) return false;
  const unnamed = facts.calls.filter((call) => call.ref === undefined);
  return unnamed.length > 0 && (facts.isFork || unnamed.some((call) => call.requestId === undefined));
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")));
}

/** Finds one Codex thread by the name of its file, the threads it spawned, and the parents whose history it replays. */
export async function findCodexThread(
  source: LogSource,
  env: LogEnvironment,
  thread: string,
): Promise<FoundSession> {
  const problems: ReadProblem[] = [];
  const facts = new Map<string, CodexFacts>();
  const add = async (files: readonly LogFile[]): Promise<CodexFacts[]> => {
    const fresh = files.filter((file) => !facts.has(file.path));
    for (const file of fresh) facts.set(file.path, await readCodex({ source, file, problems }));
    return fresh.flatMap((file) => facts.get(file.path) ?? []);
  };
  const own = await add((await source.list(codexThreadTrees(env, [thread]))).files);
  if (own.length === 0) return { sessions: [], problems };
  const sinceMs = Math.min(...own.map((entry) => entry.firstAtMs ?? 0));
  let wanted = [...own, ...(await add(await spawnedBy(source, env, thread, sinceMs)))];
  while (wanted.length > 0) {
    const parents = wanted
      .flatMap(originsOf)
      .filter((id) => ![...facts.keys()].some((path) => path.includes(id)));
    wanted = parents.length === 0 ? [] : await add((await source.list(codexThreadTrees(env, parents))).files);
  }
  return { sessions: descendants(thread, mergeCodex([...facts.values()])), problems };
}

function originsOf(facts: CodexFacts): string[] {
  const { meta, replayed } = facts;
  return [meta?.forkedFrom, meta?.historyBase?.thread, replayed?.id].flatMap((id) => id ?? []);
}

/** Rollouts that say in their first line that they belong to the thread. Only younger files can. */
async function spawnedBy(
  source: LogSource,
  env: LogEnvironment,
  thread: string,
  sinceMs: number,
): Promise<LogFile[]> {
  const { files } = await source.list(codexTrees(env));
  const spawned = new Set([thread]);
  const found: LogFile[] = [];
  // A spawned thread is younger than its parent, and names of rollouts sort by age.
  for (const file of files) {
    if (file.mtimeMs < sinceMs || codexFile(file.path).thread === thread) continue;
    const meta = await readCodexHead(source, file);
    if (meta === undefined || ![meta.sessionId, meta.parentThread].some((id) => spawned.has(id ?? "")))
      continue;
    if (meta.id !== undefined) spawned.add(meta.id);
    found.push(file);
  }
  return found;
}

function descendants(thread: string, logs: AgentLogs): SessionLog[] {
  const byId = new Map(logs.sessions.map((log) => [log.id, log]));
  return logs.sessions.filter((log) => {
    const seen = new Set<string>();
    let current: SessionLog | undefined = log;
    while (current !== undefined && !seen.has(current.id)) {
      if (current.id === thread) return true;
      seen.add(current.id);
      current = current.parent === undefined ? undefined : byId.get(current.parent);
    }
    return log.root === thread;
  });
}
