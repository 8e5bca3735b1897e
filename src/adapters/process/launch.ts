import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fail, ok, type Problem, type Result } from "../../core/result.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Containment, ProcessRequest } from "../../ports/process.ts";
import type { Machine } from "./containment.ts";
import { findProgram } from "./lookup.ts";
import type { ProcessEntry, ProcessTable } from "./process-table.ts";
import { sandboxWords } from "./sandbox.ts";
import { NONCE_VARIABLE, parseRecord, type ShimRecord, shimPlan } from "./shim.ts";
import { signalOwnGroup } from "./signals.ts";

const START_TIMEOUT_MS = 30_000;

export interface ChildEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A started process: its wrapper is our child, and the command runs under the shim. */
export interface Launched {
  readonly root: ProcessEntry;
  readonly containment: Containment;
  readonly paths: StreamPaths;
  readonly startedMs: number;
  readonly exited: Promise<ChildEnd>;
}

export interface StreamPaths {
  readonly stdout: string;
  readonly stderr: string;
  readonly record: string;
}

export interface LaunchTools {
  readonly table: ProcessTable;
  readonly machine: Machine;
  readonly clock: Clock;
}

interface Wrapper {
  readonly containment: Containment;
  readonly words: readonly string[];
}

/**
 * Starts the command and waits until the shim says that it is about to run it (some milliseconds). A namespace that
 * cannot be made this time, though it could before, gives way to a process group.
 *
 * Problems: `command-not-found`, `spawn-failed`.
 */
export async function launch(tools: LaunchTools, request: ProcessRequest): Promise<Result<Launched>> {
  if (!isFolder(request.cwd)) {
    return fail("spawn-failed", `the working folder ${request.cwd} is not there`, {
      hint: "create it, or name another",
    });
  }
  const program = findProgram(request.argv[0] ?? "", request.cwd, request.env["PATH"] ?? "");
  if (!program.ok) return program;
  const wrapper = chooseWrapper(tools.machine, request);
  if (!wrapper.ok) return wrapper;
  const command = [program.value, ...request.argv.slice(1)];
  const first = await launchWith(tools, request, wrapper.value, command);
  if (first.ok || wrapper.value.words.length === 0 || request.sandbox !== undefined) return first;
  return launchWith(tools, request, { containment: "group", words: [] }, command);
}

export function streamPaths(dir: string): StreamPaths {
  return { stdout: join(dir, "stdout"), stderr: join(dir, "stderr"), record: join(dir, "exit") };
}

export function readRecord(path: string): ShimRecord {
  try {
    return parseRecord(readFileSync(path, "latin1"));
  } catch {
    return { state: "absent" };
  }
}

function chooseWrapper(machine: Machine, request: ProcessRequest): Result<Wrapper> {
  if (request.sandbox !== undefined) {
    const bwrap = machine.sandboxProgram();
    if (bwrap === undefined) {
      return fail("spawn-failed", "a sandbox was asked for and bubblewrap does not work here", {
        hint: "install bubblewrap, or run without the sandbox",
      });
    }
    const words = sandboxWords(bwrap, request.sandbox, request.cwd);
    return words.ok ? ok({ containment: "namespace", words: words.value }) : words;
  }
  const words = request.containment === "group" ? undefined : machine.namespaceWords();
  return ok(words === undefined ? { containment: "group", words: [] } : { containment: "namespace", words });
}

