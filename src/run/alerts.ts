import { totalTokens } from "../core/tokens.ts";
import type { AlertMetric, LoopAlert } from "../formats/loop/index.ts";
import { runningMs } from "./decide.ts";
import type { SessionState } from "./state.ts";

export interface Raised {
  readonly id: string;
  readonly value: number;
  readonly message: string;
}

/**
 * Alerts that hold now and were not raised in this session yet. Looked at once a round has been judged and at the end; a
 * measure that is not known raises none.
 */
export function dueAlerts(state: SessionState, nowMs: number, isOver = false): readonly Raised[] {
  if (state.gates.length === 0 && !isOver) return [];
  return (state.spec.alerts ?? []).flatMap((alert) => {
    if (state.alerts?.includes(alert.id) === true) return [];
    const value = measure(alert.metric, state, nowMs);
    if (value === undefined || !holds(alert, value, state)) return [];
    return [{ id: alert.id, value, message: alert.message ?? messageOf(alert, value) }];
  });
}

/** What is known of a spend is the least that it can be: it shows an excess, never that it is low. */
function holds({ metric, above, below }: LoopAlert, value: number, { cost }: SessionState): boolean {
  if (above !== undefined && value > above) return true;
  const isLeast = cost.unknownParts > 0 && (metric === "cost_usd" || metric === "tokens_used");
  return below !== undefined && value < below && !isLeast;
}

function messageOf({ metric, above, below }: LoopAlert, value: number): string {
  return above !== undefined && value > above
    ? `${metric} is ${value}, above ${above}`
    : `${metric} is ${value}, below ${below}`;
}

function measure(metric: AlertMetric, state: SessionState, nowMs: number): number | undefined {
  switch (metric) {
    case "iterations":
      return state.iteration;
    case "tokens_used":
      return totalTokens(state.usage);
    case "cost_usd":
      return state.cost.microUsd / 1e6;
    case "wall_clock_seconds":
      return Math.floor(runningMs(state, nowMs) / 1000);
    case "failed_dispatches":
      return state.attempts.filter(({ ended }) => isFailure(ended?.end.reason)).length;
    case "retries":
      return state.attempts.filter(
        ({ ended }) => ended?.end.reason === "failed" && ended.end.kind === "transient",
      ).length;
    case "stale_iterations":
      return state.staleIterations;
    case "validation_pass_rate":
      return passRate(state);
  }
}

function isFailure(reason: string | undefined): boolean {
  return reason === "failed" || reason === "timed-out" || reason === "stalled";
}

function passRate({ gates }: SessionState): number | undefined {
  const targets = gates.at(-1)?.result.targets ?? [];
  const passed = targets.reduce((sum, target) => sum + target.passed, 0);
  const all = targets.reduce((sum, { failed, uncheckable }) => sum + failed + uncheckable, passed);
  return all === 0 ? undefined : passed / all;
}
