import { fstatSync, mkdirSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Host } from "../cli/host.ts";
import { main } from "../cli/main.ts";
import { compose } from "../compose.ts";
import { VERSION } from "./version.ts";

/** Starts the program under one of its names. The only place that touches the real process. */
export async function runAs(
  name: string,
  rootedAt: readonly string[],
  more: Pick<Host, "translate"> = {},
): Promise<void> {
  const { env, argv } = process;
  const isStdoutTerminal = isTerminal(1);
  const isStderrTerminal = isTerminal(2);
  const host: Host = {
    name,
    version: VERSION,
    argv: argv.slice(2),
    rootedAt,
    ...more,
    env,
    cwd: process.cwd(),
    columns: columnsOf(env, isStdoutTerminal, isStderrTerminal),
    get isStdinTerminal() {
      return isTerminal(0);
    },
    isStdoutTerminal,
    isStderrTerminal,
    stdout: writerOf(1, isStdoutTerminal, () => process.stdout),
    stderr: writerOf(2, isStderrTerminal, () => process.stderr),
    now: () => Date.now(),
    every: (ms, callback) => {
      const timer = setInterval(callback, ms);
      timer.unref();
      return () => clearInterval(timer);
    },
    writeCrashReport,
    makeContext: (globals, face) =>
      compose({
        env,
        cwd: globals.cwd === undefined ? process.cwd() : resolve(globals.cwd),
        home: globals.home,
        version: VERSION,
        nodeVersion: process.version,
        yes: globals.yes,
        talk: face.talk,
        emit: face.emit,
        confirm: face.confirm,
        choose: face.choose,
        progress: face.progress,
        onInterrupt,
      }),
  };
  // It ends here in any case; told to, it does not take its memory down piece by piece, which takes 20 ms after a scan.
  process.once("beforeExit", () => process.exit());
  process.exitCode = await main(host);
}

function onInterrupt(callback: (signal: string, times: number) => void): () => void {
  let times = 0;
  const listener = (signal: NodeJS.Signals): void => {
    times += 1;
    callback(signal, times);
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, listener);
  return () => {
    for (const signal of signals) process.off(signal, listener);
  };
}

const USUAL_COLUMNS = 100;

function columnsOf(env: NodeJS.ProcessEnv, isStdoutTerminal: boolean, isStderrTerminal: boolean): number {
  if (isStderrTerminal) return process.stderr.columns;
  if (isStdoutTerminal) return process.stdout.columns;
  return Number(env["COLUMNS"] ?? USUAL_COLUMNS);
}

/** Files and pipes are no devices; only of those the module is asked, whose loading takes milliseconds. */
function isTerminal(fd: number): boolean {
  try {
    if (!fstatSync(fd).isCharacterDevice()) return false;
  } catch {
    // The module knows what can be said of it.
  }
  return process.getBuiltinModule("node:tty").isatty(fd);
}

/**
 * Files and pipes are written to at once, as by Node's streams, but without loading those. A terminal has its stream; so
 * has whatever takes not all, or nothing, and that tells the reason. A reader that goes away (`| head`) ends the program
 * quietly.
 */
function writerOf(fd: number, isStream: boolean, open: () => NodeJS.WriteStream): (text: string) => void {
  let stream: NodeJS.WriteStream | undefined;
  return (text) => {
    const rest = isStream || stream !== undefined ? text : unwritten(fd, text);
    if (rest.length === 0) return;
    stream ??= open().on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") process.exit(0);
      throw error;
    });
    stream.write(rest);
  };
}

function unwritten(fd: number, text: string): Uint8Array {
  let rest: Uint8Array = Buffer.from(text);
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(fd, rest));
  } catch {
    // A pipe that is full, or that nobody reads any more.
  }
  return rest;
}

function writeCrashReport(detail: string): string {
  const folder = join(tmpdir(), "loopwright-crashes");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${Date.now()}-${process.pid}.txt`);
  writeFileSync(file, `loopwright ${VERSION} on node ${process.version}\n${detail}\n`);
  return file;
}
