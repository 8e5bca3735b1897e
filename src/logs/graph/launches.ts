import type { LaunchCall } from "./tool-events.ts";

/** A session that a shell command may have started. */
export interface LaunchedSession {
  readonly id: string;
  readonly agent: string;
  readonly cwd?: string;
  readonly startMs: number;
}

export interface Launch {
  readonly call: LaunchCall;
  readonly session: string;
  readonly lagMs: number;
  /** Began while the command ran, or soon after in the same folder. */
  readonly how: "contained" | "window";
}

const SLACK_MS = 2000;
const WINDOW_MS = 120_000;
const BACKGROUND_WINDOW_MS = 600_000;

/**
 * Which command started which session: the nearest in time that names its agent. A command gets every session that
 * began while it ran, or as many within the window as it names starts, never both; a session is started once.
 */
export function matchLaunches(sessions: readonly LaunchedSession[], calls: readonly LaunchCall[]): Launch[] {
  const pairs = sessions.flatMap((session) =>
    calls.flatMap((call) => {
      const how = fitOf(session, call);
      return how === undefined ? [] : [{ session, call, how, lagMs: session.startMs - call.startMs }];
    }),
  );
  pairs.sort(
    (a, b) =>
      a.lagMs - b.lagMs ||
      a.how.localeCompare(b.how) ||
      a.call.startMs - b.call.startMs ||
      compare(a.call.session, b.call.session) ||
      compare(a.session.id, b.session.id),
  );
  const taken = new Set<string>();
  const given = new Map<LaunchCall, { readonly how: Launch["how"]; count: number }>();
  const launches: Launch[] = [];
  for (const { session, call, how, lagMs } of pairs) {
    const before = given.get(call);
    const isOther = before !== undefined && before.how !== how;
    const isFull = how === "window" && (before?.count ?? 0) >= call.agents.length;
    if (taken.has(session.id) || isOther || isFull) continue;
    taken.add(session.id);
    given.set(call, { how, count: (before?.count ?? 0) + 1 });
    launches.push({ call, session: session.id, lagMs, how });
  }
  return launches;
}

function fitOf(session: LaunchedSession, call: LaunchCall): Launch["how"] | undefined {
  if (call.session === session.id || !call.agents.includes(session.agent)) return undefined;
  const lag = session.startMs - call.startMs;
  if (lag < 0) return undefined;
  const isContained =
    !call.isBackground && call.endMs !== undefined && session.startMs <= call.endMs + SLACK_MS;
  const isHere = call.cwd !== undefined && call.cwd === session.cwd;
  const folder = session.cwd?.split("/").at(-1) ?? "";
  if (isContained && (isHere || session.cwd === undefined || call.mentions.includes(folder)))
    return "contained";
  return isHere && lag <= (call.isBackground ? BACKGROUND_WINDOW_MS : WINDOW_MS) ? "window" : undefined;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
