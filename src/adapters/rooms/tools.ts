import { mkdir, open, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, normalize } from "node:path";
import { fail, ok, type Result } from "../../core/result.ts";
import { MINUTE_MS, SECOND_MS } from "../../core/time.ts";
import type { ProcessOutcome, ProcessRunner } from "../../ports/process.ts";
import { lstatOrAbsent } from "./anchored.ts";
import { isInside } from "./bound-paths.ts";

const SETUP_WALL_MS = 15 * MINUTE_MS;
const VERSION_WALL_MS = 20 * SECOND_MS;
const GRACE_MS = 5 * SECOND_MS;
const STREAM_CAP_BYTES = 8 * 1024 * 1024;
const TAIL_BYTES = 2000;

export interface Toolbox {
  readonly process: ProcessRunner;
  readonly toolPath: string;
  /** Extra environment that tools of this machine need (proxies, certificates, tool homes). */
  readonly toolEnv: Readonly<Record<string, string>>;
  readonly nonce: () => string;
}

export interface ToolRun {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** A folder of ours for streams. */
  readonly logs: string;
  readonly wallMs?: number;
}

/** Runs a tool to its end and returns its standard output. Problems: `level-unavailable` (not found), `setup-failed`. */
export async function runTool(tools: Toolbox, run: ToolRun): Promise<Result<string>> {
  const [command = "", ...rest] = run.argv;
  const program = command.includes("/")
    ? join(isAbsolute(command) ? "" : run.cwd, command)
    : tools.process.which(command, run.env["PATH"] ?? tools.toolPath);
  if (program === undefined) return fail("level-unavailable", `${command} is not on the PATH`);
  const nonce = tools.nonce();
  const dir = join(run.logs, nonce);
  await mkdir(run.logs, { recursive: true });
  const started = await tools.process.start({
    argv: [program, ...rest],
    cwd: run.cwd,
    env: run.env,
    dir,
    nonce,
    wallMs: run.wallMs ?? SETUP_WALL_MS,
    graceMs: GRACE_MS,
    streamCapBytes: STREAM_CAP_BYTES,
    containment: "strongest",
  });
  if (!started.ok) return fail("setup-failed", `${run.argv.join(" ")}: ${started.problem.message}`);
  const outcome = await started.value.outcome;
  const stdout = await tail(outcome.stdoutPath);
  if (outcome.end.kind === "exited" && outcome.end.exitCode === 0) return ok(stdout);
  const said = `${stdout}\n${await tail(outcome.stderrPath)}`.trim();
  return fail("setup-failed", `\`${run.argv.join(" ")}\` ${howItEnded(outcome)}`, { cause: said });
}

function howItEnded({ end }: ProcessOutcome): string {
  switch (end.kind) {
    case "exited":
      return `failed with exit code ${end.exitCode}`;
    case "signalled":
      return `was ended by ${end.signal}`;
    case "timed-out":
      return `took longer than ${end.wallMs / MINUTE_MS} minutes`;
    case "stalled":
    case "canceled":
      return `was ${end.kind}`;
  }
}

async function tail(path: string): Promise<string> {
  const handle = await open(path, "r").catch(() => undefined);
  if (handle === undefined) return "";
  try {
    const { size } = await handle.stat();
    const buffer = Buffer.alloc(Math.min(size, TAIL_BYTES));
    await handle.read(buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString("utf8");
  } finally {
    await handle.close();
  }
}

/** What a tool says about its version. */
export type VersionOf = (command: string, run: Omit<ToolRun, "argv">) => Promise<string>;

/** Asks each program once. */
export function versionsOf(tools: Toolbox): VersionOf {
  const known = new Map<string, Promise<string>>();
  return (command, run) => {
    const path = tools.process.which(command, tools.toolPath) ?? command;
    const asked = known.get(path) ?? askVersion(tools, path, run);
    known.set(path, asked);
    return asked;
  };
}

async function askVersion(tools: Toolbox, path: string, run: Omit<ToolRun, "argv">): Promise<string> {
  const flag = /(^|\/)go$/.test(path) ? "version" : "--version";
  const said = await runTool(tools, { ...run, argv: [path, flag], wallMs: VERSION_WALL_MS });
  return said.ok ? said.value.trim() : "unknown";
}

/** The PATH without folders that the agent can write: those inside the working folder. */
export function pathOutside(toolPath: string, root: string): string {
  return toolPath
    .split(":")
    .filter((dir) => isAbsolute(dir) && !isInside(root, normalize(dir)))
    .join(":");
}

/** The PATH with folders of the working folder replaced by the same folders of a checkout. */
export function pathInto(toolPath: string, root: string, checkout: string): string {
  return toolPath
    .split(":")
    .filter((dir) => isAbsolute(dir))
    .map((dir) => (isInside(root, normalize(dir)) ? checkout + normalize(dir).slice(root.length) : dir))
    .join(":");
}

/** `rustup` and its like find their toolchains by HOME, which is ours here: their place follows from the program. */
export async function toolHomes(
  process: ProcessRunner,
  toolPath: string,
): Promise<Readonly<Record<string, string>>> {
  const cargo = process.which("cargo", toolPath);
  if (cargo === undefined) return {};
  const rustup = join(dirname(dirname(dirname(cargo))), ".rustup");
  return (await lstatOrAbsent(rustup)) === undefined ? {} : { RUSTUP_HOME: await realpath(rustup) };
}
