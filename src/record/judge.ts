import { HOUR_MS } from "../core/time.ts";
import type { OcpDocument, OcpSignal, OutcomeTier } from "../formats/ocp/index.ts";
import { type AcceptanceRule, DEFAULT_RULE, REVIEW_RULE } from "../formats/rule/index.ts";

/** What a run came to under a rule, with what it rests on. */
export interface Judgement {
  /** 1 accepted, 0 rejected, null unknown. */
  readonly z: 0 | 1 | null;
  /** The weakest tier of the evidence used. */
  readonly tier: OutcomeTier;
  /** `failed:<verdict>`, `missing:<verdict>`, `missed:<score>`, `unmeasured:<score>`, `late:<event>`. */
  readonly reasons: readonly string[];
  /** The last measured value of every score, also of those that no rule asks for. */
  readonly scores: Readonly<Record<string, number>>;
  readonly rule: AcceptanceRule;
}

/** A part of a rule with the signal that answers it. */
interface Part {
  readonly answer: 0 | 1 | null;
  readonly reason?: string;
  readonly signal?: OcpSignal | undefined;
}

const STRENGTH: Readonly<Record<OutcomeTier, number>> = {
  verified: 3,
  reported: 2,
  heuristic: 1,
  asserted: 0,
};
/** A reviewer's word is recorded under two names. */
const SAME_VERDICT: Readonly<Record<string, readonly string[]>> = { review: ["review", "accepted"] };

/**
 * Judges a run by its own rule, or by another. Of each verdict the last one by time decides (equal times in document
 * order); `error` and absence are unknown. One no rejects; acceptance needs every part. An excluded event within the
 * window after the end, and not after `nowMs`, rejects. A run that has not ended is unknown.
 */
export function judge(
  document: OcpDocument,
  rule: AcceptanceRule = ruleOf(document),
  nowMs = Number.POSITIVE_INFINITY,
): Judgement {
  const signals = document.run.signals ?? [];
  const parts = (rule.requires ?? []).map((name) => verdictPart(signals, name));
  if (rule.score !== undefined && rule.score !== null) parts.push(scorePart(signals, rule.score));
  const late = lateEvents(document, rule, nowMs);
  const used = [...parts.flatMap(({ signal }) => signal ?? []), ...late];
  return {
    z: document.run.ended_at === undefined ? null : late.length > 0 ? 0 : combine(parts),
    tier: used.reduce<OutcomeTier | undefined>(weaker, undefined) ?? "asserted",
    reasons: [...parts.flatMap(({ reason }) => reason ?? []), ...late.map(({ name }) => `late:${name}`)],
    scores: scoresOf(signals),
    rule,
  };
}

function combine(parts: readonly Part[]): 0 | 1 | null {
  if (parts.some(({ answer }) => answer === 0)) return 0;
  return parts.length > 0 && parts.every(({ answer }) => answer === 1) ? 1 : null;
}

function verdictPart(signals: readonly OcpSignal[], name: string): Part {
  const names = SAME_VERDICT[name] ?? [name];
  const signal = lastOf(signals.filter((one) => one.kind === "verdict" && names.includes(one.name)));
  if (signal?.value === "pass" || signal?.value === "accept") return { answer: 1, signal };
  if (signal?.value === "fail" || signal?.value === "reject")
    return { answer: 0, reason: `failed:${name}`, signal };
  return { answer: null, reason: `missing:${name}` };
}

function scorePart(signals: readonly OcpSignal[], target: AcceptanceRule["score"] & object): Part {
  const signal = lastOf(
    signals.filter(
      (one) => one.kind === "score" && one.name === target.name && typeof one.value === "number",
    ),
  );
  if (typeof signal?.value !== "number") return { answer: null, reason: `unmeasured:${target.name}` };
  const isReached =
    target.better === "higher" ? signal.value >= target.target : signal.value <= target.target;
  return isReached ? { answer: 1, signal } : { answer: 0, reason: `missed:${target.name}`, signal };
}

function lastOf(signals: readonly OcpSignal[]): OcpSignal | undefined {
  return signals.reduce<OcpSignal | undefined>(
    (last, one) => (last === undefined || timeOf(one) >= timeOf(last) ? one : last),
    undefined,
  );
}

/** A time that no calendar has cannot order anything, so document order stays. */
function timeOf({ observed_at }: OcpSignal): number {
  const ms = Date.parse(observed_at);
  return Number.isNaN(ms) ? 0 : ms;
}

function lateEvents({ run }: OcpDocument, rule: AcceptanceRule, nowMs: number): readonly OcpSignal[] {
  const excluded = rule.excludes_events ?? ["revert", "incident"];
  const endedMs = Date.parse(run.ended_at ?? "");
  const windowMs = (rule.window_days ?? 14) * 24 * HOUR_MS;
  return (run.signals ?? []).filter(({ kind, name, observed_at }) => {
    if (kind !== "event" || !excluded.includes(name)) return false;
    const atMs = Date.parse(observed_at);
    if (atMs > nowMs) return false;
    return Number.isNaN(atMs) || Number.isNaN(endedMs) || atMs - endedMs <= windowMs;
  });
}

function scoresOf(signals: readonly OcpSignal[]): Readonly<Record<string, number>> {
  const names = new Set(signals.filter(({ kind }) => kind === "score").map(({ name }) => name));
  const scores = new Map<string, number>();
  for (const name of names) {
    const measured = signals.filter(
      (one) => one.kind === "score" && one.name === name && typeof one.value === "number",
    );
    const value = lastOf(measured)?.value;
    if (typeof value === "number") scores.set(name, value);
  }
  return Object.fromEntries(scores);
}

function weaker(tier: OutcomeTier | undefined, { tier: other }: OcpSignal): OutcomeTier {
  return tier === undefined || STRENGTH[other] < STRENGTH[tier] ? other : tier;
}

export const RULE_EXT = "dev.loopwright.rule";

/**
 * The rule that a run is judged by: its own, else `tests`. A run of another producer that no test judged but a reviewer
 * did is judged by `review`, unless somebody has said by which rule.
 */
export function ruleOf(document: OcpDocument): AcceptanceRule {
  const { run, producer } = document;
  const own = run.acceptance_rule;
  const isChosen = run.ext?.[RULE_EXT] !== undefined || producer.name === "loopwright";
  if (!isChosen && canReviewSettle(document)) return REVIEW_RULE;
  return own ?? DEFAULT_RULE;
}

/** True when only a test verdict is asked for, none came, and a reviewer's did. */
export function canReviewSettle({ run }: OcpDocument): boolean {
  const own = run.acceptance_rule ?? DEFAULT_RULE;
  const asksTests = own.requires?.length === 1 && own.requires[0] === "tests" && (own.score ?? null) === null;
  const verdicts = (run.signals ?? []).filter(({ kind }) => kind === "verdict").map(({ name }) => name);
  return (
    asksTests &&
    !verdicts.includes("tests") &&
    verdicts.some((name) => SAME_VERDICT["review"]?.includes(name))
  );
}
