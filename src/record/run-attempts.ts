import { fail, ok, type Result } from "../core/result.ts";
import type { Instant } from "../core/time.ts";
import type { OcpArtifact, OcpAttempt, OcpDocument, TerminalStatus } from "../formats/ocp/index.ts";
import { inOrder } from "./keep-late.ts";
import { oneLine } from "./labels.ts";
import type { CAUSES } from "./words.ts";

/** A try that begins. */
export interface NewAttempt {
  readonly piece: string;
  readonly harness?: string;
  readonly model?: string;
  readonly effort?: string;
  readonly cwd?: string;
  readonly session?: string;
  readonly round: number;
  readonly cause: (typeof CAUSES)[number];
  readonly startedAt: Instant;
  /** Not as anybody said, but as a rule found it out. */
  readonly isGuess?: true;
}

/** What is added to a document, and the name it got there. */
export interface Added {
  readonly document: OcpDocument;
  readonly id: string;
}

/** Refuses to add to a run that is over. */
export function whileOpen(document: OcpDocument): Result<OcpDocument> {
  if (document.run.ended_at === undefined) return ok(document);
  return fail("run-finished", `run ${document.run.id} is finished`, {
    hint: "only outcomes may still be added: `loopwright outcome`",
  });
}

/**
 * One more try of a piece. What is not said is taken from the piece's setting. Problems: `unknown-piece`, `bad-order`
 * when it would start before its run.
 */
export function withAttempt(document: OcpDocument, attempt: NewAttempt): Result<Added> {
  const { piece, startedAt, cwd, session } = attempt;
  const node = document.nodes.find(({ id }) => id === piece);
  if (node === undefined) {
    const known = document.nodes.map(({ id }) => id).join(", ");
    return fail("unknown-piece", `run ${document.run.id} has no piece ${piece}; it has ${known}`);
  }
  if (Date.parse(startedAt) < Date.parse(document.run.started_at ?? startedAt))
    return fail(
      "bad-order",
      `the attempt starts at ${startedAt}, before its run at ${document.run.started_at}`,
    );
  const setting = document.run.configuration?.settings?.[piece];
  const attempts = document.attempts ?? [];
  const n = attempts.filter((one) => one.node === piece).length + 1;
  const id = `${piece}.a${n}`;
  const model = attempt.model ?? setting?.model?.id ?? setting?.model?.raw;
  const harness = attempt.harness ?? setting?.harness;
  const effort = attempt.effort ?? setting?.effort;
  const before = attempts.filter((one) => one.node === piece).at(-1);
  const added: OcpAttempt = {
    id,
    node: piece,
    vertex: piece,
    n,
    round: attempt.round,
    ...(harness !== undefined && { harness }),
    ...(model !== undefined && {
      model: { raw: model, id: model, tier: attempt.isGuess === true ? "heuristic" : "reported" },
    }),
    ...(effort !== undefined && { effort }),
    cause: {
      type: attempt.cause,
      ...(before !== undefined && attempt.cause !== "initial" && { ref: before.id }),
    },
    status: "working",
    started_at: startedAt,
    ...(session !== undefined && { session: oneLine(session, 500) }),
    ...(cwd !== undefined && { cwd: oneLine(cwd, 1000) }),
  };
  const nodes = document.nodes.map((one) => (one.id === piece ? { ...one, state: "working" } : one));
  const events = inOrder([
    ...(document.events ?? []),
    { at: startedAt, type: "attempt_started", node: piece, attempt: id },
  ]);
  return ok({ document: { ...document, nodes, attempts: [...attempts, added], events }, id });
}

/** A try that is over. Problems: `no-such-attempt`, `bad-order` when it would end before it began, `run-finished`. */
export function settleAttempt(
  document: OcpDocument,
  id: string,
  result: TerminalStatus,
  endedAt: Instant,
): Result<OcpDocument> {
  const attempt = (document.attempts ?? []).find((one) => one.id === id);
  if (attempt === undefined) return fail("no-such-attempt", `run ${document.run.id} has no attempt ${id}`);
  if (attempt.outcome !== undefined)
    return fail("run-finished", `attempt ${id} ended already: ${attempt.outcome.result}`);
  if (Date.parse(endedAt) < Date.parse(attempt.started_at ?? endedAt))
    return fail(
      "bad-order",
      `attempt ${id} would end at ${endedAt}, before its start at ${attempt.started_at}`,
    );
  const evidence = result === "settled_unverified" ? "asserted" : "reported";
  const settled: OcpAttempt = {
    ...attempt,
    status: result,
    ended_at: endedAt,
    outcome: { result, evidence },
  };
  // A node cannot be lost, only an attempt at it.
  const state = result === "lost" ? "failed" : result;
  return ok({
    ...document,
    nodes: document.nodes.map((one) => (one.id === attempt.node ? { ...one, state } : one)),
    attempts: (document.attempts ?? []).map((one) => (one.id === id ? settled : one)),
    events: inOrder([
      ...(document.events ?? []),
      { at: endedAt, type: "attempt_settled", node: attempt.node, attempt: id },
    ]),
  });
}

export interface NewArtifact {
  readonly kind: string;
  readonly path: string;
  readonly by: string;
  readonly readBy: readonly string[];
  readonly supersedes?: string;
  readonly at: Instant | null;
}

/** Something that an attempt wrote; a commit is found by its hash later. Problem: `no-such-attempt`. */
export function withArtifact(
  document: OcpDocument,
  artifact: NewArtifact,
): Result<Added & { readonly version: number }> {
  const { kind, path, by, readBy } = artifact;
  const attempts = document.attempts ?? [];
  const stranger = [by, ...readBy].find((id) => !attempts.some((one) => one.id === id));
  if (stranger !== undefined)
    return fail("no-such-attempt", `run ${document.run.id} has no attempt ${stranger}`);
  const known = document.artifacts ?? [];
  const superseded = known.find(({ id }) => id === artifact.supersedes);
  if (artifact.supersedes !== undefined && superseded === undefined)
    return fail("bad-input", `run ${document.run.id} has no artifact ${artifact.supersedes}`);
  const isCommit = kind === "commit" || kind === "merge";
  const name = isCommit ? `${kind}:${oneLine(path, 180)}` : (vertexOf(document, kind) ?? kind);
  const same = known.filter(({ id }) => id === name || id.startsWith(`${name}@v`));
  if (isCommit && same.length > 0) return ok({ document, id: name, version: 1 });
  const version = same.length + 1;
  const id = version === 1 ? name : `${name}@v${version}`;
  const previous = artifact.supersedes ?? same.at(-1)?.id;
  const added: OcpArtifact = {
    id,
    path: oneLine(path, 1000),
    kind: { value: kind, tier: "reported" },
    producer: by,
    writers: [by],
    consumers: [...new Set(readBy)],
    first_write_at: artifact.at,
    n_writes: null,
    n_reads: null,
    ...(!isCommit && vertexOf(document, kind) !== undefined && { vertex: name }),
    ...(!isCommit && { version }),
    ...(!isCommit && previous !== undefined && { supersedes: previous }),
  };
  return ok({ document: { ...document, artifacts: [...known, added] }, id, version });
}

/** The one artifact of the workflow that has this kind. */
function vertexOf({ run }: OcpDocument, kind: string): string | undefined {
  const workflow = run.configuration?.workflow;
  const all = workflow !== undefined && "artifacts" in workflow ? (workflow.artifacts ?? []) : [];
  const [only, ...others] = all.filter((one) => one.kind === kind);
  return others.length === 0 ? only?.id : undefined;
}
