import { readFileSync } from "node:fs";
import { parseStat } from "./proc-table.ts";
import { NONCE_VARIABLE } from "./shim.ts";

const ATTEMPT_VARIABLE = "LOOPWRIGHT_ATTEMPT";
const SESSION_VARIABLE = "LOOPWRIGHT_SESSION";
/** Either of them says that a process belongs to an attempt. */
const MARKS = [ATTEMPT_VARIABLE, NONCE_VARIABLE];

/** Whether this process was started by something that a session of ours runs. */
export interface Within {
  readonly isInside: boolean;
  /** The sessions that are named on the way up. Inside without a name: any session may be its own. */
  readonly sessions: readonly string[];
}

/**
 * Looks at our environment and, where /proc tells, at those with which the processes above us were started: a mark
 * that was taken out of ours is still in theirs. Elsewhere our own environment alone speaks.
 */
export function withinAttempt(
  env: Readonly<Record<string, string | undefined>>,
  ownPid: number = process.pid,
): Within {
  const marks = [env, ...environmentsFrom(ownPid)].filter((one) =>
    MARKS.some((name) => one[name] !== undefined),
  );
  const sessions = marks.flatMap((one) => one[SESSION_VARIABLE] ?? []);
  return { isInside: marks.length > 0, sessions: [...new Set(sessions)] };
}

/** Of the process itself and of those above it, nearest first. */
function environmentsFrom(ownPid: number): readonly Readonly<Record<string, string | undefined>>[] {
  const found: Readonly<Record<string, string | undefined>>[] = [];
  const seen = new Set<number>();
  for (let pid = ownPid; pid > 0 && !seen.has(pid); pid = parentOf(pid)) {
    seen.add(pid);
    found.push(environmentOf(pid));
  }
  return found;
}

function parentOf(pid: number): number {
  return parseStat(read(`/proc/${pid}/stat`))?.entry.parentPid ?? 0;
}

function environmentOf(pid: number): Readonly<Record<string, string | undefined>> {
  const text = read(`/proc/${pid}/environ`);
  if (!MARKS.some((name) => text.includes(`${name}=`))) return {};
  const pairs = text
    .split("\0")
    .map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]);
  return Object.fromEntries(pairs);
}

/** A process may end, or belong to somebody else: then it says nothing. */
function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
