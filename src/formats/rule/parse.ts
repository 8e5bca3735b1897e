import { fail, ok, type Result } from "../../core/result.ts";
import type { OcpAcceptanceRule, OcpScoreTarget } from "../ocp/index.ts";

/** What makes a run's result accepted, in the words of the run document. */
export type AcceptanceRule = OcpAcceptanceRule;

const MAX_TEXT = 200;
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.:/ -]{0,99}$/;
const TARGET = /^([^<>=]+?)\s*(>=|<=)\s*(.+)$/;
const KEYS = ["name", "definition", "requires", "score", "excludes_events", "window_days"];
const SCORE_KEYS = ["name", "target", "better", "scale"];
const SCALES = ["linear", "log", "fraction"] as const;

/** Verdict names that people write in another form than signals carry. */
const VERDICTS: Readonly<Record<string, string>> = { merged: "merge" };

/**
 * The one reader of acceptance rules, for flags, files and configuration alike.
 *
 * A text is verdict names and at most one score target joined by `+`: `tests`, `tests+referee`, `merged`,
 * `heldout_perf>=2400`, `tests+runtime_s<=200`. A table has `requires`, `score {name, target, better, scale}`,
 * `excludes_events`, `window_days` and `definition`. Problems: `bad-input`, `unknown-key`.
 *
 * @param name of a table's rule; a text names itself
 */
export function parseRule(input: unknown, name?: string): Result<AcceptanceRule> {
  if (typeof input === "string") return fromText(input, name);
  if (typeof input === "object" && input !== null && !Array.isArray(input)) return fromTable(input, name);
  return bad("expected a rule such as `tests+referee`, or a table");
}

function fromText(text: string, name: string | undefined): Result<AcceptanceRule> {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed.length > MAX_TEXT) return bad("expected a rule such as `tests+referee`");
  const requires: string[] = [];
  let score: OcpScoreTarget | undefined;
  for (const part of trimmed.split("+").map((word) => word.trim())) {
    const target = TARGET.exec(part);
    if (target === null) {
      if (!NAME.test(part)) return bad(`"${part}" is no name of a verdict in the rule "${trimmed}"`);
      const verdict = VERDICTS[part] ?? part;
      if (requires.includes(verdict)) return bad(`the rule "${trimmed}" asks for ${part} twice`);
      requires.push(verdict);
      continue;
    }
    if (score !== undefined) return bad(`the rule "${trimmed}" has two score targets, expected at most one`);
    const parsed = scoreOf(target);
    if (!parsed.ok) return parsed;
    score = parsed.value;
  }
  return ok({
    name: name ?? trimmed,
    definition: definitionOf(requires, score),
    requires,
    ...(score !== undefined && { score }),
  });
}

function scoreOf([, name = "", sign, number = ""]: RegExpExecArray): Result<OcpScoreTarget> {
  const target = Number(number);
  if (number.trim() === "" || !Number.isFinite(target)) return bad(`"${number}" is no number to reach`);
  if (!NAME.test(name)) return bad(`"${name}" is no name of a score`);
  return ok({ name, target, better: sign === ">=" ? "higher" : "lower" });
}

function definitionOf(requires: readonly string[], score: OcpScoreTarget | undefined): string {
  const parts = requires.map((name) => `the last verdict ${name} is good`);
  if (score !== undefined)
    parts.push(`${score.name} is ${score.target} or ${score.better === "higher" ? "more" : "less"}`);
  return parts.join(" and ");
}

function fromTable(table: object, givenName: string | undefined): Result<AcceptanceRule> {
  const odd = Object.keys(table).find((key) => !KEYS.includes(key));
  if (odd !== undefined)
    return fail("unknown-key", `a rule has no key "${odd}"; known are ${KEYS.join(", ")}`);
  const { name = givenName, definition, requires = [], score, excludes_events, window_days } = members(table);
  if (typeof name !== "string" || name === "" || name.length > MAX_TEXT) return bad("the rule has no name");
  if (!isNames(requires)) return bad(`"requires" of the rule "${name}" is not a list of verdict names`);
  const target = score === undefined || score === null ? ok(undefined) : scoreFrom(score, name);
  if (!target.ok) return target;
  if (requires.length === 0 && target.value === undefined)
    return bad(`the rule "${name}" asks for nothing: give it "requires" or "score"`);
  if (excludes_events !== undefined && !isNames(excludes_events))
    return bad(`"excludes_events" of the rule "${name}" is not a list of event names`);
  const isDays = typeof window_days === "number" && Number.isSafeInteger(window_days) && window_days >= 0;
  if (window_days !== undefined && !isDays)
    return bad(`"window_days" of the rule "${name}" is not a whole number of days`);
  if (definition !== undefined && (typeof definition !== "string" || definition.length > 500))
    return bad(`"definition" of the rule "${name}" is not a text of at most 500 characters`);
  const verdicts = requires.map((verdict) => VERDICTS[verdict] ?? verdict);
  return ok({
    name,
    definition: definition ?? definitionOf(verdicts, target.value),
    requires: verdicts,
    ...(target.value !== undefined && { score: target.value }),
    ...(excludes_events !== undefined && { excludes_events }),
    ...(isDays && { window_days }),
  });
}

function scoreFrom(score: unknown, rule: string): Result<OcpScoreTarget> {
  if (typeof score !== "object" || score === null || Array.isArray(score))
    return bad(`"score" of the rule "${rule}" is not a table`);
  const odd = Object.keys(score).find((key) => !SCORE_KEYS.includes(key));
  if (odd !== undefined) return fail("unknown-key", `a score target has no key "${odd}"`);
  const { name, target, better, scale } = members(score);
  if (typeof name !== "string" || !NAME.test(name)) return bad(`the score of the rule "${rule}" has no name`);
  if (typeof target !== "number" || !Number.isFinite(target))
    return bad(`the score of the rule "${rule}" has no number as target`);
  if (better !== "higher" && better !== "lower")
    return bad(`"better" of the score of the rule "${rule}" is not higher or lower`);
  const known = SCALES.find((word) => word === scale);
  if (scale !== undefined && known === undefined)
    return bad(`"scale" of the score of the rule "${rule}" is not one of ${SCALES.join(", ")}`);
  if (known === "fraction" && (target < 0 || target > 1))
    return bad(`the target ${target} of the rule "${rule}" is not a fraction between 0 and 1`);
  return ok({ name, target, better, ...(known !== undefined && { scale: known }) });
}

function members(value: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(value));
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string" && NAME.test(name));
}

function bad(message: string): Result<never> {
  return fail("bad-input", message);
}

/** The rule of a run that names none. */
export const DEFAULT_RULE: AcceptanceRule = {
  name: "tests",
  definition: "the last verdict tests is good",
  requires: ["tests"],
};
/** For runs that a reviewer judged and no test did. */
export const REVIEW_RULE: AcceptanceRule = {
  name: "review",
  definition: "the last verdict review or accepted is good",
  requires: ["review"],
};
export const BUILTIN_RULES: readonly AcceptanceRule[] = [DEFAULT_RULE, REVIEW_RULE];
