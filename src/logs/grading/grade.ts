import type { Signals } from "./signals.ts";

/** Strongest first. `asserted`: the agent says so and nothing else does. `censored`: too short to tell. */
export const GRADES = ["verified", "reported", "heuristic", "asserted", "ungraded", "censored"] as const;
export type Grade = (typeof GRADES)[number];
export type WorkOutcome = "accepted" | "rejected" | "unknown";

/** A session that nobody sent, with what its log shows. */
export interface GradedWork {
  readonly session: string;
  readonly cwd?: string;
  readonly startMs?: number;
  readonly endMs?: number;
  readonly signals: Signals;
  /** Files that it wrote. */
  readonly wrote: ReadonlySet<string>;
}

export interface GradedSession {
  readonly session: string;
  readonly grade: Grade;
  readonly outcome: WorkOutcome;
}

const REWORK_MS = 3_600_000;
const SHORT_MS = 60_000;

/**
 * How each session's work came out and how well that is known. Without a check or a review, work that ended by itself stands
 * until a session of the same folder writes one of its files again within the hour; before that hour is over it is open.
 */
export function gradeSessions(work: readonly GradedWork[], nowMs: number): GradedSession[] {
  return work.map((entry) => ({ session: entry.session, ...gradeOf(entry, work, nowMs) }));
}

function gradeOf(
  entry: GradedWork,
  all: readonly GradedWork[],
  nowMs: number,
): { readonly grade: Grade; readonly outcome: WorkOutcome } {
  const { signals } = entry;
  if (signals.lastCheck === "pass" || (signals.hasTurnedGreen && signals.lastCheck !== "fail")) {
    return { grade: "verified", outcome: "accepted" };
  }
  if (signals.review !== undefined) return { grade: "reported", outcome: signals.review };
  const stands = standing(entry, all, nowMs);
  if (stands !== undefined) return { grade: "heuristic", outcome: stands };
  if (isShort(entry)) return { grade: "censored", outcome: "unknown" };
  return { grade: signals.claimsSuccess ? "asserted" : "ungraded", outcome: "unknown" };
}

function standing(
  { session, cwd, endMs, signals, wrote }: GradedWork,
  all: readonly GradedWork[],
  nowMs: number,
): WorkOutcome | undefined {
  const isKnown = signals.hasEndedCleanly === true && cwd !== undefined && wrote.size > 0;
  if (!isKnown || endMs === undefined || signals.lastCheck === "fail") return undefined;
  const isRedone = all.some((other) => {
    const startMs = other.startMs ?? -Infinity;
    const isNext = other.session !== session && other.cwd === cwd && startMs > endMs;
    return isNext && startMs <= endMs + REWORK_MS && [...other.wrote].some((path) => wrote.has(path));
  });
  if (isRedone) return "rejected";
  return nowMs >= endMs + REWORK_MS ? "accepted" : undefined;
}

function isShort({ startMs, endMs }: GradedWork): boolean {
  return startMs !== undefined && endMs !== undefined && endMs - startMs < SHORT_MS;
}
