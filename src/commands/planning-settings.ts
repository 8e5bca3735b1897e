import { fail, ok, type Result } from "../core/result.ts";
import type { Config } from "../formats/config/index.ts";
import type { RescueRule } from "../plan/question.ts";
import { readFlags } from "./flag-values.ts";
import type { CommandInput } from "./types.ts";

/** What the user said about planning: by a flag, else in the configuration. */
export interface PlanningSettings {
  readonly goalProb?: number;
  readonly rescue: RescueRule;
  readonly explorePick: "best_value" | "max_gain";
  readonly autoPaybackRuns?: number;
}

type Values = Config["values"];

/** Problem `bad-input` where a person puts misses right and nothing says at what price. */
export function planningSettings({ values }: Config, input: CommandInput): Result<PlanningSettings> {
  const goal = readFlags(input).text("goal") ?? values.get("goal");
  const rescue = rescueRule(values, input);
  if (!rescue.ok) return rescue;
  const goalProb = typeof goal === "string" ? goalProbOf(goal) : undefined;
  const autoPaybackRuns = numberIn(values, "explore.auto_payback_runs");
  return ok({
    rescue: rescue.value,
    explorePick: values.get("explore.default_pick") === "max_gain" ? "max_gain" : "best_value",
    ...(goalProb !== undefined && { goalProb }),
    ...(autoPaybackRuns !== undefined && { autoPaybackRuns }),
  });
}

/** `p80` is a chance of at least 0.8. */
function goalProbOf(word: string): number | undefined {
  return word === "default" ? undefined : Number(word.slice(1)) / 100;
}

function rescueRule(values: Values, input: CommandInput): Result<RescueRule> {
  const flags = readFlags(input);
  const microUsd = flags.count("rescueUsd");
  if (microUsd !== undefined) return ok({ kind: "fixed", usd: microUsd / 1e6 });
  const kind = flags.text("rescue") ?? values.get("rescue.kind");
  if (kind === "redo_usual") return ok({ kind });
  if (kind === "none") return ok({ kind: "fixed", usd: 0 });
  if (kind === "person") return personRule(values);
  const decay = numberIn(values, "rescue.decay");
  const attempts = numberIn(values, "rescue.max_attempts");
  const minProb = numberIn(values, "rescue.min_chance");
  return ok({
    kind: "retry",
    ...(decay !== undefined && { decay }),
    ...(attempts !== undefined && { attempts }),
    ...(minProb !== undefined && { minProb }),
  });
}

function personRule(values: Values): Result<RescueRule> {
  const usdPerHour = numberIn(values, "rescue.person_usd_per_hour");
  if (usdPerHour === undefined) {
    return fail("bad-input", "a person puts misses right, and what an hour costs is not set", {
      hint: "loopwright config set rescue.person_usd_per_hour 80",
    });
  }
  return ok({ kind: "fixed", usd: usdPerHour * (numberIn(values, "rescue.hours") ?? 1) });
}

function numberIn(values: Values, key: string): number | undefined {
  const value = values.get(key);
  return typeof value === "number" ? value : undefined;
}
