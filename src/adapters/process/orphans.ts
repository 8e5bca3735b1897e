import type { Clock } from "../../ports/clock.ts";
import type { OrphanState, ProcessIdentity, ProcessRunner } from "../../ports/process.ts";
import { Family } from "./family.ts";
import { readRecord, streamPaths } from "./launch.ts";
import { identityOf, keyOf, type ProcessEntry, type ProcessTable, verified } from "./process-table.ts";
import { signalEntry } from "./signals.ts";

const POLL_MS = 20;
const KILL_WAIT_MS = 5000;

export interface OrphanTools {
  readonly table: ProcessTable;
  readonly clock: Clock;
  readonly host: string;
}

type Search = Parameters<ProcessRunner["findOrphan"]>[0];
type Reaping = Parameters<ProcessRunner["reap"]>[0];

/** What became of a process that an earlier process of ours had started. A complete exit record wins over leftovers. */
export function findOrphan(tools: OrphanTools, search: Search): OrphanState {
  const { record, ...paths } = streamPaths(search.dir);
  const finished = finishedState(record);
  if (finished !== undefined) return finished;
  const members = familyOf(tools, search.nonce, search.identity, Object.values(paths)).search();
  if (members.length > 0) {
    return {
      kind: "alive",
      identities: members.map((member) => identityOf(tools.table, member, tools.host)),
    };
  }
  // It may have ended between the two looks.
  return finishedState(record) ?? { kind: "gone" };
}

/** TERM, KILL after the grace, each only to processes that are still the ones that were found. */
export async function reap(tools: OrphanTools, reaping: Reaping): Promise<number> {
  const { table, clock } = tools;
  const family = familyOf(tools, reaping.nonce, reaping.identity, []);
  const found = new Set<string>();
  const termed = new Set<string>();
  const killFromMs = clock.monotonic() + reaping.graceMs;
  for (;;) {
    const members = family.search();
    const nowMs = clock.monotonic();
    if (members.length === 0) return found.size;
    if (nowMs > killFromMs + KILL_WAIT_MS) return found.size - members.length;
    const launcherPid = reaping.identity?.pid ?? launcherAmong(members)?.pid;
    for (const member of members) {
      const key = keyOf(member);
      found.add(key);
      if (nowMs >= killFromMs) {
        signalEntry(table, member, "SIGKILL");
      } else if (member.pid !== launcherPid && !termed.has(key)) {
        // Not "found before": it may have been taken for the launcher as long as that was not seen.
        termed.add(key);
        signalEntry(table, member, "SIGTERM");
      }
    }
    await clock.sleep(POLL_MS);
  }
}

/**
 * The wrapper or shim, as long as it lives: it notes how the command ended, so it gets no TERM. It descends from none
 * of the others; age and pid alone do not tell, because it starts the command within a tick and pids begin anew.
 */
export function launcherAmong(members: readonly ProcessEntry[]): ProcessEntry | undefined {
  const pids = new Set(members.map(({ pid }) => pid));
  const tops = members.filter(({ parentPid }) => !pids.has(parentPid));
  return tops.toSorted((a, b) => Number(a.startTicks) - Number(b.startTicks) || a.pid - b.pid)[0];
}

function familyOf(
  tools: OrphanTools,
  nonce: string,
  identity: ProcessIdentity | undefined,
  paths: readonly string[],
): Family {
  const root = identity === undefined ? undefined : verified(tools.table, identity, tools.host);
  return new Family(tools.table, { nonce, streamPaths: paths, ...(root === undefined ? {} : { root }) });
}

function finishedState(recordPath: string): OrphanState | undefined {
  const record = readRecord(recordPath);
  return record.state === "ended" ? { kind: "finished", exitCode: record.exitCode } : undefined;
}
