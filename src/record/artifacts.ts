import type { OcpArtifact, OcpEdge } from "../formats/ocp/index.ts";
import type { AttemptNames } from "./attempts.ts";
import type { RecordedConfiguration } from "./configuration.ts";
import { oneLine } from "./labels.ts";
import type { RecordedAttempt, SessionRecordInput } from "./session-record.ts";

/** Every tree that an attempt left, as a version of its piece's output, and the commits made of them. */
export function recordedArtifacts(
  input: SessionRecordInput,
  names: AttemptNames,
  outputs: RecordedConfiguration["outputs"],
): readonly OcpArtifact[] {
  const latest = new Map<string, { readonly id: string; readonly version: number; readonly round: number }>();
  const trees: OcpArtifact[] = [];
  for (const attempt of input.attempts) {
    const output = outputs.get(attempt.piece);
    const producer = names.attempts.get(attempt.id)?.id;
    if (attempt.tree === undefined || output === undefined || producer === undefined) continue;
    const previous = latest.get(output.id);
    const version = (previous?.version ?? 0) + 1;
    const id = version === 1 ? output.id : `${output.id}@v${version}`;
    latest.set(output.id, { id, version, round: attempt.round });
    trees.push({
      id,
      path: `tree:${oneLine(attempt.tree, 900)}`,
      kind: { value: "diff", tier: "verified" },
      producer,
      writers: [producer],
      consumers: readersOf(attempt, input, names),
      first_write_at: attempt.endedAt ?? null,
      n_writes: 1,
      n_reads: null,
      vertex: output.id,
      version,
      // Copies of one round stand beside each other.
      ...(previous !== undefined && previous.round !== attempt.round && { supersedes: previous.id }),
    });
  }
  return [...trees, ...commitArtifacts(input, names)];
}

/** The gate evaluations that judged exactly what this attempt left. */
function readersOf(
  attempt: RecordedAttempt,
  input: SessionRecordInput,
  names: AttemptNames,
): readonly string[] {
  return input.evaluations.flatMap((evaluation) => {
    const writer = input.attempts.findLast(
      ({ tree, startedAt }) => tree === evaluation.tree && startedAt <= evaluation.at,
    );
    const reader = names.evaluations.get(evaluation)?.id;
    return writer === attempt && reader !== undefined ? [reader] : [];
  });
}

function commitArtifacts(input: SessionRecordInput, names: AttemptNames): readonly OcpArtifact[] {
  const seen = new Set<string>();
  return input.commits.flatMap(({ commit, attempt, at }) => {
    const producer = names.attempts.get(attempt)?.id;
    const id = `commit:${oneLine(commit, 100)}`;
    if (producer === undefined || seen.has(id)) return [];
    seen.add(id);
    return [
      {
        id,
        path: oneLine(commit, 100),
        kind: { value: "commit", tier: "verified" as const },
        producer,
        writers: [producer],
        consumers: [],
        first_write_at: at,
        n_writes: 1,
        n_reads: null,
      },
    ];
  });
}

/** What waits for what, what a gate accepts, and which tree each evaluation read. */
export function recordedEdges(
  input: SessionRecordInput,
  names: AttemptNames,
  artifacts: readonly OcpArtifact[],
): readonly OcpEdge[] {
  const pieceOf = new Map([
    ...input.attempts.map(({ id, piece }) => [names.attempts.get(id)?.id, piece] as const),
    ...input.evaluations.map((one) => [names.evaluations.get(one)?.id, one.gate] as const),
  ]);
  const waits = input.pieces.flatMap(({ id, dependsOn }) =>
    dependsOn.map((from) => ({ from, to: id, kind: "dep", tier: "reported" as const })),
  );
  const accepts = input.gates.flatMap(({ id, judges }) =>
    judges.map((from) => ({ from, to: id, kind: "fan_in", tier: "reported" as const })),
  );
  const reads = artifacts.flatMap(({ id, producer, consumers }) =>
    consumers.map((reader) => ({
      from: pieceOf.get(producer) ?? "",
      to: pieceOf.get(reader) ?? "",
      kind: "artifact",
      tier: "verified" as const,
      artifact: id,
      from_attempt: producer,
      to_attempt: reader,
    })),
  );
  return [...waits, ...accepts, ...reads];
}
