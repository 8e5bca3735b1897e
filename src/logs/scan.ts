import type { LogFile, LogSource } from "../ports/log-source.ts";
import type { AgentLogs } from "./call.ts";
import { type ClaudeFacts, ClaudeParser, claudeFile, claudeTrees, mergeClaude } from "./claude-code/index.ts";
import {
  type CodexFacts,
  CodexParser,
  codexFile,
  codexTrees,
  mergeCodex,
  type ThreadMeta,
} from "./codex/index.ts";
import type { LogEnvironment } from "./environment.ts";

export interface ReadProblem {
  readonly path: string;
  readonly reason: string;
}

export interface LogScan {
  readonly claudeCode: AgentLogs;
  readonly codex: AgentLogs;
  /** Files and folders that could not be read, besides the damaged lines of each agent's logs. */
  readonly problems: readonly ReadProblem[];
}

/** Reads all logs of both agents. An agent without a folder has no sessions. */
export async function scanLogs(source: LogSource, env: LogEnvironment): Promise<LogScan> {
  const claude = await source.list(claudeTrees(env));
  const codex = await source.list(codexTrees(env));
  const problems: ReadProblem[] = [...claude.problems, ...codex.problems];
  const claudeFacts = await readEach(claude.files, (file) => readClaude(source, file, problems));
  const codexFacts = await readEach(codex.files, (file) => readCodex(source, file, problems));
  return { claudeCode: mergeClaude(claudeFacts), codex: mergeCodex(codexFacts), problems };
}

async function readEach<T>(files: readonly LogFile[], read: (file: LogFile) => Promise<T>): Promise<T[]> {
  const facts: T[] = [];
  for (const file of files) facts.push(await read(file));
  return facts;
}

/** One transcript's facts. Read a second time only when a message id in it stands for several calls. */
export async function readClaude(
  source: LogSource,
  file: Pick<LogFile, "path">,
  problems: ReadProblem[],
): Promise<ClaudeFacts> {
  const untrusted = new Set<string>();
  for (;;) {
    const parser = new ClaudeParser(claudeFile(file.path), untrusted);
    await feed(source, file, parser, untrusted.size === 0 ? problems : []);
    const facts = parser.finish();
    const known = untrusted.size;
    for (const id of facts.untrusted) untrusted.add(id);
    if (untrusted.size === known) {
      facts.untrusted.push(...untrusted);
      return facts;
    }
  }
}

export async function readCodex(
  source: LogSource,
  file: Pick<LogFile, "path">,
  problems: ReadProblem[],
): Promise<CodexFacts> {
  const parser = new CodexParser(codexFile(file.path));
  await feed(source, file, parser, problems);
  return parser.finish();
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

/** What was read before a failure counts; the failure is reported. */
async function feed(
  source: LogSource,
  file: Pick<LogFile, "path">,
  parser: { push(chunk: Uint8Array): void },
  problems: ReadProblem[],
): Promise<void> {
  try {
    for await (const chunk of source.read(file, 0)) parser.push(chunk);
  } catch (error) {
    problems.push({ path: file.path, reason: error instanceof Error ? error.message : String(error) });
  }
}
