import { SECOND_MS } from "../../core/time.ts";
import type { Fields } from "./fields.ts";
import { ALERT_METRICS, type LoopAlert, type LoopProtected, PROTECTED_COMPONENTS } from "./policy-types.ts";
import { readCheck, readDetector } from "./read-checks.ts";
import { readRecovery } from "./read-recovery.ts";
import {
  type Loop,
  type LoopApproval,
  type LoopLimits,
  type LoopRule,
  type LoopStop,
  ON_FAIL,
} from "./types.ts";

type LoopGates = Pick<Loop, "stop" | "entries" | "approvals" | "rollbacks">;
type LoopAllLimits = Pick<Loop, "limits" | "pieceLimits"> & {
  /** The key under which the file limits single pieces. */
  readonly pieceLimitsPath: string;
};
export type LoopSafety = Pick<Loop, "checks" | "recovery" | "protected" | "alerts"> &
  LoopGates &
  LoopAllLimits;

export function readSafety(fields: Fields): LoopSafety {
  return {
    checks: fields.maps("checks", readCheck),
    ...fields.map("gates", readGates),
    ...fields.map("limits", readAllLimits),
    recovery: fields.map("recovery", readRecovery),
    protected: fields.map("protected", readProtected),
    alerts: fields.maps("alerts", readAlert),
  };
}

function readGates(fields: Fields): LoopGates {
  return {
    stop: fields.map("stop", readStop),
    entries: fields.maps("entry", readRule),
    approvals: fields.maps("approval", readApproval),
    rollbacks: fields.maps("rollback", readRule),
  };
}

function readStop(fields: Fields): LoopStop {
  const wallSeconds = fields.optional("max_wall_clock_seconds", (key) => fields.whole(key));
  const maxTokens = fields.optional("max_tokens", (key) => fields.whole(key));
  const maxUsd = fields.optional("max_cost_usd", (key) => fields.number(key, undefined, { atLeast: 0 }));
  const perturbAfter = fields.optional("no_progress_iterations_randomness", (key) => fields.whole(key));
  return {
    maxIterations: fields.whole("max_iterations", 10),
    maxRevisionsPerPiece: fields.whole(
      fields.spelling("max_revisions_per_piece", "max_revisions_per_node"),
      3,
    ),
    ...(wallSeconds !== undefined && { maxWallClockMs: wallSeconds * SECOND_MS }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(maxUsd !== undefined && { maxCostMicroUsd: Math.round(maxUsd * 1e6) }),
    noProgressIterations: fields.whole("no_progress_iterations", 3),
    ...(perturbAfter !== undefined && { perturbAfterIterations: perturbAfter }),
    stopOnOverallSuccess: fields.flag("stop_on_overall_success", true),
  };
}

function readRule(fields: Fields): LoopRule {
  return {
    id: fields.text("id"),
    statement: fields.text("statement"),
    detector: fields.map("detector", readDetector, "how to check it"),
    onFail: fields.word("on_fail", ON_FAIL, "stop"),
  };
}

function readApproval(fields: Fields): LoopApproval {
  const detector = fields.optional("detector", (key) => fields.map(key, readDetector));
  return {
    id: fields.text("id"),
    statement: fields.text("statement"),
    ...(detector !== undefined && { detector }),
    onFail: fields.word("on_fail", ON_FAIL, "stop"),
  };
}

function readAllLimits(fields: Fields): LoopAllLimits {
  const key = fields.spelling("per_piece", "per_node");
  return {
    limits: fields.map("global", readLimits),
    pieceLimits: fields.byName(key, readLimits),
    pieceLimitsPath: fields.at(key),
  };
}

function readLimits(fields: Fields): LoopLimits {
  const maxTokens = fields.optional("max_tokens", (key) => fields.whole(key));
  const maxSeconds = fields.optional("max_seconds", (key) => fields.whole(key));
  return {
    rules: fields.texts("rules"),
    forbiddenPaths: fields.texts("forbidden_paths"),
    forbiddenCommands: fields.texts("forbidden_commands"),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(maxSeconds !== undefined && { maxMs: maxSeconds * SECOND_MS }),
    humanCheckpoint: fields.texts("human_checkpoint"),
  };
}

function readProtected(fields: Fields): LoopProtected {
  return {
    components: fields.words("components", PROTECTED_COMPONENTS, PROTECTED_COMPONENTS),
    extraPaths: fields.texts("extra_paths"),
  };
}

function readAlert(fields: Fields): LoopAlert {
  const above = fields.optional("above", (key) => fields.number(key));
  const below = fields.optional("below", (key) => fields.number(key));
  const message = fields.optionalText("message");
  return {
    id: fields.text("id"),
    metric: fields.word("metric", ALERT_METRICS),
    ...(above !== undefined && { above }),
    ...(below !== undefined && { below }),
    ...(message !== undefined && { message }),
  };
}
