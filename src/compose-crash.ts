import { appendFileSync } from "node:fs";
import type { ProcessRunner } from "./ports/process.ts";

/** Called at every moment at which a crash test may want this process to die. */
export type CrashPoint = (name: string) => void;

/**
 * For crash tests. `LOOPWRIGHT_CRASH_AT=name:n` kills this process the n-th time that a step of that name is about to
 * become durable or has become it; `*:n` counts every step. `LOOPWRIGHT_CRASH_LOG=FILE` writes the names down.
 */
export function crashPoint(env: Readonly<Record<string, string | undefined>>): CrashPoint {
  const [wanted, countText] = (env["LOOPWRIGHT_CRASH_AT"] ?? "").split(/:(?=\d+$)/);
  const log = env["LOOPWRIGHT_CRASH_LOG"];
  let left = Number(countText ?? 1);
  return (name) => {
    if (log !== undefined && log !== "") appendFileSync(log, `${name}\n`);
    if (wanted !== "*" && wanted !== name) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, "SIGKILL");
  };
}

/** A runner with a crash point around each spawn and each reaping, which the ledger only hears of afterwards. */
export function mortalRunner(runner: ProcessRunner, point: CrashPoint): ProcessRunner {
  const around = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    point(`${name}:before`);
    const value = await work();
    point(`${name}:after`);
    return value;
  };
  return {
    ...runner,
    strongest: runner.strongest,
    canSandbox: runner.canSandbox,
    start: (request) => around("spawn", () => runner.start(request)),
    reap: (search) => around("reap", () => runner.reap(search)),
  };
}
