import type { JsonObject } from "../core/canonical-json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { OcpDocument, OcpPreference, OcpSignal, OutcomeTier } from "../formats/ocp/index.ts";
import type { AcceptanceRule } from "../formats/rule/index.ts";
import { canReviewSettle, RULE_EXT, ruleOf } from "./judge.ts";
import { inOrder, observedEvent } from "./keep-late.ts";
import { type SIGNAL_SOURCES, VERDICT_VALUES } from "./words.ts";

/** A signal as people say it: `NAME=VALUE`, and what they add to it. */
export interface SaidSignal {
  readonly name: string;
  /** Empty declares a score that was not measured. */
  readonly value: string;
  readonly kind?: OcpSignal["kind"];
  readonly unit?: string;
  readonly better?: "higher" | "lower";
  readonly target?: number;
  readonly scale?: "linear" | "log" | "fraction";
  readonly atAttempt?: string;
  readonly source: (typeof SIGNAL_SOURCES)[number];
  readonly sourceRef?: string;
  readonly tier: OutcomeTier;
  readonly observedAt: string;
}

/** Splits `NAME=VALUE`. */
export function parseNameValue(text: string): Result<{ readonly name: string; readonly value: string }> {
  const at = text.indexOf("=");
  const name = text.slice(0, Math.max(at, 0)).trim();
  if (at < 0 || name === "" || name.length > 200)
    return fail("bad-input", `"${text}" is no signal, expected NAME=VALUE`);
  return ok({ name, value: text.slice(at + 1).trim() });
}

/**
 * The signal that was meant. Without a kind, a verdict's word makes it a verdict and a number a score. Problem:
 * `bad-input` for a value that its kind cannot have.
 */
export function makeSignal(id: string, said: SaidSignal): Result<OcpSignal> {
  const { name, observedAt, tier, source, atAttempt } = said;
  if (Number.isNaN(Date.parse(observedAt))) return fail("bad-input", `${observedAt} is no moment`);
  const kind = said.kind ?? kindOf(said.value);
  const value = kind === undefined ? undefinedKind(said) : signalValue(kind, said);
  if (!value.ok) return value;
  return ok({
    id,
    kind: kind ?? "verdict",
    name,
    value: value.value,
    ...(kind === "score" && scoreTraits(said)),
    ...(atAttempt !== undefined && { at_attempt: atAttempt }),
    observed_at: observedAt,
    source: { kind: source, ...(said.sourceRef !== undefined && { ref: said.sourceRef }) },
    tier,
  });
}

function kindOf(value: string): OcpSignal["kind"] | undefined {
  if (VERDICT_VALUES.some((word) => word === value)) return "verdict";
  return value === "" || isNumber(value) ? "score" : undefined;
}

function undefinedKind({ name, value }: SaidSignal): Result<never> {
  return fail("bad-input", `${name}=${value} is neither a verdict nor a number`, {
    hint: `a verdict is one of ${VERDICT_VALUES.join(", ")}; for an event add --kind event`,
  });
}

function signalValue(
  kind: OcpSignal["kind"],
  { name, value, scale }: SaidSignal,
): Result<OcpSignal["value"]> {
  switch (kind) {
    case "verdict":
      return VERDICT_VALUES.some((word) => word === value)
        ? ok(value)
        : fail(
            "bad-input",
            `the verdict ${name} is "${value}", expected one of ${VERDICT_VALUES.join(", ")}`,
          );
    case "event":
      return value === "" || value.length > 500
        ? fail("bad-input", `the event ${name} needs a reference, such as a commit or a ticket`)
        : ok(value);
    case "score": {
      if (value === "") return ok(null);
      const number = Number(value);
      if (!isNumber(value)) return fail("bad-input", `the score ${name} is "${value}", expected a number`);
      if (scale === "fraction" && (number < 0 || number > 1))
        return fail("bad-input", `the score ${name} is ${value}, expected a fraction between 0 and 1`);
      if (scale === "log" && number <= 0)
        return fail("bad-input", `the score ${name} is ${value}, expected a number above 0 on a log scale`);
      return ok(number);
    }
  }
}

function isNumber(value: string): boolean {
  return value.trim() !== "" && Number.isFinite(Number(value));
}

