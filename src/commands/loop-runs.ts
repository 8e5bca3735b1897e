import { sha256 } from "../core/hash.ts";
import { ok, type Result } from "../core/result.ts";
import type { MeasuredRun } from "../record/loop-baseline.ts";
import type { SessionState } from "../run/state.ts";
import type { Trial } from "../verify/experiments/loop-trials.ts";
import { keptRecords } from "./loop-records.ts";
import type { CommandContext } from "./types.ts";

/** A session of a loop in this folder, as its last step left it. */
export interface LoopRun {
  readonly session: string;
  readonly at: string;
  readonly state: SessionState;
  /** Absent when its end says nothing of the way it worked. */
  readonly isAccepted?: boolean;
}

const LOOKED_AT = 500;

/** Newest first; empty without a store. */
export async function loopRuns(context: CommandContext, loop: string): Promise<Result<readonly LoopRun[]>> {
  const [store, topLevel] = [await context.readStore(), await context.topLevel()];
  if (!store.ok) return store;
  if (!topLevel.ok) return topLevel;
  const sessions = (await store.value?.sessions({ topLevel: topLevel.value, limit: LOOKED_AT })) ?? ok([]);
  if (!sessions.ok) return sessions;
  const own = sessions.value.filter(({ title }) => title === loop);
  return ok(
    own.flatMap(({ session, updatedAt, projection }) => {
      const state = projection as unknown as SessionState;
      if (state.spec.kind !== "loop") return [];
      const isAccepted = acceptedIn(state);
      return [{ session, at: updatedAt, state, ...(isAccepted !== undefined && { isAccepted }) }];
    }),
  );
}

/** Halves of pairs, in the order in which they ran. One whose session never began is none. */
export async function loopTrials(
  context: CommandContext,
  loop: string,
  runs: readonly LoopRun[],
): Promise<Result<readonly (Trial & { readonly session: string })[]>> {
  const records = await keptRecords(context, loop, "trial");
  if (!records.ok) return records;
  return ok(
    records.value.toReversed().flatMap(({ key, part, document }) => {
      const run = runs.find(({ session }) => session === part);
      const { pair, arm } = document;
      if (run === undefined || typeof pair !== "number" || (arm !== "with" && arm !== "without")) return [];
      const { isAccepted, state } = run;
      const { microUsd, unknownParts } = state.cost;
      return [
        {
          session: part,
          change: key,
          pair,
          arm,
          ...(isAccepted !== undefined && { isAccepted }),
          ...(unknownParts === 0 && { usd: microUsd / 1e6 }),
        },
      ];
    }),
  );
}

/** What runs came to, for the baseline; those whose end says nothing are left out. */
export function measured(runs: readonly LoopRun[]): readonly MeasuredRun[] {
  return runs.flatMap(({ state, isAccepted }) => {
    if (isAccepted === undefined) return [];
    const targets = state.gates.at(-1)?.result.targets ?? [];
    const passed = targets.reduce((sum, target) => sum + target.passed, 0);
    const all = targets.reduce((sum, { failed, uncheckable }) => sum + failed + uncheckable, passed);
    return [
      {
        isAccepted,
        ...(all > 0 && { passRate: passed / all }),
        ...(state.cost.unknownParts === 0 && { usd: state.cost.microUsd / 1e6 }),
        seconds: state.runningMs / 1000,
        iterations: state.iteration,
      },
    ];
  });
}

/** Runs of the file as it is now. */
export function runsOfText(runs: readonly LoopRun[], text: string): readonly LoopRun[] {
  const digest = sha256(text);
  return runs.filter(({ state }) => state.spec.source?.digest === digest);
}

/** An end that a person, a provider or a problem brought about is no word on the way of working. */
function acceptedIn({ stopped, verdictNow }: SessionState): boolean | undefined {
  switch (stopped?.why) {
    case "goal-satisfied":
      return verdictNow !== "revoked";
    case "iterations":
    case "no-progress":
    case "pieces-spent":
    case "running-time":
    case "spend":
    case "tokens":
      return false;
    default:
      return undefined;
  }
}
