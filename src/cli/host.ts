import type { CommandContext } from "../commands/types.ts";
import type { Result } from "../core/result.ts";
import type { Face, Globals } from "./face.ts";
import type { Translated } from "./loopsmith.ts";

/** The process as the command line sees it. Only the entry point touches the real one. */
export interface Host {
  readonly name: string;
  readonly version: string;
  readonly argv: readonly string[];
  /** Words that are implied in front: the short binary is rooted at `loop`. */
  readonly rootedAt: readonly string[];
  /** Another tool's command line in our words, under whose name we were started. */
  readonly translate?: (argv: readonly string[]) => Result<Translated>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly columns: number;
  readonly isStdinTerminal: boolean;
  readonly isStdoutTerminal: boolean;
  readonly isStderrTerminal: boolean;
  stdout(text: string): void;
  stderr(text: string): void;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back regularly until the returned function is called. */
  every(ms: number, callback: () => void): () => void;
  /** Path of the file that the detail of a crash was written to. */
  writeCrashReport(detail: string): string;
  makeContext(globals: Globals, face: Face): CommandContext;
}
