import type { Instant } from "../core/time.ts";
import type { OcpEvent, OcpSignal } from "../formats/ocp/index.ts";
import type { AttemptNames } from "./attempts.ts";
import { oneLine } from "./labels.ts";
import type {
  RecordedCheck,
  RecordedEvaluation,
  RecordedReview,
  SessionRecordInput,
} from "./session-record.ts";

const VALUES = { pass: "pass", fail: "fail", uncheckable: "error" } as const;

/**
 * What the gates said, mechanically: verdict `gate` each time, and `tests` where a blocking check ran tests. Then what
 * agents said of the work, as their claim.
 */
export function recordedSignals(input: SessionRecordInput, names: AttemptNames): readonly OcpSignal[] {
  const gates = input.evaluations.flatMap((evaluation, index) => {
    const tests = testsVerdict(evaluation.checks);
    const gate = signal("gate", VALUES[evaluation.verdict], index, evaluation, names);
    const signals = [{ ...gate, ext: { "dev.loopwright.evidence": evidenceOf(evaluation) } }];
    return tests === undefined
      ? signals
      : [...signals, signal("tests", VALUES[tests], index, evaluation, names)];
  });
  return [...gates, ...input.reviews.map((review, index) => reviewSignal(review, index, names))];
}

function reviewSignal(review: RecordedReview, index: number, names: AttemptNames): OcpSignal {
  const attempt = review.attempt === undefined ? undefined : names.attempts.get(review.attempt)?.id;
  return {
    id: `sig_${review.kind}_${index + 1}`,
    kind: "verdict",
    name: review.kind,
    value: review.value,
    ...(attempt !== undefined && { at_attempt: attempt }),
    observed_at: review.at,
    source: { kind: "judge", ref: oneLine(review.piece, 500) },
    tier: "reported",
  };
}

function signal(
  name: "gate" | "tests",
  value: string,
  index: number,
  evaluation: RecordedEvaluation,
  names: AttemptNames,
): OcpSignal {
  const attempt = names.evaluations.get(evaluation)?.id;
  return {
    id: `sig_${name}_${index + 1}`,
    kind: "verdict",
    name,
    value,
    ...(attempt !== undefined && { at_attempt: attempt }),
    observed_at: evaluation.at,
    source: { kind: "ci", ref: "local" },
    tier: "verified",
  };
}

function testsVerdict(checks: readonly RecordedCheck[]): RecordedCheck["verdict"] | undefined {
  const runs = checks.filter(({ blocking, isTestRun }) => blocking && isTestRun);
  if (runs.length === 0) return undefined;
  if (runs.some(({ verdict }) => verdict === "fail")) return "fail";
  return runs.every(({ verdict }) => verdict === "pass") ? "pass" : "uncheckable";
}

function evidenceOf(evaluation: RecordedEvaluation) {
  return {
    tree: oneLine(evaluation.tree, 200),
    level: evaluation.level,
    threat: evaluation.threat,
    checks: evaluation.checks.map(({ name, blocking, verdict, exitCode }) => ({
      name: oneLine(name, 200),
      blocking,
      verdict,
      ...(exitCode !== undefined && { exit_code: exitCode }),
    })),
  };
}

/** The document's log, in order of time. */
export function recordedEvents(
  input: SessionRecordInput,
  names: AttemptNames,
  signals: readonly OcpSignal[],
  summary: string,
): readonly OcpEvent[] {
  const events: OcpEvent[] = [{ at: input.startedAt, type: "note", detail: "run started" }];
  for (const attempt of input.attempts) {
    const id = names.attempts.get(attempt.id)?.id;
    if (id !== undefined) events.push(...spanEvents(id, attempt.piece, attempt.startedAt, attempt.endedAt));
  }
  for (const evaluation of input.evaluations) {
    const id = names.evaluations.get(evaluation)?.id;
    if (id !== undefined)
      events.push(...spanEvents(id, evaluation.gate, evaluation.startedAt, evaluation.at));
  }
  for (const { kind, name, observed_at } of signals) {
    events.push({ at: observed_at, type: "signal_observed", detail: `${kind} ${name}` });
  }
  if (input.endedAt !== undefined) events.push({ at: input.endedAt, type: "run_finished", detail: summary });
  return events.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

function spanEvents(
  attempt: string,
  node: string,
  startedAt: Instant,
  endedAt: Instant | undefined,
): readonly OcpEvent[] {
  const started: OcpEvent = { at: startedAt, type: "attempt_started", node, attempt };
  if (endedAt === undefined) return [started];
  return [started, { at: endedAt, type: "attempt_settled", node, attempt }];
}
