import type { JsonObject } from "../core/canonical-json.ts";
import type { Result } from "../core/result.ts";
import type { CommitHistory } from "../ports/commit-history.ts";
import type { FitStore } from "../ports/fit-store.ts";
import type { FitThread } from "../ports/fit-thread.ts";
import type { Availability } from "../ports/provider.ts";
import type { SkillFolders } from "../ports/skill-folders.ts";
import type { LeaseHolder, Store } from "../ports/store.ts";
import type { TimerSystem } from "../ports/timer-system.ts";
import type { Prices, UsageReader } from "../ports/usage.ts";
import type { UserFiles } from "../ports/user-files.ts";
import type { WebhookListener, WebhookRequest } from "../ports/webhook.ts";
import type { RunOptions, RunPorts } from "../run/ports.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { LogAccess } from "./log-access.ts";
import type { JsonSchema } from "./schema.ts";

/** One flag of a command. Names are camelCase here and kebab-case on the command line. */
export type FlagSpec =
  | { readonly kind: "boolean"; readonly brief: string }
  | {
      readonly kind: "text";
      readonly brief: string;
      readonly placeholder: string;
      readonly repeatable?: boolean;
    }
  | {
      readonly kind: "count";
      readonly brief: string;
      readonly placeholder: string;
      readonly atLeast?: number;
    }
  | { readonly kind: "duration"; readonly brief: string; readonly placeholder: string }
  | { readonly kind: "usd"; readonly brief: string; readonly placeholder: string }
  | { readonly kind: "choice"; readonly brief: string; readonly choices: readonly string[] };

export interface ArgumentSpec {
  readonly name: string;
  readonly brief: string;
  readonly required: boolean;
  readonly variadic?: boolean;
}

/** Parsed input: flags that were given, by camelCase name, and the positional arguments in order. */
export interface CommandInput {
  readonly flags: Readonly<Record<string, FlagValue>>;
  readonly args: readonly string[];
}
export type FlagValue = boolean | number | string | readonly string[];

/** What a command came to. `json` is the whole answer; faces render it. */
export interface CommandOutput {
  readonly exit: ExitCode;
  readonly json: JsonObject;
  /** The answer was emitted one object a line instead, as a flag asked. */
  readonly streamed?: true;
}

export interface CommandContext {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly nodeVersion: string;
  now(): number;
  entropy(count: number): Uint8Array;
  /** Read-only: creates nothing, takes no lock; undefined when there is no store yet. */
  readStore(): Promise<Result<Store | undefined>>;
  writeStore(): Promise<Result<Store>>;
  /** Everything the engine needs, opened for writing. */
  engine(): Promise<Result<RunPorts>>;
  /** The text of a file of the user's, or of standard input for `-`; `no-such-file` when it cannot be read. */
  readText(path: string): Promise<Result<string>>;
  readonly files: UserFiles;
  skillFolders(): Promise<SkillFolders>;
  /** The last fit of all runs under the shipped prior. */
  fits(): Promise<FitStore>;
  /** Started by its first job. */
  fitThread(): Promise<FitThread>;
  /** What git says of a folder's past. */
  history(): Promise<CommitHistory>;
  /** Reader and prices of the agents' own logs, and what sessions they know; `bad-input` for a broken price table. */
  usage(): Promise<Result<UsagePorts>>;
  /** Names in a folder of the user's; none when it does not exist. */
  listFiles(path: string): Promise<readonly string[]>;
  /** Real path of the git top level (or folder) that `cwd` belongs to; cheap. */
  topLevel(): Promise<Result<string>>;
  logs(): Promise<LogAccess>;
  timers(): Promise<TimerSystem>;
  listen(request: WebhookRequest): Promise<Result<WebhookListener>>;
  detectProviders(): Promise<readonly Availability[]>;
  sleep(ms: number): Promise<void>;
  /** True when the holder of a lease was a process of this host that is no more. */
  isKnownDead(holder: LeaseHolder): Promise<boolean>;
  /** A fresh copy of the demo project as a repository, with the provider text of its scripted agent. */
  prepareDemo(): Promise<Result<{ readonly folder: string; readonly home: string; readonly agent: string }>>;
  /** The same face acting in another folder with another home. */
  inFolder(cwd: string, home: string): CommandContext;
  /** Closes what was opened. */
  close(): Promise<void>;
  /** One line for people while the command works; nowhere when quiet. */
  talk(line: string): void;
  /** One object of a stream: a line of JSON, or a line for people. */
  emit(kind: string, object: JsonObject): void;
  /** Present when a person can be asked. */
  readonly confirm?: (question: string) => Promise<boolean>;
  /** Present when a person can be asked for one of several keys; undefined when they leave it open. */
  readonly choose?: (
    question: string,
    keys: readonly { readonly key: string; readonly label: string }[],
  ) => Promise<string | undefined>;
  /** `--yes`: every question is answered with yes. */
  readonly yes: boolean;
  /** Calls back on SIGINT, SIGTERM and SIGHUP, with how often it happened; returns the way to stop listening. */
  onInterrupt(callback: (signal: string, times: number) => void): () => void;
  /** A face's live display of a running session; absent in a pipe. */
  readonly progress?: RunOptions["onProgress"];
  /** True when this command was started inside an attempt or a check of ours, by its own marks or those above it. */
  readonly insideAttempt: boolean;
  /** The sessions of these attempts; inside an attempt and none named means that it may be any. */
  readonly attemptSessions: readonly string[];
}

/** An agent's session as its log shows it. */
export interface KnownSession {
  readonly harness: "claude-code" | "codex";
  readonly session: string;
  readonly cwd?: string;
  readonly models: readonly string[];
  readonly startedAt: string;
  readonly lastAt: string;
}

export interface UsagePorts {
  readonly reader: UsageReader;
  readonly prices: Prices;
  /** Sessions that are nobody's sub-agent, latest first. */
  sessions(): Promise<readonly KnownSession[]>;
}

/** A command's name and brief, without the command: what a cold start loads of all but one of them. */
export interface CommandEntry extends Pick<Command, "path" | "brief"> {
  load(): Promise<Command>;
}

/** One thing that can be done: the CLI, the web API, MCP and the reference are all made from these. */
export interface Command {
  /** Words of the command line, e.g. `["loop", "start"]`. */
  readonly path: readonly string[];
  readonly group: CommandGroup;
  readonly brief: string;
  /** Further sentences for `--help` and the reference. */
  readonly details?: string;
  readonly args: readonly ArgumentSpec[];
  readonly flags: Readonly<Record<string, FlagSpec>>;
  /** Of the `--json` object; for a stream, of each line. */
  readonly output: JsonSchema;
  readonly streams?: boolean;
  /** Only a person may do it: refused inside an attempt and no MCP tool. */
  readonly personOnly?: boolean;
  run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>>;
}

export type { DatedEvent } from "../run/events.ts";
export type { Progress } from "../run/ports.ts";

export const COMMAND_GROUPS = [
  "Start",
  "Plan",
  "Loops",
  "Verify",
  "Record",
  "Learn",
  "View",
  "Logs",
  "Formats",
] as const;
export type CommandGroup = (typeof COMMAND_GROUPS)[number];

export function commandName(command: Pick<Command, "path">): string {
  return command.path.join(" ");
}
