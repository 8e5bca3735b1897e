import { readFileSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { formatDuration } from "../../core/time.ts";

/** The byte of the shared-memory file that a writer in WAL mode locks (sqlite.org/walformat.html, section 2.3). */
const WAL_WRITE_LOCK = "120";

/**
 * Who holds the write lock of a database: `pid 42 (node) on box, started 3m 07s ago`. Linux only, where the kernel
 * lists file locks; undefined elsewhere, and for a holder that this process may not see.
 */
export function lockHolder(databaseFile: string): string | undefined {
  try {
    const inode = String(statSync(`${databaseFile}-shm`).ino);
    for (const line of readFileSync("/proc/locks", "utf8").split("\n")) {
      const lock = / WRITE +(\d+) [^ ]+:(\d+) (\d+) /.exec(line);
      if (lock?.[2] === inode && lock[3] === WAL_WRITE_LOCK) return describe(lock[1] ?? "");
    }
  } catch {
    // No such file or no /proc: nothing is known.
  }
  return undefined;
}

function describe(pid: string): string {
  try {
    const name = readFileSync(`/proc/${pid}/comm`, "utf8").trim();
    return `pid ${pid} (${name}) on ${hostname()}, started ${formatDuration(ageMs(pid))} ago`;
  } catch {
    return `pid ${pid} on ${hostname()}`;
  }
}

/** From the kernel's start time of the process, in ticks of 10 ms since boot: field 22 of /proc/PID/stat. */
function ageMs(pid: string): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const startTicks = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]);
  const uptimeSeconds = Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]);
  return uptimeSeconds * 1000 - startTicks * 10;
}
