import type { AttemptId } from "../core/ids.ts";
import { assertNever } from "../core/result.ts";
import type { OcpAttempt, OcpSetting } from "../formats/ocp/index.ts";
import type { AttemptEnd } from "../ports/provider.ts";
import { isVertex, recordedHarness, recordedRole, settingOf } from "./configuration.ts";
import { costOf, mainModel } from "./costs.ts";
import { oneLine } from "./labels.ts";
import type { RecordedAttempt, RecordedEvaluation, SessionRecordInput } from "./session-record.ts";

/** Ids in the document: `<piece>.a<n>`, n counting within the piece. */
export interface AttemptNames {
  readonly attempts: ReadonlyMap<AttemptId, { readonly id: string; readonly n: number }>;
  readonly evaluations: ReadonlyMap<RecordedEvaluation, { readonly id: string; readonly n: number }>;
}

export function nameAttempts(input: SessionRecordInput): AttemptNames {
  const counts = new Map<string, number>();
  const next = (piece: string): { readonly id: string; readonly n: number } => {
    const n = (counts.get(piece) ?? 0) + 1;
    counts.set(piece, n);
    return { id: `${piece}.a${n}`, n };
  };
  return {
    attempts: new Map(input.attempts.map((attempt) => [attempt.id, next(attempt.piece)])),
    evaluations: new Map(input.evaluations.map((evaluation) => [evaluation, next(evaluation.gate)])),
  };
}

