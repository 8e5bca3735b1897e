import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { isatty } from "node:tty";
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
  const host: Host = {
    name,
    version: VERSION,
    argv: argv.slice(2),
    rootedAt,
    ...more,
    env,
    cwd: process.cwd(),
    columns: columnsOf(env),
    isStdinTerminal: isatty(0),
    isStdoutTerminal: isatty(1),
    isStderrTerminal: isatty(2),
    stdout: writerOf(() => process.stdout),
    stderr: writerOf(() => process.stderr),
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

function columnsOf(env: NodeJS.ProcessEnv): number {
  if (isatty(2)) return process.stderr.columns;
  if (isatty(1)) return process.stdout.columns;
  return Number(env["COLUMNS"] ?? USUAL_COLUMNS);
}

/** Makes the stream when it is first written to. A reader that goes away (`| head`) ends the program quietly. */
function writerOf(open: () => NodeJS.WriteStream): (text: string) => void {
  let stream: NodeJS.WriteStream | undefined;
  return (text) => {
    stream ??= open().on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") process.exit(0);
      throw error;
    });
    stream.write(text);
  };
}

function writeCrashReport(detail: string): string {
  const folder = join(tmpdir(), "loopwright-crashes");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${Date.now()}-${process.pid}.txt`);
  writeFileSync(file, `loopwright ${VERSION} on node ${process.version}\n${detail}\n`);
  return file;
}
