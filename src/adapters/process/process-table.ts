import type { ProcessIdentity } from "../../ports/process.ts";

/** One living process (never a zombie) as the kernel shows it at one moment. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parentPid: number;
  readonly groupId: number;
  readonly sessionId: number;
  /** When it started, in a unit of the platform: equal pid and equal start are the same process. */
  readonly startTicks: string;
}

/** What this platform lets us see of processes. Reads are cheap, synchronous and never throw. */
export interface ProcessTable {
  readonly bootId: string;
  /** The namespace in which our pids mean something; "" where there is none. */
  readonly pidNamespace: string;
  entry(pid: number): ProcessEntry | undefined;
  /** A child that we have not waited for yet, even when it has ended: never undefined. */
  ownChild(pid: number): ProcessEntry;
  all(): readonly ProcessEntry[];
  childrenOf(pid: number): readonly number[];
  /** Whether its environment at the start held this `NAME=value`. False when it may not be read. */
  hasVariable(pid: number, assignment: string): boolean;
  /** Whether its stdout or stderr is one of these files. */
  writesTo(pid: number, paths: readonly string[]): boolean;
}

/** Stands for a process of which nothing but the pid can be known; it is never verified. */
export function unseenProcess(pid: number): ProcessEntry {
  return { pid, parentPid: process.pid, groupId: pid, sessionId: pid, startTicks: "" };
}

export function identityOf(table: ProcessTable, entry: ProcessEntry, host: string): ProcessIdentity {
  const { bootId, pidNamespace } = table;
  return { pid: entry.pid, startTicks: entry.startTicks, bootId, pidNamespace, host };
}

/** The living process that the identity names; undefined when it ended, its pid was reused, or it lives elsewhere. */
export function verified(
  table: ProcessTable,
  identity: ProcessIdentity,
  host: string,
): ProcessEntry | undefined {
  if (identity.host !== host || identity.bootId !== table.bootId) return undefined;
  if (identity.pidNamespace !== table.pidNamespace) return undefined;
  const entry = table.entry(identity.pid);
  return entry !== undefined && isSame(entry, identity) ? entry : undefined;
}

export function isSame(
  a: { readonly pid: number; readonly startTicks: string },
  b: { readonly pid: number; readonly startTicks: string },
): boolean {
  return a.pid === b.pid && a.startTicks === b.startTicks && a.startTicks !== "";
}

/** Names one process for as long as the machine runs. */
export function keyOf(entry: ProcessEntry): string {
  return `${entry.pid} ${entry.startTicks}`;
}