/** Agent attempts and gate evaluations, in order of start. */
export function recordedAttempts(
  input: SessionRecordInput,
  names: AttemptNames,
  settings: Readonly<Record<string, OcpSetting>>,
): readonly OcpAttempt[] {
  const agents = input.attempts.map((attempt) =>
    agentAttempt(attempt, input, names, settings[attempt.piece]),
  );
  const gates = input.evaluations.map((evaluation) => gateAttempt(evaluation, input, names));
  return [...agents, ...gates].sort((a, b) => compare(a.started_at ?? "", b.started_at ?? ""));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function agentAttempt(
  attempt: RecordedAttempt,
  input: SessionRecordInput,
  names: AttemptNames,
  planned: OcpSetting | undefined,
): OcpAttempt {
  const { id, n } = names.attempts.get(attempt.id) ?? { id: attempt.id, n: 1 };
  const model = attempt.observedModel ?? mainModel(attempt) ?? attempt.setting.model;
  const isSeen = attempt.observedModel !== undefined || mainModel(attempt) !== undefined;
  const role = input.pieces.find((piece) => piece.id === attempt.piece)?.role;
  const setting = settingOf(model === undefined ? attempt.setting : { ...attempt.setting, model });
  const cost = costOf(attempt);
  const raw = model === undefined ? undefined : oneLine(model, 200);
  return {
    id,
    node: attempt.piece,
    vertex: attempt.piece,
    n,
    round: attempt.round,
    harness: recordedHarness(attempt.setting.harness),
    ...(raw !== undefined && { model: { raw, id: raw, tier: isSeen ? "verified" : "reported" } }),
    ...(attempt.setting.effort !== undefined && { effort: oneLine(attempt.setting.effort, 100) }),
    ...(role !== undefined && roleOf(role)),
    cause: causeOf(attempt, names, input),
    status: attempt.end === undefined ? "working" : resultOf(attempt.end).result,
    started_at: attempt.startedAt,
    ...(attempt.endedAt !== undefined && { ended_at: attempt.endedAt }),
    ...(attempt.end !== undefined && { outcome: resultOf(attempt.end) }),
    ...(cost !== undefined && { cost }),
    ...(attempt.agentSession !== undefined && { session: oneLine(attempt.agentSession, 500) }),
    ...(planned !== undefined && !isSame(setting, planned) && { setting }),
    ext: { "dev.loopwright.attempt": attempt.id },
  };
}

const KNOWN_ROLES = ["planner", "implementer", "reviewer", "tester", "referee", "worker"];

function roleOf(role: string): Pick<OcpAttempt, "role"> {
  const value = recordedRole(role);
  if (!KNOWN_ROLES.includes(value)) return {};
  return { role: { value, tier: "verified", evidence: "role of the workflow's piece" } };
}

function isSame(a: OcpSetting, b: OcpSetting): boolean {
  return a.harness === b.harness && a.model?.id === b.model?.id && a.effort === b.effort;
}

function causeOf(
  attempt: RecordedAttempt,
  names: AttemptNames,
  input: SessionRecordInput,
): OcpAttempt["cause"] & object {
  const { cause } = attempt;
  switch (cause.kind) {
    case "initial":
      return { type: "initial" };
    case "gate-failed": {
      const rejected = input.evaluations.findLast(
        ({ gate, round }) => gate === cause.gate && round < attempt.round,
      );
      const ref = rejected === undefined ? undefined : names.evaluations.get(rejected)?.id;
      return { type: "gate_failed", by: cause.gate, ...(ref !== undefined && { ref }) };
    }
    case "sent-back":
      return { type: "sent_back", by: cause.by };
    case "retry":
    case "resume": {
      const ref = names.attempts.get(cause.of)?.id;
      const type = cause.kind === "retry" ? "other" : "followup";
      return { type, reason: cause.kind, ...(ref !== undefined && { ref }) };
    }
    default:
      return assertNever(cause);
  }
}

/**
 * How an attempt's end reads in the record. The agent's word for `done` is only reported; every other end was
 * seen by the engine. A provider's limit is a cancellation, not a failure: it says nothing about the work.
 */
export function resultOf(end: AttemptEnd): OcpAttempt["outcome"] & object {
  switch (end.reason) {
    case "done":
      return { result: "done", evidence: "reported" };
    case "failed":
      return { result: "failed", evidence: "verified", reason: end.kind };
    case "timed-out":
    case "stalled":
      return { result: "failed", evidence: "verified", reason: end.reason };
    case "canceled":
      return { result: "canceled", evidence: "verified" };
    case "retry-later":
      return { result: "canceled", evidence: "verified", reason: "limit" };
    case "refused":
      return { result: "rejected", evidence: "verified", reason: "refused" };
    case "lost":
      return { result: "lost", evidence: "verified" };
    default:
      return assertNever(end);
  }
}

const GATE_RESULTS = { pass: "done", fail: "failed", uncheckable: "settled_unverified" } as const;

function gateAttempt(
  evaluation: RecordedEvaluation,
  input: SessionRecordInput,
  names: AttemptNames,
): OcpAttempt {
  const { id, n } = names.evaluations.get(evaluation) ?? { id: evaluation.gate, n: 1 };
  const result = GATE_RESULTS[evaluation.verdict];
  const judged = input.attempts.findLast(
    ({ tree, startedAt }) => tree === evaluation.tree && startedAt <= evaluation.at,
  );
  const ref = judged === undefined ? undefined : names.attempts.get(judged.id)?.id;
  const receipt = receiptOf(evaluation);
  return {
    id,
    node: evaluation.gate,
    ...(isVertex(input, evaluation.gate) && { vertex: evaluation.gate }),
    n,
    round: evaluation.round,
    harness: "command",
    role: { value: "tester", tier: "verified", evidence: "role of the workflow's piece" },
    cause: ref === undefined ? { type: "initial" } : { type: "followup", ref },
    status: result,
    started_at: evaluation.startedAt,
    ended_at: evaluation.at,
    outcome: { result, evidence: "verified", ...(receipt !== "" && { receipt }) },
  };
}

/** `unit: exit 1, lint: exit 0`. */
function receiptOf(evaluation: RecordedEvaluation): string {
  const exits = evaluation.checks.flatMap(({ name, exitCode }) =>
    exitCode === undefined ? [] : [`${oneLine(name, 60)}: exit ${exitCode}`],
  );
  return exits.length === 0 ? "" : oneLine(exits.join(", "), 500);
}
