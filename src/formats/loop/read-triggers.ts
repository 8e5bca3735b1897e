import { SECOND_MS } from "../../core/time.ts";
import type { Fields } from "./fields.ts";
import {
  type LoopBaseline,
  type LoopEvolution,
  type LoopTrigger,
  type LoopTriggers,
  MISSED_RUNS,
  PROPOSAL_KINDS,
  type TriggerEvent,
} from "./policy-types.ts";

export function readTriggers(fields: Fields): LoopTriggers {
  return {
    triggers: fields.maps("triggers", readTrigger),
    maxDepth: fields.whole("max_depth", 5),
    dedupWindowMs: fields.whole("dedup_window_seconds", 300) * SECOND_MS,
  };
}

function readTrigger(fields: Fields): LoopTrigger {
  const idempotencyKey = fields.optionalText("idempotency_key");
  return {
    on: fields.map("on", readEvent, "what starts a run"),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    isEnabled: fields.flag("enabled", true),
    missed: fields.word("missed", MISSED_RUNS, "once"),
  };
}

function readEvent(fields: Fields): TriggerEvent {
  return fields.variant<TriggerEvent["type"], TriggerEvent>("type", {
    cron: (cron) => ({ type: "cron", expr: cron.text("expr"), timezone: cron.text("timezone", "UTC") }),
    interval: (interval) => ({ type: "interval", intervalMs: interval.whole("seconds") * SECOND_MS }),
    file_change: (change) => ({ type: "file_change", path: change.text("path") }),
    goal_satisfied: (goal) => {
      const loop = goal.optionalText("loop");
      return { type: "goal_satisfied", goal: goal.text("goal"), ...(loop !== undefined && { loop }) };
    },
    webhook: (webhook) => ({ type: "webhook", name: webhook.text("name") }),
    manual: () => ({ type: "manual" }),
  });
}

const DEFAULT_KINDS = ["new_skill", "skill_update", "prompt_change", "validation_change"] as const;

export function readEvolution(fields: Fields): LoopEvolution {
  const baseline = fields.optional("baseline", (key) => fields.map(key, readBaseline));
  return {
    isEnabled: fields.flag("enabled", false),
    ...(baseline !== undefined && { baseline }),
    maxRegression: fields.number("max_regression", 0.02, { atLeast: 0 }),
    allowedKinds: fields.words("allowed_kinds", PROPOSAL_KINDS, DEFAULT_KINDS),
    requireSandbox: fields.flag("require_sandbox", true),
    requireApproval: fields.flag("require_approval", true),
    keepRollback: fields.flag("keep_rollback", true),
  };
}

function readBaseline(fields: Fields): LoopBaseline {
  const number = (key: string) => fields.optional(key, (at) => fields.number(at));
  const completionRate = number("completion_rate");
  const validationPassRate = number("validation_pass_rate");
  const costUsd = number("cost_usd");
  const latencySeconds = number("latency_seconds");
  const iterationsToSuccess = number("iterations_to_success");
  const measuredAt = fields.optionalText("measured_at");
  return {
    ...(completionRate !== undefined && { completionRate }),
    ...(validationPassRate !== undefined && { validationPassRate }),
    ...(costUsd !== undefined && { costUsd }),
    ...(latencySeconds !== undefined && { latencySeconds }),
    ...(iterationsToSuccess !== undefined && { iterationsToSuccess }),
    ...(measuredAt !== undefined && { measuredAt }),
  };
}
