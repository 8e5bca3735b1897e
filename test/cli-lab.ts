import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { onTestFinished } from "vitest";
import type { Host } from "../src/cli/host.ts";
import { main } from "../src/cli/main.ts";
import { compose } from "../src/compose.ts";

export interface Answer {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The one object of `--json`. */
  readonly json: Readonly<Record<string, unknown>>;
}

/** The command line in this process, with a home and a folder of its own: everything real but the terminal. */
export interface CliLab {
  readonly home: string;
  readonly dir: string;
  nowMs: number;
  /** Of the terminal that answers are shown on; without it they go to a file. */
  columns: number | undefined;
  env: Record<string, string>;
  /** What a person presses when asked for a key, in order; without any nobody is there. */
  keys: string[];
  path(name: string): string;
  write(name: string, content: unknown): string;
  /** With `--json`. */
  run(...words: readonly string[]): Promise<Answer>;
  /** As a person sees it. */
  say(...words: readonly string[]): Promise<Answer>;
}

export function openCliLab(): CliLab {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "loopwright-cli-")));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const home = join(dir, "home");
  const lab: CliLab = {
    home,
    dir,
    nowMs: Date.parse("2026-11-10T12:00:00Z"),
    columns: undefined,
    env: {},
    keys: [],
    path: (name) => resolve(dir, name),
    write: (name, content) => {
      writeFileSync(join(dir, name), typeof content === "string" ? content : JSON.stringify(content));
      return join(dir, name);
    },
    run: (...words) => once(lab, [...words, "--json"]),
    say: (...words) => once(lab, words),
  };
  return lab;
}

async function once(lab: CliLab, argv: readonly string[]): Promise<Answer> {
  let stdout = "";
  let stderr = "";
  const env = { PATH: process.env["PATH"] ?? "", HOME: lab.dir, TZ: process.env["TZ"] ?? "", ...lab.env };
  const host: Host = {
    name: "loopwright",
    version: "0.0.0",
    argv,
    rootedAt: [],
    env,
    cwd: lab.dir,
    columns: lab.columns ?? 200,
    isStdinTerminal: false,
    isStdoutTerminal: lab.columns !== undefined,
    isStderrTerminal: false,
    stdout: (text) => {
      stdout += text;
    },
    stderr: (text) => {
      stderr += text;
    },
    now: () => lab.nowMs,
    every: () => () => undefined,
    writeCrashReport: (detail) => {
      throw new Error(detail);
    },
    makeContext: (globals, face) => ({
      ...compose({
        env,
        cwd: resolve(lab.dir, globals.cwd ?? "."),
        home: globals.home ?? lab.home,
        version: "0.0.0",
        nodeVersion: process.version,
        yes: globals.yes,
        talk: face.talk,
        emit: face.emit,
        confirm: face.confirm,
        choose: lab.keys.length === 0 ? face.choose : async () => lab.keys.shift(),
        progress: face.progress,
        onInterrupt: () => () => undefined,
      }),
      now: () => lab.nowMs,
    }),
  };
  const exit = await main(host);
  return { exit, stdout, stderr, json: argv.includes("--json") ? oneObject(stdout) : {} };
}

function oneObject(stdout: string): Readonly<Record<string, unknown>> {
  const lines = stdout.split("\n").filter((line) => line !== "");
  return lines.length === 1 ? JSON.parse(lines[0] ?? "{}") : {};
}