async function launchWith(
  tools: LaunchTools,
  request: ProcessRequest,
  wrapper: Wrapper,
  command: readonly string[],
): Promise<Result<Launched>> {
  const shell = tools.machine.shell();
  if (shell === undefined) {
    return fail("spawn-failed", "no sh on this machine", { hint: "install Git for Windows, or use WSL" });
  }
  const env = { ...request.env, [NONCE_VARIABLE]: request.nonce };
  const shim = shimPlan(env, wrapper.containment === "namespace");
  const [file = shell, ...args] = [...wrapper.words, shell, "-c", shim.script, "sh", ...command];
  const paths = streamPaths(request.dir);
  const startedMs = tools.clock.monotonic();
  const child = spawnWithFiles(file, args, request, shim.env, paths);
  if (!child.ok) return child;
  const { pid } = child.value;
  const exited = endOf(child.value);
  if (pid === undefined) return spawnFailed(await exited);
  const root = tools.table.ownChild(pid);
  const started = await waitForStart(tools.clock, paths, pid, exited);
  if (!started.ok) return started;
  return ok({ root, containment: wrapper.containment, paths, startedMs, exited: exited.then(childEnd) });
}

function spawnWithFiles(
  file: string,
  args: readonly string[],
  request: ProcessRequest,
  env: Readonly<Record<string, string>>,
  paths: StreamPaths,
): Result<ChildProcess> {
  const open: number[] = [];
  const keep = (fd: number): number => {
    open.push(fd);
    return fd;
  };
  try {
    mkdirSync(request.dir, { recursive: true, mode: 0o700 });
    writeFileSync(paths.record, "", { mode: 0o600 });
    const stdin = request.stdin === undefined ? "ignore" : keep(stdinFile(request.dir, request.stdin));
    const outputs = [paths.stdout, paths.stderr].map((path) => keep(emptyAppendable(path)));
    const stdio: StdioOptions = [stdin, ...outputs, keep(openSync(paths.record, "a"))];
    return ok(spawn(file, args, { cwd: request.cwd, env, stdio, detached: true, windowsHide: true }));
  } catch (error) {
    return spawnFailed(error);
  } finally {
    for (const fd of open) closeSync(fd);
  }
}

/** A file rather than a pipe: however long the text, nobody waits for the other to read or write. */
function stdinFile(dir: string, text: string): number {
  const path = join(dir, "stdin");
  writeFileSync(path, text, { mode: 0o600 });
  return openSync(path, "r");
}

/** Appending, so that the file can be cut while the process writes on. */
function emptyAppendable(path: string): number {
  writeFileSync(path, "", { mode: 0o600 });
  return openSync(path, "a");
}

function endOf(child: ChildProcess): Promise<ChildEnd | Error> {
  return new Promise((resolve) => {
    child.once("error", resolve);
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
}

function childEnd(end: ChildEnd | Error): ChildEnd {
  return end instanceof Error ? { code: null, signal: null } : end;
}

async function waitForStart(
  clock: Clock,
  paths: StreamPaths,
  pid: number,
  exited: Promise<ChildEnd | Error>,
): Promise<Result<void>> {
  let end: ChildEnd | Error | undefined;
  void exited.then((value) => {
    end = value;
  });
  const deadlineMs = clock.monotonic() + START_TIMEOUT_MS;
  while (readRecord(paths.record).state === "absent") {
    if (end !== undefined) {
      // It may have started and ended between the two looks.
      return readRecord(paths.record).state === "absent" ? neverStarted(paths, end) : ok(undefined);
    }
    if (clock.monotonic() > deadlineMs) signalOwnGroup(pid, "SIGKILL");
    await clock.sleep(1);
  }
  return ok(undefined);
}

function neverStarted(
  paths: StreamPaths,
  end: ChildEnd | Error,
): { readonly ok: false; readonly problem: Problem } {
  if (end instanceof Error) return spawnFailed(end);
  const said = readFileSync(paths.stderr, "utf8").slice(0, 500).trim();
  return fail("spawn-failed", `the process ended before its command began (code ${end.code ?? end.signal})`, {
    ...(said === "" ? {} : { cause: said }),
  });
}

function spawnFailed(cause: unknown): { readonly ok: false; readonly problem: Problem } {
  const said = cause instanceof Error ? cause.message : JSON.stringify(cause);
  const hint = said.includes("E2BIG") ? { hint: "pass long texts by stdin or by a file" } : {};
  return fail("spawn-failed", "the process could not be started", { ...hint, cause: said });
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
