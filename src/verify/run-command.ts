import { ok, type Result } from "../core/result.ts";
import { SECOND_MS } from "../core/time.ts";
import type { CheckFiles } from "../ports/check-files.ts";
import type { Room } from "../ports/check-rooms.ts";
import type { Entropy } from "../ports/clock.ts";
import type { ProcessOutcome, ProcessRunner } from "../ports/process.ts";
import type { Command } from "./command.ts";

export interface CommandPorts {
  readonly process: ProcessRunner;
  readonly entropy: Entropy;
  readonly checkFiles: CheckFiles;
}

export interface CommandRequest {
  readonly room: Room;
  readonly command: Command;
  readonly env: Readonly<Record<string, string>>;
  readonly wallMs: number;
  /** PATH unless the room has its own. */
  readonly toolPath: string;
  readonly scratch: string;
  /** Whether the text of the streams is wanted besides their end: a flood of output would fill our memory. */
  readonly wantsStreams: boolean;
}

export interface CommandOutcome {
  readonly outcome: ProcessOutcome;
  /** Empty unless they were asked for. */
  readonly stdout: string;
  readonly stderr: string;
  /** The end of both streams as they came. */
  readonly mixedTail: string;
}

const GRACE_MS = 5 * SECOND_MS;
const STREAM_CAP_BYTES = 64 * 1024 * 1024;
/** As much as an honest report comes to; more would have to be held in memory. */
const READ_CAP_BYTES = 32 * 1024 * 1024;
const MIXED_BYTES = 64 * 1024;

/**
 * Runs a command in a room, with nothing of our own environment but PATH. Problems: `command-not-found`,
 * `spawn-failed`, `no-such-file` when the streams cannot be read.
 */
export async function runCommand(
  ports: CommandPorts,
  request: CommandRequest,
): Promise<Result<CommandOutcome>> {
  const nonce = hex(ports.entropy.bytes(16));
  const chunks: Uint8Array[] = [];
  let kept = 0;
  const started = await ports.process.start({
    argv: argvOf(request.command, request.room.dir),
    cwd: request.room.dir,
    env: environment(request),
    dir: `${checksFolder(request.scratch)}/${nonce}`,
    nonce,
    wallMs: request.wallMs,
    graceMs: GRACE_MS,
    streamCapBytes: STREAM_CAP_BYTES,
    containment: "strongest",
    onOutput: (chunk) => {
      chunks.push(chunk.slice(-MIXED_BYTES));
      kept += Math.min(chunk.length, MIXED_BYTES);
      while (kept - (chunks[0]?.length ?? 0) > MIXED_BYTES) kept -= chunks.shift()?.length ?? 0;
    },
  });
  if (!started.ok) return started;
  const outcome = await started.value.outcome;
  const mixedTail = chunks.map((chunk) => new TextDecoder().decode(chunk)).join("");
  if (!request.wantsStreams) return ok({ outcome, stdout: "", stderr: "", mixedTail });
  const stdout = await readText(ports.checkFiles, outcome.stdoutPath);
  if (!stdout.ok) return stdout;
  const stderr = await readText(ports.checkFiles, outcome.stderrPath);
  if (!stderr.ok) return stderr;
  return ok({ outcome, stdout: stdout.value ?? "", stderr: stderr.value ?? "", mixedTail });
}

/** Holds the streams of each check that was started, in a folder named by its nonce. */
export function checksFolder(scratch: string): string {
  return `${scratch}/checks`;
}

/** The text of a file we exchange with a check; undefined when there is none. */
export async function readText(files: CheckFiles, path: string): Promise<Result<string | undefined>> {
  const bytes = await files.read(path, READ_CAP_BYTES);
  if (!bytes.ok) return bytes;
  return ok(bytes.value === undefined ? undefined : new TextDecoder().decode(bytes.value));
}

/** A name that nobody can guess beforehand. */
export function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function argvOf(command: Command, dir: string): readonly string[] {
  if ("line" in command) return ["/bin/sh", "-c", command.line];
  const [program = "", ...args] = command.argv;
  const local = program.includes("/") && !program.startsWith("/");
  return [local ? `${dir}/${program}` : program, ...args];
}

/** `CI` keeps runners from watching files and from writing new snapshots. */
function environment({ room, env, toolPath }: CommandRequest): Readonly<Record<string, string>> {
  const merged: Record<string, string> = {
    LANG: "C.UTF-8",
    TERM: "dumb",
    NO_COLOR: "1",
    CI: "true",
    PATH: toolPath,
    ...room.env,
  };
  for (const [name, value] of Object.entries(env)) {
    const before = LISTS.includes(name) ? merged[name] : undefined;
    if (name === "NODE_OPTIONS" && before !== undefined) merged["LOOPWRIGHT_NODE_OPTIONS"] = before;
    merged[name] = before === undefined ? value : `${before} ${value}`;
  }
  return merged;
}

/** Variables that hold a list of options: ours are added to what is there. */
const LISTS: readonly string[] = ["NODE_OPTIONS", "PYTEST_ADDOPTS"];
