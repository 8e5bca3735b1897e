import { spawnSync } from "node:child_process";
import type { Clock } from "../../ports/clock.ts";
import { type ProcessEntry, type ProcessTable, unseenProcess } from "./process-table.ts";

/** `ps` takes some milliseconds, so one listing answers all questions that come this close together. */
const SNAPSHOT_MS = 200;

/**
 * macOS and other systems without /proc: `ps` shows ancestry, groups and start times to the second, but neither
 * environments nor open files, so that a process which leaves its group and its parent is not found again.
 */
export function psTable(clock: Pick<Clock, "monotonic">): ProcessTable {
  let taken: { readonly atMs: number; readonly entries: readonly ProcessEntry[] } | undefined;
  const all = (): readonly ProcessEntry[] => {
    const nowMs = clock.monotonic();
    if (taken === undefined || nowMs - taken.atMs > SNAPSHOT_MS)
      taken = { atMs: nowMs, entries: parsePs(ps()) };
    return taken.entries;
  };
  const entry = (pid: number): ProcessEntry | undefined => all().find((one) => one.pid === pid);
  return {
    bootId: "",
    pidNamespace: "",
    entry,
    ownChild: (pid) => parsePs(ps()).find((one) => one.pid === pid) ?? unseenProcess(pid),
    all,
    childrenOf: (pid) => all().flatMap((one) => (one.parentPid === pid ? [one.pid] : [])),
    hasVariable: () => false,
    writesTo: () => false,
  };
}

/** Windows: nothing is verified, so nothing but our own living child is ever killed. */
export function blindTable(): ProcessTable {
  return {
    bootId: "",
    pidNamespace: "",
    entry: () => undefined,
    ownChild: unseenProcess,
    all: () => [],
    childrenOf: () => [],
    hasVariable: () => false,
    writesTo: () => false,
  };
}

/** Reads lines of `pid ppid pgid stat lstart`; the start is an absolute time, so it needs no boot id. */
export function parsePs(text: string): readonly ProcessEntry[] {
  return text.split("\n").flatMap((line) => {
    const [pid, parentPid, groupId, state, ...start] = line.trim().split(/\s+/);
    if (state === undefined || start.length === 0 || state.startsWith("Z")) return [];
    return [
      {
        pid: Number(pid),
        parentPid: Number(parentPid),
        groupId: Number(groupId),
        sessionId: Number(groupId),
        startTicks: start.join(" "),
      },
    ];
  });
}

function ps(): string {
  const columns = ["pid=", "ppid=", "pgid=", "stat=", "lstart="].flatMap((column) => ["-o", column]);
  const env = { PATH: "/bin:/usr/bin", LC_ALL: "C", TZ: "UTC" };
  return spawnSync("ps", ["-A", ...columns], { encoding: "utf8", env }).stdout ?? "";
}
