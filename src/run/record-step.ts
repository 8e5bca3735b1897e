import { parseId, type RunId, type SessionId } from "../core/ids.ts";
import { InvariantError } from "../core/result.ts";
import type { ProviderSpec } from "../ports/provider.ts";
import type {
  RecordedAttempt,
  RecordedCause,
  RecordedReview,
  RecordedSpend,
  SessionRecordInput,
} from "../record/index.ts";
import { recordedEvaluation, sessionDocument, storeSessionRun, withHarness } from "../record/index.ts";
import { evidenceFolder, evidenceText } from "./evidence.ts";
import type { RunPorts } from "./ports.ts";
import { isYes } from "./ruling.ts";
import type { SessionRun } from "./session-run.ts";
import type { SessionSpec } from "./spec.ts";
import type { AttemptState, SessionState, VerdictRecord } from "./state.ts";

/** Writes the run document of a closed session; a resume rewrites the same one. */
export async function writeRecord(run: SessionRun): Promise<void> {
  const plain = sessionDocument(recordInput(run.ports, run.session, run.state));
  const document = withHarness(plain, run.state.spec.harness);
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
  await writeCopies(run, text);
}

/** Readable copies beside the work; failing to write them costs nothing but the copies. */
async function writeCopies(run: SessionRun, document: string): Promise<void> {
  const { spec } = run.state;
  const summary = await run.ports.store.session(run.session);
  const folder = evidenceFolder((summary.ok ? summary.value?.number : undefined) ?? 0, spec.title);
  await run.ports.files.writeEvidence(spec.topLevel, `${folder}/run.ocp.json`, document);
  await run.ports.files.writeEvidence(
    spec.topLevel,
    `${folder}/README.md`,
    evidenceText(run.session, run.state),
  );
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
  const { followed } = spec;
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
      ...spec.task,
    },
    choice:
      followed === undefined
        ? { by: "user" }
        : { by: "planner", recommendation: followed.recommendation, pick: followed.pick },
    ...(followed !== undefined && { followed: followed.ext }),
    shape: spec.kind === "go" ? "implement_check" : "loop",
    ...(spec.configuration === undefined ? {} : { configuration: spec.configuration }),
    pieces: recordedPieces(spec),
    gates: gates.map((gate) => ({
      id: gate.id,
      commands: spec.commands.map((command) => command.text),
      judges: vertexes(spec, gate.dependsOn),
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
        threat: gate.threat,
      }),
    ),
    reviews: state.verdicts.map((verdict) => reviewOf(state, verdict)),
    commits: commitsOf(state),
    limits: { ...limits },
  };
}

/** Copies of one piece are that piece. */
function recordedPieces(spec: SessionSpec): SessionRecordInput["pieces"] {
  const agents = spec.pieces.filter((piece) => piece.kind === "agent");
  return agents
    .filter(({ copy }) => copy === undefined || copy.index === 1)
    .map((piece) => ({
      id: piece.copy?.of ?? piece.id,
      role: piece.role,
      dependsOn: vertexes(spec, piece.dependsOn),
      setting: settingOf(spec.providers.find((provider) => provider.id === piece.provider)),
    }));
}

/** Names in the record: of a copy the piece that it copies, of a verdict the piece that gave it. */
function vertexes(spec: SessionSpec, ids: readonly string[]): readonly string[] {
  const names = ids.flatMap((id) => {
    const piece = spec.pieces.find((candidate) => candidate.id === id);
    return piece?.kind === "verdict" ? vertexes(spec, [piece.of]) : [vertexOf(spec, id)];
  });
  return [...new Set(names)];
}

function vertexOf(spec: SessionSpec, id: string): string {
  const piece = spec.pieces.find((candidate) => candidate.id === id);
  return (piece?.kind === "agent" ? piece.copy?.of : undefined) ?? id;
}

/** A review is about the work that it read, a pick about the work that it picked. */
function reviewOf(state: SessionState, { attempt, at, ruling }: VerdictRecord): RecordedReview {
  const reader = state.attempts.find((candidate) => candidate.id === attempt);
  const judged = state.attempts.findLast(
    ({ before, ended }) => ended?.after === reader?.before && ended?.after !== before,
  );
  const kind = ruling.said === "pick" ? "referee" : "review";
  const about = ruling.said === "pick" ? ruling.pick : judged?.id;
  const values = { pass: "accept", pick: "accept", fail: "reject", void: "error" } as const;
  return {
    kind,
    piece: reader === undefined ? kind : vertexOf(state.spec, reader.piece),
    ...(about === undefined ? {} : { attempt: about }),
    value: values[ruling.said],
    at,
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
    piece: vertexOf(state.spec, attempt.piece),
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
    return sentBack(state, previous.iteration) ?? { kind: "resume", of: previous.id };
  }
  return previous.ended?.end.reason === "lost" || previous.ended?.end.reason === "canceled"
    ? { kind: "resume", of: previous.id }
    : { kind: "retry", of: previous.id };
}

/** What said no in a round, which is what began the next one. */
function sentBack(state: SessionState, iteration: number): RecordedCause | undefined {
  const verdict = state.verdicts.findLast((one) => one.iteration === iteration && !isYes(one.ruling));
  const reviewer = state.attempts.find((candidate) => candidate.id === verdict?.attempt);
  if (reviewer !== undefined) return { kind: "sent-back", by: vertexOf(state.spec, reviewer.piece) };
  const gate = state.gates.findLast((candidate) => candidate.iteration === iteration);
  return gate === undefined ? undefined : { kind: "gate-failed", gate: gate.piece };
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
