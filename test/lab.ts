import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type InlineFiles, type InlineRepo, inlineFolder, inlineRepo } from "../src/testing/inline-repo.ts";

const PROGRAM = resolve(import.meta.dirname, "../dist/cli.cjs");

export interface Finished {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The one object of `--json`; fails the test when stdout is not exactly that. */
  json(): Record<string, unknown>;
}

/** The built program, a home of its own, a project, and agents that are real processes. */
export interface Lab {
  readonly repo: InlineRepo;
  readonly home: string;
  /** Outside home and project: where agents keep their counters. */
  readonly outside: string;
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Finished>;
  start(
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): { readonly child: ChildProcess; readonly finished: Promise<Finished> };
  /** Provider text of an agent that runs this shell script in the working folder. */
  agent(script: string): string;
  /** The same for a Node program (ESM). */
  nodeAgent(program: string): string;
  dispose(): void;
}

export interface LabOptions {
  /** Leave the folder without a repository. */
  readonly noGit?: boolean;
  /** Do not commit what is there. */
  readonly noCommit?: boolean;
}

export function openLab(files: InlineFiles, options: LabOptions = {}): Lab {
  const outside = realpathSync(mkdtempSync(join(tmpdir(), "loopwright-lab-")));
  const home = join(outside, "home");
  mkdirSync(home);
  const repo =
    options.noGit === true ? withoutGit(files) : inlineRepo(options.noCommit === true ? {} : files);
  if (options.noCommit === true) repo.write(files);
  let agents = 0;
  const start: Lab["start"] = (args, env = {}) => {
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      cwd: repo.dir,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: outside,
        LOOPWRIGHT_HOME: home,
        LAB: outside,
        NO_COLOR: "1",
        ...env,
      },
    });
    return { child, finished: collect(child) };
  };
  const script = (name: string, text: string): string => {
    agents += 1;
    const path = join(outside, `agent-${agents}${name}`);
    writeFileSync(path, text, { mode: 0o755 });
    return path;
  };
  return {
    repo,
    home,
    outside,
    start,
    run: (args, env) => start(args, env).finished,
    agent: (text) => `command:/bin/sh '${script(".sh", text)}'`,
    nodeAgent: (text) => `command:'${process.execPath}' '${script(".mjs", text)}'`,
    dispose: () => {
      repo.dispose();
      rmSync(outside, { recursive: true, force: true });
    },
  };
}

function withoutGit(files: InlineFiles): InlineRepo {
  const refuse = (): never => {
    throw new Error("this lab has no repository");
  };
  return { ...inlineFolder(files), git: refuse, commit: refuse };
}

function collect(child: ChildProcess): Promise<Finished> {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => err.push(chunk));
  return new Promise((done) => {
    child.on("close", (exit) => {
      const stdout = Buffer.concat(out).toString("utf8");
      const stderr = Buffer.concat(err).toString("utf8");
      done({ exit, stdout, stderr, json: () => parseOne(stdout, stderr) });
    });
  });
}

function parseOne(stdout: string, stderr: string): Record<string, unknown> {
  const lines = stdout.split("\n").filter((line) => line !== "");
  if (lines.length !== 1)
    throw new Error(`expected one object on stdout, got ${lines.length} lines\n${stdout}\n${stderr}`);
  return JSON.parse(lines[0] ?? "") as Record<string, unknown>;
}
