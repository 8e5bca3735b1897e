import { spawn } from "node:child_process";
import { fail, ok, type Result } from "../../core/result.ts";

/** One run of git. The environment is the whole environment: nothing is inherited. */
export interface GitCall {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly input?: string | Uint8Array;
  /** Exit codes that are an answer and not a failure; 0 always is. */
  readonly answers?: readonly number[];
}

export interface GitOutput {
  readonly exitCode: number;
  readonly stdout: Buffer;
  /** What git wrote to stderr although it did not fail. */
  readonly warnings: string;
}

export interface Git {
  /** `[2, 39]` for git 2.39.5. */
  readonly version: readonly [number, number];
  /** Problems: `git-missing`, `git-failed` with what git called the error on stderr. */
  run(call: GitCall): Promise<Result<GitOutput>>;
  /** Like `run`, but hands stdout over in chunks and keeps none of it. */
  stream(call: GitCall, onChunk: (chunk: Buffer) => void): Promise<Result<void>>;
}

/** Kept of stderr, which only ever feeds a message. */
const STDERR_CAP = 16_384;

export function makeGit(program: string, version: readonly [number, number]): Git {
  return {
    version,
    run: async (call) => {
      const chunks: Buffer[] = [];
      const end = await start(program, call, (chunk) => chunks.push(chunk));
      return end.ok ? ok({ ...end.value, stdout: Buffer.concat(chunks) }) : end;
    },
    stream: async (call, onChunk) => {
      const end = await start(program, call, onChunk);
      return end.ok ? ok(undefined) : end;
    },
  };
}

function start(
  program: string,
  call: GitCall,
  onChunk: (chunk: Buffer) => void,
): Promise<Result<Omit<GitOutput, "stdout">>> {
  return new Promise((resolve) => {
    const child = spawn(program, call.args, { cwd: call.cwd, env: call.env, stdio: "pipe" });
    let stderr = "";
    child.stdout.on("data", onChunk);
    child.stderr.on("data", (chunk: Buffer) => {
      if (stderr.length < STDERR_CAP) stderr += chunk.toString("utf8");
    });
    child.on("error", (error) => {
      resolve(
        fail("git-missing", `git cannot be started: ${error.message}`, { hint: "install git 2.30 or newer" }),
      );
    });
    child.on("close", (code, signal) => {
      if (code !== null && (code === 0 || call.answers?.includes(code))) {
        return resolve(ok({ exitCode: code, warnings: stderr }));
      }
      resolve(fail("git-failed", complaint(call.args, code, signal, stderr)));
    });
    // git may end before it has read everything; its exit code tells.
    child.stdin.on("error", () => undefined);
    child.stdin.end(call.input ?? "");
  });
}

function complaint(
  args: readonly string[],
  code: number | null,
  signal: string | null,
  stderr: string,
): string {
  const verb = args.find((arg) => /^[a-z]/.test(arg) && !arg.includes("=")) ?? "git";
  const lines = stderr.split("\n").filter((text) => text.trim() !== "");
  // git may tell what it is about to do before it tells what went wrong.
  const line =
    lines.find((text) => /^(fatal|error): /.test(text)) ?? lines[0] ?? `ended with ${signal ?? code}`;
  return `git ${verb}: ${line.replace(/^(fatal|error): /, "")}`;
}
