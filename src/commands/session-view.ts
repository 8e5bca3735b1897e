import type { JsonObject } from "../core/canonical-json.ts";
import { assertNever } from "../core/result.ts";
import { totalTokens } from "../core/tokens.ts";
import type { SessionSummary } from "../ports/store.ts";
import { runningMs } from "../run/decide.ts";
import type { StopReason } from "../run/events.ts";
import type { SessionState } from "../run/state.ts";
import type { CheckVerdict } from "../verify/types.ts";
import { ExitCode } from "./exit-codes.ts";
import { exitOf } from "./problem-exit.ts";
import { answer, flag, type JsonSchema, list, number, object, oneOf, orNull, text, whole } from "./schema.ts";

/** A session as every face shows it. */
export interface SessionView extends JsonObject {
  readonly session: string;
  readonly number: number;
  readonly title: string;
  readonly top_level: string;
  readonly state: string;
  readonly outcome: string | null;
  readonly reason: string | null;
  readonly satisfied: boolean;
  readonly verdict_now: string | null;
  readonly iteration: number;
  readonly max_iterations: number;
  readonly attempts: number;
  readonly level: string | null;
  readonly checks: readonly CheckView[];
  readonly cost_usd: number | null;
  readonly cost_basis: string | null;
  readonly unknown_costs: number;
  readonly max_usd: number | null;
  readonly tokens: number | null;
  readonly running_ms: number;
  readonly waiting_until: string | null;
  readonly waiting_why: string | null;
  readonly question: string | null;
  readonly notices: readonly string[];
  readonly record: string | null;
  readonly updated_at: string;
}
export interface CheckView extends JsonObject {
  readonly check: string;
  readonly target: string;
  readonly blocking: boolean;
  readonly verdict: "pass" | "fail" | "uncheckable" | "unknown";
  readonly why: string | null;
  readonly tail: string | null;
}

const CHECK_VIEW = object({
  check: text,
  target: text,
  blocking: flag,
  verdict: oneOf("pass", "fail", "uncheckable", "unknown"),
  why: orNull(text),
  tail: orNull(text),
});

export const SESSION_VIEW: Readonly<Record<string, JsonSchema>> = {
  session: text,
  number: whole,
  title: text,
  top_level: text,
  state: text,
  outcome: orNull(text),
  reason: orNull(text),
  satisfied: flag,
  verdict_now: orNull(text),
  iteration: whole,
  max_iterations: whole,
  attempts: whole,
  level: orNull(text),
  checks: list(CHECK_VIEW),
  cost_usd: orNull(number),
  cost_basis: orNull(text),
  unknown_costs: whole,
  max_usd: orNull(number),
  tokens: orNull(whole),
  running_ms: whole,
  waiting_until: orNull(text),
  waiting_why: orNull(text),
  question: orNull(text),
  notices: list(text),
  record: orNull(text),
  updated_at: text,
};

export function sessionView(
  summary: Pick<SessionSummary, "session" | "number">,
  state: SessionState,
  nowMs: number,
): SessionView {
  const { cost, spec } = state;
  return {
    session: summary.session,
    number: summary.number,
    title: spec.title,
    top_level: spec.topLevel,
    state: state.lifecycle,
    outcome: state.outcome ?? null,
    reason: state.stopped === undefined ? null : reasonText(state.stopped),
    satisfied: state.satisfied,
    verdict_now: state.verdictNow ?? null,
    iteration: state.iteration,
    max_iterations: state.limits.maxIterations,
    attempts: state.attempts.length,
    level: state.gates.at(-1)?.result.level ?? state.baseline?.level ?? null,
    checks: checkViews(state),
    cost_usd: cost.basis === undefined && cost.unknownParts > 0 ? null : cost.microUsd / 1e6,
    cost_basis: cost.basis ?? null,
    unknown_costs: cost.unknownParts,
    max_usd: state.limits.maxMicroUsd === undefined ? null : state.limits.maxMicroUsd / 1e6,
    tokens: totalTokens(state.usage) ?? null,
    running_ms: Math.round(runningMs(state, nowMs)),
    waiting_until: state.wait?.until ?? null,
    waiting_why: state.wait?.why ?? null,
    question: state.question?.question ?? null,
    notices: state.notices,
    record: state.record?.run ?? null,
    updated_at: state.updatedAt,
  };
}

