import type { CommandContext } from "../commands/types.ts";
import type { Face, Globals } from "./face.ts";

/** The process as the command line sees it. Only the entry point touches the real one. */
export interface Host {
  readonly name: string;
  readonly version: string;
  readonly argv: readonly string[];
  /** Words that are implied in front: the short binary is rooted at `loop`. */
  readonly rootedAt: readonly string[];
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
