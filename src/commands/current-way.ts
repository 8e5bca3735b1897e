import type { RunRow } from "../ports/store.ts";

/** The configuration that a user runs now for a kind of task. */
export interface CurrentWay {
  readonly id: string;
  /** By habit; false since a recommendation was followed. */
  readonly isUsual: boolean;
}

export const RECENT_MS = 90 * 24 * 3_600_000;
const FOLLOWED = ["usual", "alternative"];

/**
 * What most of the latest runs used: of the type and repository if there are any, else of the type, else of all. A
 * recommendation that was followed begins the count anew, so that a pick does not flip back with the next fit. Runs
 * that were made to find something out do not count; of equals the one that got there first stays. Without a run of the
 * type, what is configured for it is usual.
 */
export function currentWay(
  rows: readonly RunRow[],
  type: string | undefined,
  repo: string | undefined,
  nowMs: number,
  configured?: string,
): CurrentWay | undefined {
  const recent = rows.filter(
    ({ startedAt, source, configuration }) =>
      nowMs - Date.parse(startedAt) < RECENT_MS && source !== "exploration" && configuration !== undefined,
  );
  const alike = recent.filter((row) => row.taskType === type);
  const here = alike.filter((row) => row.repo === repo);
  if (alike.length === 0 && configured !== undefined) return { id: configured, isUsual: true };
  const [pool = []] = [here, alike, recent].filter((list) => list.length > 0);
  const followed = latest(pool.filter(({ source }) => FOLLOWED.includes(source ?? "")));
  const since = pool.filter(({ startedAt }) => followed === undefined || startedAt >= followed.startedAt);
  const id = mostUsed(since);
  if (id === undefined) return undefined;
  return { id, isUsual: id !== followed?.configuration };
}

function latest(rows: readonly RunRow[]): RunRow | undefined {
  return rows.reduce<RunRow | undefined>(
    (last, row) => (last === undefined || row.startedAt > last.startedAt ? row : last),
    undefined,
  );
}

function mostUsed(rows: readonly RunRow[]): string | undefined {
  const uses = new Map<string, { count: number; reachedAt: string }>();
  for (const { configuration = "", startedAt } of rows) {
    const known = uses.get(configuration) ?? { count: 0, reachedAt: startedAt };
    known.count += 1;
    if (startedAt > known.reachedAt) known.reachedAt = startedAt;
    uses.set(configuration, known);
  }
  const [best] = [...uses].sort(([, a], [, b]) => b.count - a.count || (a.reachedAt < b.reachedAt ? -1 : 1));
  return best?.[0];
}
