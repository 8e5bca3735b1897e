import { InvariantError } from "../core/result.ts";
import type { LogFile, LogSource } from "../ports/log-source.ts";
import type { AgentLogs, AgentName } from "./call.ts";
import {
  type ClaudeCheckpoint,
  type ClaudeFacts,
  ClaudeParser,
  claudeFile,
  claudeKeys,
  mergeClaude,
} from "./claude-code/index.ts";
import {
  type CodexCheckpoint,
  type CodexFacts,
  CodexParser,
  codexFile,
  codexKeys,
  mergeCodex,
} from "./codex/index.ts";
import { isJournal } from "./databases.ts";
import { geminiParser } from "./gemini-cli/index.ts";
import type { AddKey } from "./group-keys.ts";
import { OpencodeParser } from "./opencode/index.ts";
import { AtriumParser, BbParser, OrcaParser, paseoParser } from "./orchestrators/index.ts";
import { OtelParser } from "./otel/index.ts";
import { PiParser } from "./pi/index.ts";
import { mergePlain, type PlainFacts, plainKeys } from "./plain-calls.ts";
import { type Checkpoints, type FileReading, feed, pourFacts, readFacts } from "./read-file.ts";

/** How one agent's logs are read. */
export interface AgentKind {
  readonly agent: AgentName;
  /** Reads the files of some groups whole, apart from what a checkpoint knows. */
  read(files: readonly FileReading[]): Promise<AgentFacts>;
  /**
   * The same without waiting for anything, which costs a small file more than its lines. Undefined, and nothing said,
   * where that cannot be or something is odd.
   */
  pour?(source: LogSource, files: readonly LogFile[], cache?: Checkpoints): AgentFacts | undefined;
}

/** What some files say, before it is put together with what others say. */
export interface AgentFacts {
  /** Groups that share a key may bear on each other's calls and must be merged together. */
  keys(add: AddKey): void;
  merge(): AgentLogs;
}

const claudeCode: AgentKind = {
  agent: "claude-code",
  read: async (files) => {
    const facts: ClaudeFacts[] = [];
    for (const file of files) facts.push(await readClaude(file));
    return claudeFacts(facts);
  },
  pour: (source, files, cache) => {
    const facts: ClaudeFacts[] = [];
    for (const file of files) {
      const one = pourFacts(source, file, cache, new ClaudeParser(claudeFile(file.path)));
      if (one === undefined || one.untrusted.length > 0) return undefined;
      facts.push(one);
    }
    return claudeFacts(facts);
  },
};

function claudeFacts(facts: readonly ClaudeFacts[]): AgentFacts {
  return { keys: (add) => claudeKeys(facts, add), merge: () => mergeClaude(facts) };
}

const codex: AgentKind = {
  agent: "codex",
  read: async (files) => {
    const facts: CodexFacts[] = [];
    for (const file of files) facts.push(await readCodex(file));
    return codexFacts(facts);
  },
  pour: (source, files, cache) => {
    const facts: CodexFacts[] = [];
    for (const file of files) {
      const parser = new CodexParser(codexFile(file.path), undefined, files.length === 1);
      const one = pourFacts(source, file, cache, parser);
      if (one === undefined) return undefined;
      facts.push(one);
    }
    return codexFacts(facts);
  },
};

function codexFacts(facts: readonly CodexFacts[]): AgentFacts {
  return { keys: (add) => codexKeys(facts, add), merge: () => mergeCodex(facts) };
}

interface PlainParser {
  push(chunk: Uint8Array): void;
  finish(): PlainFacts | readonly PlainFacts[];
}

/** An agent whose records are one call each, read from the start every time. */
function plainKind(agent: AgentName, make: (path: string) => PlainParser): AgentKind {
  return {
    agent,
    read: async (files) => {
      const facts: PlainFacts[] = [];
      for (const { source, file, problems } of files) {
        if (isJournal(file.path)) continue;
        const parser = make(file.path);
        await feed(source, file, 0, parser, problems);
        facts.push(...[parser.finish()].flat());
      }
      return {
        keys: (add) => plainKeys(facts, add),
        merge: () => mergePlain(agent, facts),
      };
    },
  };
}

const AGENT_KINDS: ReadonlyMap<string, AgentKind> = new Map(
  [
    claudeCode,
    codex,
    plainKind("pi", (path) => new PiParser(path)),
    plainKind("omp", (path) => new PiParser(path)),
    plainKind("gemini-cli", (path) => geminiParser(path)),
    plainKind("opencode", (path) => new OpencodeParser(path)),
    plainKind("otel-genai", (path) => new OtelParser(path)),
    plainKind("orca", (path) => new OrcaParser(path)),
    plainKind("bb", (path) => new BbParser(path)),
    plainKind("atrium", (path) => new AtriumParser(path)),
    plainKind("paseo", paseoParser),
  ].map((kind) => [kind.agent, kind]),
);

export function agentKind(name: string): AgentKind {
  const kind = AGENT_KINDS.get(name);
  if (kind === undefined) throw new InvariantError(`no log reader for ${name}`);
  return kind;
}

/** One transcript's facts. Read a second time only when a message id in it stands for several calls. */
export async function readClaude(reading: FileReading): Promise<ClaudeFacts> {
  const place = claudeFile(reading.file.path);
  const first = await readFacts<ClaudeFacts, ClaudeCheckpoint>(
    reading,
    (checkpoint) => new ClaudeParser(place, undefined, checkpoint),
  );
  if (first.untrusted.length === 0) return first;
  const untrusted = new Set(first.untrusted);
  const { source, file } = reading;
  for (;;) {
    const known = untrusted.size;
    const facts = await readFacts<ClaudeFacts, ClaudeCheckpoint>(
      { source, file, problems: [] },
      () => new ClaudeParser(place, untrusted),
    );
    for (const id of facts.untrusted) untrusted.add(id);
    if (untrusted.size === known) {
      facts.untrusted.push(...untrusted);
      return facts;
    }
  }
}

export function readCodex(reading: FileReading): Promise<CodexFacts> {
  const place = codexFile(reading.file.path);
  return readFacts<CodexFacts, CodexCheckpoint>(reading, (checkpoint) => new CodexParser(place, checkpoint));
}
