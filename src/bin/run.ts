import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Host } from "../cli/host.ts";
import { main } from "../cli/main.ts";
import { compose } from "../compose.ts";
import { VERSION } from "./version.ts";

/** Starts the program under one of its names. The only place that touches the real process. */
export async function runAs(name: string, rootedAt: readonly string[]): Promise<void> {
  const { stdin, stdout, stderr, env, argv } = process;
  quietClosedPipes();
  const host: Host = {
    name,
    version: VERSION,
    argv: argv.slice(2),
    rootedAt,
    env,
    cwd: process.cwd(),
    columns: stderr.columns ?? stdout.columns ?? Number(env["COLUMNS"] ?? 100),
    isStdinTerminal: stdin.isTTY === true,
    isStdoutTerminal: stdout.isTTY === true,
    isStderrTerminal: stderr.isTTY === true,
    stdout: (text) => void stdout.write(text),
    stderr: (text) => void stderr.write(text),
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

/** A reader that goes away (`| head`) ends the program quietly. */
function quietClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") process.exit(0);
      throw error;
    });
  }
}

function writeCrashReport(detail: string): string {
  const folder = join(tmpdir(), "loopwright-crashes");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${Date.now()}-${process.pid}.txt`);
  writeFileSync(file, `loopwright ${VERSION} on node ${process.version}\n${detail}\n`);
  return file;
}
