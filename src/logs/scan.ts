import type { LogFile, LogSource } from "../ports/log-source.ts";
import { readClaude, readCodex } from "./agents.ts";
import type { AgentLogs, ReadProblem } from "./call.ts";
import { claudeTrees, mergeClaude } from "./claude-code/index.ts";
import { CodexParser, codexFile, codexTrees, mergeCodex, type ThreadMeta } from "./codex/index.ts";
import type { LogEnvironment } from "./environment.ts";

export interface LogScan {
  readonly claudeCode: AgentLogs;
  readonly codex: AgentLogs;
  /** Files and folders that could not be read, besides the damaged lines of each agent's logs. */
  readonly problems: readonly ReadProblem[];
}

/** Reads all logs of both agents, call by call. An agent without a folder has no sessions. */
export async function scanLogs(source: LogSource, env: LogEnvironment): Promise<LogScan> {
  const claude = await source.list(claudeTrees(env));
  const codex = await source.list(codexTrees(env));
  const problems: ReadProblem[] = [...claude.problems, ...codex.problems];
  const claudeFacts = await readEach(claude.files, (file) => readClaude({ source, file, problems }));
  const codexFacts = await readEach(codex.files, (file) => readCodex({ source, file, problems }));
  return { claudeCode: mergeClaude(claudeFacts), codex: mergeCodex(codexFacts), problems };
}

async function readEach<T>(files: readonly LogFile[], read: (file: LogFile) => Promise<T>): Promise<T[]> {
  const facts: T[] = [];
  for (const file of files) facts.push(await read(file));
  return facts;
}

/** What the first line of a rollout says, without reading the rest. */
export async function readCodexHead(
  source: LogSource,
  file: Pick<LogFile, "path">,
): Promise<ThreadMeta | undefined> {
  const parser = new CodexParser(codexFile(file.path));
  try {
    for await (const chunk of source.read(file, 0)) {
      parser.push(chunk);
      if (parser.facts.meta !== undefined) break;
    }
  } catch {
    // Unreadable: then it is not known to belong to anything.
  }
  return parser.facts.meta;
}
