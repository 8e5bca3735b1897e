import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { type ProcessEntry, type ProcessTable, unseenProcess } from "./process-table.ts";

/** Linux: everything from /proc. A process may end between two reads, so a failed read means "not there". */
export function procTable(): ProcessTable {
  const entry = (pid: number): ProcessEntry | undefined => living(parseStat(read(`/proc/${pid}/stat`)));
  const all = (): readonly ProcessEntry[] =>
    pids().flatMap((pid) => {
      const found = entry(pid);
      return found === undefined ? [] : [found];
    });
  return {
    bootId: read("/proc/sys/kernel/random/boot_id").trim(),
    pidNamespace: link("/proc/self/ns/pid") ?? "",
    entry,
    ownChild: (pid) => parseStat(read(`/proc/${pid}/stat`))?.entry ?? unseenProcess(pid),
    all,
    childrenOf: (pid) => childrenOf(pid, all),
    hasVariable: (pid, assignment) => `\0${read(`/proc/${pid}/environ`)}`.includes(`\0${assignment}\0`),
    writesTo: (pid, paths) =>
      [1, 2].some((fd) => {
        const target = link(`/proc/${pid}/fd/${fd}`);
        return target !== undefined && paths.includes(target);
      }),
  };
}

interface Stat {
  readonly state: string;
  readonly entry: ProcessEntry;
}

/** Reads the text of /proc/PID/stat; undefined when it is none. */
export function parseStat(text: string): Stat | undefined {
  // The name may hold spaces and parentheses, so fields are counted from the last one.
  const close = text.lastIndexOf(")");
  const [state, parentPid, groupId, sessionId, ...more] = text.slice(close + 2).split(" ");
  const startTicks = more[15];
  if (close < 0 || state === undefined || startTicks === undefined) return undefined;
  const entry = {
    pid: Number.parseInt(text, 10),
    parentPid: Number(parentPid),
    groupId: Number(groupId),
    sessionId: Number(sessionId),
    startTicks,
  };
  return { state, entry };
}

/** A zombie holds nothing and cannot be killed: it counts as gone. */
function living(stat: Stat | undefined): ProcessEntry | undefined {
  return stat === undefined || stat.state === "Z" || stat.state === "X" ? undefined : stat.entry;
}

/** The kernel's own list, one file per thread; kernels built without it have their parents read instead. */
function childrenOf(pid: number, all: () => readonly ProcessEntry[]): readonly number[] {
  const lists = names(`/proc/${pid}/task`).map((thread) => tryRead(`/proc/${pid}/task/${thread}/children`));
  if (lists.length > 0 && lists.every((list) => list === undefined)) {
    return all().flatMap((entry) => (entry.parentPid === pid ? [entry.pid] : []));
  }
  return lists.flatMap((list) => (list ?? "").split(" ").filter(Boolean).map(Number));
}

function pids(): readonly number[] {
  return names("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
}

function names(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function tryRead(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}

function read(path: string): string {
  return tryRead(path) ?? "";
}

function link(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