function checkViews(state: SessionState): CheckView[] {
  const verdicts = new Map(state.gates.at(-1)?.result.checks.map((verdict) => [verdict.check, verdict]));
  const baseline = new Map(state.baseline?.checks.map((check) => [check.check, check]));
  return state.spec.gate.checks.map((check) => {
    const { name, target, blocking } = check;
    const verdict = verdicts.get(name);
    if (verdict !== undefined) return { check: name, target, blocking, ...verdictView(verdict) };
    const before = baseline.get(name);
    if (before === undefined) {
      return { check: name, target, blocking, verdict: "unknown", why: null, tail: null };
    }
    return {
      check: name,
      target,
      blocking,
      verdict: before.verdict,
      why: before.why ?? "before any work",
      tail: before.tail,
    };
  });
}

function verdictView(verdict: CheckVerdict): Pick<CheckView, "verdict" | "why" | "tail"> {
  switch (verdict.verdict) {
    case "pass":
      return { verdict: "pass", why: null, tail: null };
    case "fail":
      return { verdict: "fail", why: verdict.why, tail: verdict.evidence.tail };
    case "uncheckable":
      return { verdict: "uncheckable", why: verdict.problem.message, tail: verdict.evidence?.tail ?? null };
    default:
      return assertNever(verdict);
  }
}

/** One sentence on why a session stopped. */
export function reasonText(reason: StopReason): string {
  switch (reason.why) {
    case "goal-satisfied":
      return "the goal is satisfied";
    case "already-satisfied":
      return "the goal was satisfied before any work";
    case "iterations":
      return "no iteration is left";
    case "running-time":
      return "the running time is used up";
    case "spend":
      return "the spend ceiling is reached";
    case "tokens":
      return "the token ceiling is reached";
    case "no-progress":
      return "nothing new came of the last iterations";
    case "pieces-spent":
      return `${reason.pieces.join(", ")} may not be sent back again, and nobody else can go on`;
    case "asked":
      return `stopped by ${reason.by}`;
    case "refused":
      return `${reason.by} was refused by a person`;
    case "parked":
      return reason.retryAt === null
        ? "the provider's limit is reached"
        : `the provider's limit is reached until ${reason.retryAt}`;
    case "needs-person":
      return `a person must decide: ${reason.question}`;
    case "problem":
      return reason.problem.message;
    default:
      return assertNever(reason);
  }
}

/** How `go`, `loop start` and `loop resume` end for each reason. */
export function exitOfReason(reason: StopReason): ExitCode {
  switch (reason.why) {
    case "goal-satisfied":
    case "already-satisfied":
      return ExitCode.ok;
    case "iterations":
    case "running-time":
    case "tokens":
    case "no-progress":
    case "pieces-spent":
    case "refused":
      return ExitCode.notSatisfied;
    case "spend":
      return ExitCode.budgetExhausted;
    case "asked":
      if (reason.by === "SIGINT") return ExitCode.interrupted;
      return reason.by === "SIGTERM" ? ExitCode.terminated : ExitCode.notSatisfied;
    case "parked":
      return ExitCode.tryAgainLater;
    case "needs-person":
      return ExitCode.awaitingApproval;
    case "problem":
      return exitOf(reason.problem.code);
    default:
      return assertNever(reason);
  }
}

export function sessionAnswer(command: string, more: Readonly<Record<string, JsonSchema>> = {}): JsonSchema {
  return answer(command, { ...SESSION_VIEW, ...more });
}
