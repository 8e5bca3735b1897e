import { byCodePoint } from "../core/canonical-json.ts";
import { type GraphPiece, mustOrder } from "./order.ts";

export interface ScheduledPiece {
  readonly id: string;
  /** From 0. */
  readonly worker: number;
  readonly start: number;
  readonly end: number;
}
export interface Schedule {
  /** In order of start. */
  readonly pieces: readonly ScheduledPiece[];
  /** When the last piece ends, in units of weight. */
  readonly makespan: number;
}

/**
 * The schedule that the engine follows when every piece takes as long as its weight says: a free worker
 * takes, of the pieces whose inputs are ready, the one with the heaviest chain behind it (ties by code
 * points). Nobody idles while something is ready, so it is at most twice the optimum (Graham 1969, "Bounds on
 * multiprocessing timing anomalies"). The graph must have an order.
 */
export function listSchedule(pieces: readonly GraphPiece[], workers: number): Schedule {
  const order = mustOrder(pieces).flat();
  const rank = chainsBehind(pieces, order);
  const byId = new Map(pieces.map((piece) => [piece.id, piece]));
  const done = new Map<string, number>();
  const freeAt = Array.from({ length: Math.max(1, workers) }, () => 0);
  const scheduled: ScheduledPiece[] = [];
  const open = new Set(order);
  while (open.size > 0) {
    const worker = freeAt.indexOf(Math.min(...freeAt));
    const readyAt = new Map<string, number>();
    for (const id of open) {
      const times = (byId.get(id)?.dependsOn ?? []).map((dependency) => done.get(dependency));
      if (!times.includes(undefined)) readyAt.set(id, Math.max(0, ...times.map((time) => time ?? 0)));
    }
    const now = Math.max(freeAt[worker] ?? 0, Math.min(...readyAt.values()));
    const [next] = [...readyAt]
      .filter(([, at]) => at <= now)
      .map(([id]) => id)
      .sort((a, b) => (rank.get(b) ?? 0) - (rank.get(a) ?? 0) || byCodePoint(a, b));
    if (next === undefined) break;
    const end = now + (byId.get(next)?.weight ?? 0);
    scheduled.push({ id: next, worker, start: now, end });
    done.set(next, end);
    freeAt[worker] = end;
    open.delete(next);
  }
  return { pieces: scheduled, makespan: Math.max(0, ...done.values()) };
}

/** Weight of the heaviest chain that begins with a piece. */
function chainsBehind(pieces: readonly GraphPiece[], order: readonly string[]): Map<string, number> {
  const byId = new Map(pieces.map((piece) => [piece.id, piece]));
  const behind = new Map<string, number>();
  for (const id of [...order].reverse()) {
    const piece = byId.get(id);
    const own = (piece?.weight ?? 0) + (behind.get(id) ?? 0);
    for (const dependency of piece?.dependsOn ?? []) {
      behind.set(dependency, Math.max(behind.get(dependency) ?? 0, own));
    }
    behind.set(id, own);
  }
  return behind;
}