function scoreTraits({ unit, better, target, scale }: SaidSignal): Partial<OcpSignal> {
  return {
    ...(unit !== undefined && { unit }),
    ...(better !== undefined && { better }),
    ...(target !== undefined && { target }),
    ...(scale !== undefined && { scale }),
  };
}

/** The document with one more signal, told in its events too. `no-such-attempt` when it is said after an unknown one. */
export function withSignal(document: OcpDocument, signal: OcpSignal): Result<OcpDocument> {
  const { at_attempt: at } = signal;
  if (at !== undefined && !(document.attempts ?? []).some(({ id }) => id === at)) {
    return fail("no-such-attempt", `run ${document.run.id} has no attempt ${at}`);
  }
  return ok({
    ...document,
    run: { ...document.run, signals: [...(document.run.signals ?? []), asTargeted(document, signal)] },
    events: inOrder([...(document.events ?? []), observedEvent(signal)]),
  });
}

/** A score that the run's rule names has the rule's direction, target and scale, where nothing else is said. */
function asTargeted(document: OcpDocument, signal: OcpSignal): OcpSignal {
  const score = ruleOf(document).score;
  if (signal.kind !== "score" || score === undefined || score === null || score.name !== signal.name)
    return signal;
  const { better, target, scale } = score;
  return { better, target, ...(scale !== undefined && { scale }), ...signal };
}

/** A note for an event that no rule reacts to: perhaps its name is misspelt. */
export function eventNote(document: OcpDocument, signal: OcpSignal): string | undefined {
  const excluded = ruleOf(document).excludes_events ?? ["revert", "incident"];
  if (signal.kind !== "event" || excluded.includes(signal.name)) return undefined;
  return `the rule of run ${document.run.id} does not react to the event ${signal.name}, only to ${excluded.join(", ")}`;
}

/** The document with a comparison of its slate's members. `bad-input` when the winner is none of them. */
export function withPreference(document: OcpDocument, preference: OcpPreference): Result<OcpDocument> {
  const members = preference.members ?? [];
  if (preference.winner !== "tie" && !members.includes(preference.winner)) {
    return fail("bad-input", `${preference.winner} is no member of the slate ${preference.slate}`, {
      hint: `members are ${members.join(", ")}; or say tie`,
    });
  }
  const { preferences = [] } = document.run;
  return ok({ ...document, run: { ...document.run, preferences: [...preferences, preference] } });
}

/** The run judged by another rule from now on; its own is remembered. Naming its own undoes the change. */
export function withRule(document: OcpDocument, rule: AcceptanceRule): OcpDocument {
  const own = ownRule(document);
  if ((own?.name ?? "tests") === rule.name) return withoutRule(document);
  const ext = { ...document.run.ext, [RULE_EXT]: { own: ruleJson(own) } };
  return { ...document, run: { ...document.run, acceptance_rule: rule, ext } };
}

/** The run judged by its own rule again. */
export function withoutRule(document: OcpDocument): OcpDocument {
  const own = ownRule(document);
  const { acceptance_rule: _, ext, ...run } = document.run;
  const { [RULE_EXT]: __, ...others } = ext ?? {};
  const restored = { ...document, run: { ...run, ...(own !== undefined && { acceptance_rule: own }) } };
  // Without a word about it, such a run would be judged by its review.
  const needsWord = document.producer.name !== "loopwright" && canReviewSettle(restored);
  const kept = needsWord ? { ...others, [RULE_EXT]: { own: ruleJson(own) } } : others;
  return Object.keys(kept).length === 0 ? restored : { ...restored, run: { ...restored.run, ext: kept } };
}

function ruleJson(rule: AcceptanceRule | undefined): JsonObject | null {
  if (rule === undefined) return null;
  const { score, ...others } = rule;
  return { ...others, ...(score !== undefined && { score: score === null ? null : { ...score } }) };
}

function ownRule({ run }: OcpDocument): AcceptanceRule | undefined {
  const chosen = run.ext?.[RULE_EXT];
  if (typeof chosen !== "object" || chosen === null || !("own" in chosen)) return run.acceptance_rule;
  return chosen.own === null || chosen.own === undefined
    ? undefined
    : (chosen.own as unknown as AcceptanceRule);
}
