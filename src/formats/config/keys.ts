import type { Json } from "../../core/canonical-json.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import { parseRule } from "../rule/index.ts";

/** What a key may hold. */
export type ValueKind =
  | { readonly kind: "text" }
  | { readonly kind: "choice"; readonly choices: readonly string[] }
  | { readonly kind: "number"; readonly min: number; readonly max?: number; readonly isAbove?: true }
  | { readonly kind: "whole"; readonly min: number }
  | { readonly kind: "words" }
  | { readonly kind: "numbers" }
  /** Allowed harnesses, or which one runs a model. */
  | { readonly kind: "words-or-map" }
  | { readonly kind: "rule" };

export interface ConfigKey {
  /** Dotted; `*` stands for a name of the user's. */
  readonly key: string;
  readonly value: ValueKind;
  /** What holds while the key is not set; null when that is nothing. */
  readonly preset: Json;
  readonly brief: string;
}

const text: ValueKind = { kind: "text" };
const words: ValueKind = { kind: "words" };
const share: ValueKind = { kind: "number", min: 0, max: 1 };
function choice(...choices: readonly string[]): ValueKind {
  return { kind: "choice", choices };
}
function key(name: string, value: ValueKind, preset: Json, brief: string): ConfigKey {
  return { key: name, value, preset, brief };
}
const q = { kind: "number", min: 0.5, max: 1 } as const;
const amount = { kind: "number", min: 0 } as const;

/** Every key that something reads. Another one is refused, so that a misspelt key never passes for a set one. */
export const CONFIG_KEYS: readonly ConfigKey[] = [
  key("org", text, null, "name of the organization, a level above the repository"),
  key("acceptance_rule", { kind: "rule" }, "tests", "rule of runs that name none"),
  key("rules.*", { kind: "rule" }, null, "a rule of your own, as short form or table"),
  key(
    "goal",
    choice("default", "p50", "p70", "p80", "p90", "p95", "p99"),
    "default",
    "which row of the curve to take",
  ),
  key("rescue.kind", choice("retry", "redo_usual", "person", "none"), "retry", "what a miss is priced with"),
  key(
    "rescue.decay",
    { ...share, isAbove: true },
    null,
    "chance of each retry as a share of the one before (0.5, then 0.6)",
  ),
  key("rescue.max_attempts", { kind: "whole", min: 1 }, 3, "tries in all"),
  key("rescue.min_chance", share, 0.7, "least chance of a workflow that rescues"),
  key("rescue.person_usd_per_hour", amount, null, "price of a person's hour"),
  key("rescue.hours", amount, 1, "hours that a person needs"),
  key("models.allowed", words, [], "models that may be offered"),
  key(
    "harnesses",
    { kind: "words-or-map" },
    ["claude-code", "codex"],
    "allowed harnesses, or harness by model",
  ),
  key("subtypes", words, [], "your own words for kinds of tasks"),
  key("efforts.*", words, null, "efforts that a harness or a model offers"),
  key(
    "explore.default_pick",
    choice("best_value", "max_gain"),
    "best_value",
    "which exploration pick a pair takes",
  ),
  key("explore.auto_payback_runs", amount, null, "payback below which exploring needs no question"),
  key("referee.model", text, null, "agent that judges pairs blind, as --judge takes it"),
  key("budget.usd", amount, null, "cap on what is spent in a period"),
  key("budget.period", choice("week", "month", "none"), "month", "period of the cap"),
  key("outcome.q.verified", q, 0.98, "how reliable a verified verdict is"),
  key("outcome.q.reported", q, 0.95, "how reliable a reported verdict is"),
  key("outcome.q.heuristic", q, 0.8, "how reliable a heuristic verdict is"),
  key("outcome.q.asserted", q, 0.7, "how reliable an asserted verdict is"),
  key("usual.*.*", text, null, "configuration that is usual for a type and repository"),
  key("notify.desktop", choice("on", "off"), "off", "tell on the desktop what a person should know"),
  key("notify.webhook", text, null, "address that gets it as JSON"),
  key("notify.command", words, null, "words of a command that gets it as JSON on stdin"),
  key("features.*.description", text, null, "what a feature of yours says of a task"),
  key("features.*.values", words, null, "the words that a feature of yours can be; without, yes or no"),
  key("features.*.edges", { kind: "numbers" }, null, "where a number of yours falls into another label"),
  key("features.*.labels", words, null, "one word more than there are edges"),
  key("harness.record", choice("none", "auto"), "none", "whether runs carry a record of their harness"),
];

/** The key of the table that a path means, or undefined. An exact one wins over one with a name in it. */
export function keyOf(path: readonly string[]): ConfigKey | undefined {
  const fits = CONFIG_KEYS.filter(({ key }) => {
    const parts = key.split(".");
    return parts.length === path.length && parts.every((part, i) => part === "*" || part === path[i]);
  });
  return fits.find(({ key }) => !key.includes("*")) ?? fits[0];
}

/** A value as the key's kind has it. Problem: `bad-input` with what was expected. */
export function checkValue({ value: kind }: ConfigKey, name: string, value: unknown): Result<Json> {
  const refuse = (expected: string): Result<never> =>
    fail("bad-input", `${name} is ${JSON.stringify(value)}, expected ${expected}`);
  switch (kind.kind) {
    case "text":
      return typeof value === "string" && value !== "" ? ok(value) : refuse("a text");
    case "choice":
      return typeof value === "string" && kind.choices.includes(value)
        ? ok(value)
        : refuse(`one of ${kind.choices.join(", ")}`);
    case "number":
    case "whole":
      return checkNumber(kind, value) ? ok(value) : refuse(numberText(kind));
    case "words":
      return isWords(value) ? ok(value) : refuse("a list of words");
    case "numbers":
      return isNumbers(value) ? ok(value) : refuse("a list of numbers");
    case "words-or-map":
      return isWords(value) || isMap(value) ? ok(value) : refuse("a list of words, or a table of them");
    case "rule": {
      const rule = parseRule(value, name.split(".").at(-1));
      return rule.ok ? ok(value as Json) : rule;
    }
  }
}

type NumberKind = Extract<ValueKind, { readonly kind: "number" | "whole" }>;

function checkNumber(kind: NumberKind, value: unknown): value is number {
  if (typeof value !== "number" || !Number.isFinite(value)) return false;
  if (kind.kind === "whole") return Number.isSafeInteger(value) && value >= kind.min;
  const isLowEnough = kind.max === undefined || value <= kind.max;
  return isLowEnough && (kind.isAbove === true ? value > kind.min : value >= kind.min);
}

function numberText(kind: NumberKind): string {
  if (kind.kind === "whole") return `a whole number of at least ${kind.min}`;
  const least = kind.isAbove === true ? `above ${kind.min}` : `of at least ${kind.min}`;
  return `a number ${least}${kind.max === undefined ? "" : ` and at most ${kind.max}`}`;
}

function isWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((word) => typeof word === "string" && word !== "");
}

function isNumbers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((one) => typeof one === "number" && Number.isFinite(one));
}

function isMap(value: unknown): value is { readonly [key: string]: string } {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((word) => typeof word === "string" && word !== "");
}
