import { spawnSync } from "node:child_process";
import { constants } from "node:os";
import type { ProcessEntry, ProcessTable } from "./process-table.ts";
import { isSame } from "./process-table.ts";

/** Signals the process only if it is still the one that was seen. Answers whether the signal was delivered. */
export function signalEntry(
  table: ProcessTable,
  entry: ProcessEntry,
  signal: "SIGTERM" | "SIGKILL",
): boolean {
  const now = table.entry(entry.pid);
  return now !== undefined && isSame(now, entry) && send(entry.pid, signal);
}

/** For a child that we have not waited for, whose pid therefore cannot have been reused: its whole group. */
export function signalOwnGroup(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  if (process.platform === "win32") {
    spawnSync("taskkill", ["/PID", String(pid), "/T", "/F"], { stdio: "ignore" });
    return;
  }
  send(-pid, signal);
}

/** The signal that a shell reports as this exit code (128 and its number). */
export function signalOfExitCode(exitCode: number): string | undefined {
  return Object.entries(constants.signals).find(([, number]) => number + 128 === exitCode)?.[0];
}

function send(pid: number, signal: "SIGTERM" | "SIGKILL"): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false; // It ended meanwhile, or belongs to another user: the next look at the table tells which.
  }
}
