import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TokenUsage } from "../core/tokens.ts";

/** One thing the agent does. Paths are relative to the folder it works in. */
export type AgentAction =
  | { readonly kind: "write"; readonly path: string; readonly text: string; readonly usage?: TokenUsage }
  | {
      readonly kind: "edit";
      readonly path: string;
      readonly from: string;
      readonly to: string;
      readonly usage?: TokenUsage;
    }
  | { readonly kind: "delete"; readonly path: string; readonly usage?: TokenUsage }
  | { readonly kind: "run"; readonly command: string; readonly usage?: TokenUsage }
  /** Starts a process that outlives the agent. */
  | { readonly kind: "leave-behind"; readonly command: string }
  | { readonly kind: "sleep"; readonly ms: number }
  | { readonly kind: "say"; readonly text: string; readonly usage?: TokenUsage }
  /** A line on stderr. */
  | { readonly kind: "complain"; readonly text: string }
  /** Raw text on stdout, in whatever format the stream is. */
  | { readonly kind: "print"; readonly text: string }
  | { readonly kind: "crash"; readonly signal: "SIGKILL" | "SIGTERM" | "SIGSEGV" };

/** What the agent does in one run. */
export interface AgentStep {
  /** Taken whenever it holds, before any ordered step: makes the agent depend on tree and prompt alone. */
  readonly when?: {
    readonly file?: string;
    readonly contains?: string;
    readonly missing?: string;
    readonly promptContains?: string;
  };
  readonly do: readonly AgentAction[];
  /** Its last words, true or not. */
  readonly claim?: string;
  /** Ends with an error in its own format. */
  readonly error?: {
    readonly text: string;
    readonly status?: number;
    readonly type?: string;
    readonly terminalReason?: string;
  };
  /** Leaves out the closing line. */
  readonly silentEnd?: boolean;
  /** Stays alive after the end. */
  readonly hangs?: boolean;
  /** Default: 0, or 1 with an error. */
  readonly exit?: number;
}

export interface AgentScript {
  /** How it talks: as Claude Code, as Codex, or plain lines. */
  readonly format: "claude" | "codex" | "text";
  /** Outside the checkout; remembers which turn comes next and what sessions have used. */
  readonly stateDir: string;
  /** Steps without `when` follow each other, one a run; the last one repeats. */
  readonly steps: readonly AgentStep[];
  /** Writes a session log below `CLAUDE_CONFIG_DIR` when that is set (format `claude`). */
  readonly writesLog?: boolean;
  /** What `--version` prints. */
  readonly version?: string;
}

const PROGRAM = join(import.meta.dirname, "scripted-agent.mjs");

/** Writes the script to `file` and gives the command line that runs it. */
export function scriptedAgent(file: string, script: AgentScript): readonly string[] {
  writeFileSync(file, JSON.stringify(script));
  return [process.execPath, PROGRAM, file];
}

/** Puts an executable called `name` into `binDir` (to be put on PATH) that plays the script. Gives its path. */
export function installAgent(binDir: string, name: "claude" | "codex", script: AgentScript): string {
  mkdirSync(binDir, { recursive: true });
  const command = scriptedAgent(join(binDir, `${name}.json`), script);
  const path = join(binDir, name);
  const quoted = command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
  writeFileSync(path, `#!/bin/sh\nexec ${quoted} "$@"\n`);
  chmodSync(path, 0o755);
  return path;
}

/** The usage limit of Claude Code as its program states it, with or without the time of its end. */
export function claudeLimit(resetText?: string): NonNullable<AgentStep["error"]> {
  const text =
    resetText === undefined
      ? "API Error: Request rejected (429) · This request would exceed your account's rate limit. Please try again later."
      : `You've hit your limit · resets ${resetText}`;
  return { text, status: 429, type: "rate_limit_error" };
}

/** The usage limit of Codex as its program states it: `at 12:35 PM`, `at Dec 5th, 2026 1:41 AM`, `later`. */
export function codexLimit(when: string): NonNullable<AgentStep["error"]> {
  return {
    text: `You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro) or try again ${when}.`,
  };
}
