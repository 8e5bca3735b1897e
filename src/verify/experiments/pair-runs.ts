import type { Pair } from "./types.ts";

/** A finished run as pairing sees it. */
export interface ArmRun {
  readonly run: string;
  readonly configuration: string;
  /** Names runs that were planned as one pair. */
  readonly slate?: string;
  readonly task?: string;
  readonly baseCommit?: string;
  readonly isAccepted?: boolean;
  readonly costUsd?: number;
  readonly startedAt: string;
}

export interface Pairing {
  /** In planned order: by when the later arm started, then by name. */
  readonly pairs: readonly (Pair & { readonly id: string })[];
  /** Runs of either arm without a partner: shown, never used. */
  readonly unpaired: readonly string[];
}

/**
 * Pairs the runs of two configurations: by slate, else by task and base commit, where each arm ran once. A place
 * with more runs of one arm is left out, because which of them to take could be chosen by its outcome.
 */
export function pairRuns(runs: readonly ArmRun[], base: string, candidate: string): Pairing {
  const places = new Map<string, ArmRun[]>();
  const arms = runs.filter(({ configuration }) => configuration === base || configuration === candidate);
  for (const run of arms) {
    const place = placeOf(run);
    if (place !== undefined) places.set(place, [...(places.get(place) ?? []), run]);
  }
  const pairs: { pair: Pair & { readonly id: string }; at: string; runs: readonly string[] }[] = [];
  for (const [id, here] of places) {
    const left = here.filter(({ configuration }) => configuration === base);
    const right = here.filter(({ configuration }) => configuration === candidate);
    const [one, other] = [left[0], right[0]];
    if (one === undefined || other === undefined || left.length > 1 || right.length > 1) continue;
    const at = [one.startedAt, other.startedAt].sort()[1] ?? "";
    pairs.push({ pair: { id, ...outcomes(one, other) }, at, runs: [one.run, other.run] });
  }
  pairs.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.pair.id < b.pair.id ? -1 : 1));
  const used = new Set(pairs.flatMap((entry) => entry.runs));
  return {
    pairs: pairs.map(({ pair }) => pair),
    unpaired: arms.filter(({ run }) => !used.has(run)).map(({ run }) => run),
  };
}

function placeOf({ slate, task, baseCommit }: ArmRun): string | undefined {
  if (slate !== undefined) return `slate ${slate}`;
  return task === undefined || baseCommit === undefined ? undefined : `task ${task} at ${baseCommit}`;
}

function outcomes(base: ArmRun, candidate: ArmRun): Pair {
  return {
    ...(base.isAccepted !== undefined && { baseAccepted: base.isAccepted }),
    ...(candidate.isAccepted !== undefined && { candidateAccepted: candidate.isAccepted }),
    ...(base.costUsd !== undefined && { baseUsd: base.costUsd }),
    ...(candidate.costUsd !== undefined && { candidateUsd: candidate.costUsd }),
  };
}
