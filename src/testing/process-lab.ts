import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../ports/clock.ts";
import type { ProcessRequest } from "../ports/process.ts";

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) => delay(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined),
};

const AGENTS = join(import.meta.dirname, "hostile-agents");

/** A folder and a token of its own for one test with real processes. */
export interface ProcessLab {
  readonly dir: string;
  /** Seconds for `sleep`, and a mark by which everything that this test started is found. */
  readonly token: string;
  /** Path of a program of src/testing/hostile-agents. */
  agent(name: string): string;
  request(argv: readonly string[], more?: Partial<ProcessRequest>): ProcessRequest;
  /** Pids of living processes with the token on their command line. */
  leftovers(): readonly number[];
  cleanUp(): void;
}

export function processLab(): ProcessLab {
  const dir = mkdtempSync(join(tmpdir(), "loopwright-process-"));
  const token = `3${randomBytes(4).readUInt32BE().toString().padStart(10, "0")}`;
  const leftovers = (): readonly number[] => livingWith(token);
  return {
    dir,
    token,
    agent: (name) => join(AGENTS, name),
    request: (argv, more = {}) => ({
      argv,
      cwd: dir,
      env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
      dir: join(dir, "streams"),
      nonce: randomBytes(8).toString("hex"),
      graceMs: 5000,
      streamCapBytes: 64 * 1024 * 1024,
      containment: "strongest",
      ...more,
    }),
    leftovers,
    cleanUp: () => {
      for (const pid of leftovers()) tryKill(pid);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function livingWith(token: string): readonly number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    // A zombie's command line is empty, so only living ones are found.
    return read(`/proc/${name}/cmdline`).split("\0").includes(token) ? [Number(name)] : [];
  });
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return ""; // It ended between the listing and the look.
  }
}

function tryKill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself.
  }
}
