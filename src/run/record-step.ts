import { parseId, type RunId, type SessionId } from "../core/ids.ts";
import { InvariantError } from "../core/result.ts";
import type { ProviderSpec } from "../ports/provider.ts";
import type { RecordedAttempt, RecordedCause, RecordedSpend, SessionRecordInput } from "../record/index.ts";
import { recordedEvaluation, sessionDocument, storeSessionRun } from "../record/index.ts";
import type { RunPorts } from "./ports.ts";
import type { SessionRun } from "./session-run.ts";
import type { AttemptState, SessionState } from "./state.ts";

/** Writes the run document of a closed session; a resume rewrites the same one. */
export async function writeRecord(run: SessionRun): Promise<void> {
  const document = sessionDocument(recordInput(run.ports, run.session, run.state));
  const stored = await storeSessionRun(run.ports.store, document);
  if (!stored.ok) return;
  const { text } = stored.value;
  const blob = await run.ports.store.putBlob(text);
  if (!blob.ok) return;
  if (run.state.record?.document !== blob.value) {
    await run.chain.commit(() => ({
      events: [{ type: "record:written", data: { run: document.run.id, document: blob.value } }],
    }));
  }
  await run.ports.files.writeEvidence(run.state.spec.topLevel, `${run.session}/run.ocp.json`, text);
}

/** One session is one run: the id follows from the session's. */
export function runIdOf(session: SessionId): RunId {
  const id = parseId("run", session.replace(/^ses_/, "run_"));
  if (id === undefined) throw new InvariantError(`${session} is no session id`);
  return id;
}

function recordInput(
  ports: Pick<RunPorts, "version" | "prices" | "clock">,
  session: SessionId,
  state: SessionState,
): SessionRecordInput {
  const { spec, limits } = state;
  const agents = spec.pieces.filter((piece) => piece.kind === "agent");
  const gates = spec.pieces.filter((piece) => piece.kind === "gate");
  return {
    producerVersion: ports.version,
    emittedAt: new Date(ports.clock.now()).toISOString(),
    session,
    run: runIdOf(session),
    title: spec.title,
    startedAt: state.createdAt,
    endedAt: state.updatedAt,
    state: state.outcome ?? state.lifecycle,
    ...(state.stopped === undefined ? {} : { stopReason: state.stopped.why }),
    workspace: spec.topLevel,
    task: {
      id: `tsk_${session.slice(4)}`,
      repo: spec.topLevel.split(/[/\\]/).at(-1) ?? spec.topLevel,
      ...(state.facts?.head == null ? {} : { baseCommit: state.facts.head }),
    },
    choice: { by: "user" },
    shape: spec.kind === "go" ? "implement_check" : "loop",
    pieces: agents.map((piece) => ({
      id: piece.id,
      role: piece.role,
      dependsOn: piece.dependsOn,
      setting: settingOf(spec.providers.find((provider) => provider.id === piece.provider)),
    })),
    gates: gates.map((gate) => ({
      id: gate.id,
      commands: spec.commands.map((command) => command.text),
      judges: gate.dependsOn,
      ...(gate.onFail.sendBack.length === 1 ? { sendsBackTo: gate.onFail.sendBack[0] ?? "" } : {}),
    })),
    rounds: limits.maxIterations,
    attempts: state.attempts.map((attempt, index) => recordedAttempt(ports, state, attempt, index)),
    evaluations: state.gates.map((gate) =>
      recordedEvaluation(gate.result, {
        gate: gate.piece,
        round: gate.iteration,
        startedAt: gate.startedAt,
        at: gate.at,
        threat: "same-user",
      }),
    ),
    commits: commitsOf(state),
    limits: { ...limits },
    receipt: { predicted: null, actual: { attempts: state.attempts.length, iterations: state.iteration } },
  };
}

function settingOf(spec: ProviderSpec | undefined): RecordedAttempt["setting"] {
  if (spec === undefined) throw new InvariantError("a piece names an unknown provider");
  return {
    harness: spec.kind,
    ...(spec.model === undefined ? {} : { model: spec.model }),
    ...("effort" in spec && spec.effort !== undefined ? { effort: spec.effort } : {}),
  };
}

function recordedAttempt(
  ports: Pick<RunPorts, "prices">,
  state: SessionState,
  attempt: AttemptState,
  index: number,
): RecordedAttempt {
  const { ended } = attempt;
  const changed = ended?.after !== undefined && ended.after !== null && ended.after !== attempt.before;
  return {
    id: attempt.id,
    piece: attempt.piece,
    round: attempt.iteration,
    setting: settingOf(state.spec.providers.find((provider) => provider.id === attempt.provider)),
    ...(ended?.model == null ? {} : { observedModel: ended.model }),
    cause: causeOf(state, attempt, index),
    startedAt: attempt.startedAt ?? attempt.dispatchedAt,
    ...(attempt.endedAt === undefined || ended === undefined
      ? {}
      : { endedAt: attempt.endedAt, end: ended.end }),
    spend: spendOf(ports, attempt),
    ...(ended?.agentSession == null ? {} : { agentSession: ended.agentSession }),
    ...(changed ? { tree: ended.after ?? "" } : {}),
  };
}

function causeOf(state: SessionState, attempt: AttemptState, index: number): RecordedCause {
  const previous = state.attempts.slice(0, index).findLast((other) => other.piece === attempt.piece);
  if (previous === undefined) return { kind: "initial" };
  if (previous.iteration < attempt.iteration) {
    const gate = state.gates.findLast((candidate) => candidate.iteration === previous.iteration);
    return gate === undefined
      ? { kind: "resume", of: previous.id }
      : { kind: "gate-failed", gate: gate.piece };
  }
  return previous.ended?.end.reason === "lost" || previous.ended?.end.reason === "canceled"
    ? { kind: "resume", of: previous.id }
    : { kind: "retry", of: previous.id };
}

function spendOf(ports: Pick<RunPorts, "prices">, attempt: AttemptState): RecordedSpend {
  const { ended } = attempt;
  if (ended === undefined) return { kind: "unknown", why: "the attempt has not ended" };
  if (ended.usage.kind === "unknown") return { kind: "unknown", why: ended.usage.why };
  return {
    kind: "known",
    provenance: ended.usage.provenance,
    models: ended.priced,
    isSplit: false,
    tariff: ports.prices.table,
  };
}

function commitsOf(state: SessionState): SessionRecordInput["commits"] {
  const last = state.attempts.at(-1);
  if (state.delivered === undefined || last === undefined) return [];
  return [{ commit: state.delivered.commit, attempt: last.id, at: state.updatedAt }];
}
