import { InvariantError } from "../core/result.ts";
import type { OcpAttempt, OcpDocument, OcpNode, OcpProducer, OcpRun } from "../formats/ocp/index.ts";
import { recordedArtifacts, recordedEdges } from "./artifacts.ts";
import { nameAttempts, recordedAttempts } from "./attempts.ts";
import { isVertex, recordedConfiguration, recordedRole } from "./configuration.ts";
import { oneLine, titleOf } from "./labels.ts";
import { nodeKind } from "./node-kind.ts";
import { outcomeOf, spendOf } from "./run-row.ts";
import type { SessionRecordInput } from "./session-record.ts";
import { recordedEvents, recordedSignals } from "./signals.ts";

/**
 * The run document of a session: what was asked, what ran with which settings, every try with its cost, and
 * how the gate judged it. Holds structure, models, tokens, dollars, paths and verdicts, never text of a
 * conversation. The same input gives the same document, so a resumed session rewrites its own.
 *
 * @throws InvariantError when the input names a piece that it does not list.
 */
export function sessionDocument(input: SessionRecordInput): OcpDocument {
  checkNames(input);
  const names = nameAttempts(input);
  const { configuration, outputs } = recordedConfiguration(input);
  const attempts = recordedAttempts(input, names, configuration.settings ?? {});
  const artifacts = recordedArtifacts(input, names, outputs);
  const signals = recordedSignals(input, names);
  const draft: OcpDocument = {
    ocp: "0.3",
    producer: producerOf(input),
    privacy: { profile: "metadata_only" },
    run: {
      id: input.run,
      title: titleOf(input.title),
      started_at: input.startedAt,
      ...(input.endedAt !== undefined && { ended_at: input.endedAt }),
      workspace: oneLine(input.workspace, 500),
      task: taskOf(input),
      configuration,
      provenance: provenanceOf(input),
      acceptance_rule: {
        name: "gate",
        definition: "every blocking check of the gate passes on the final tree",
        requires: ["gate"],
      },
      signals,
      ext: extensionOf(input),
    },
    nodes: nodesOf(input, attempts),
    edges: recordedEdges(input, names, artifacts),
    attempts,
    artifacts,
  };
  const summary = `${outcomeOf(draft)}; ${input.attempts.length} attempts, ${spendOf(draft).text}`;
  return { ...draft, events: recordedEvents(input, names, signals, summary) };
}

function checkNames(input: SessionRecordInput): void {
  const pieces = new Set(input.pieces.map(({ id }) => id));
  const gates = new Set(input.gates.map(({ id }) => id));
  const refuse = (name: string | undefined, what: string): void => {
    if (name !== undefined) throw new InvariantError(`the record ${what} '${name}'`);
  };
  const named = [
    ...input.pieces.flatMap(({ dependsOn }) => dependsOn),
    ...input.gates.flatMap(({ judges, sendsBackTo = judges[0] }) => [...judges, sendsBackTo]),
  ];
  refuse(
    named.find((name) => name !== undefined && !pieces.has(name) && !gates.has(name)),
    "lists nothing named",
  );
  refuse(input.attempts.find(({ piece }) => !pieces.has(piece))?.piece, "names no piece");
  refuse(input.evaluations.find(({ gate }) => !gates.has(gate))?.gate, "names no gate");
  refuse(
    [...gates].find((gate) => pieces.has(gate)),
    "has a piece and a gate named",
  );
}

function producerOf(input: SessionRecordInput): OcpProducer {
  return {
    name: "loopwright",
    version: input.producerVersion,
    framework: "loopwright",
    emitted_at: input.emittedAt,
    capabilities: {
      groups: false,
      events: true,
      artifacts: true,
      edges_dep: true,
      edges_spawn: false,
      edges_launch: false,
      edges_artifact: true,
      cost_usd: true,
      cost_tokens: true,
      outcome_evidence: true,
      task: true,
      configuration: true,
      signals: true,
      slate: false,
      receipt: false,
    },
  };
}

function taskOf({ task, title }: SessionRecordInput): OcpRun["task"] & object {
  return {
    id: oneLine(task.id, 200),
    title: titleOf(title),
    ...(task.type !== undefined && { type: task.type }),
    ...(task.subtype !== undefined && { subtype: oneLine(task.subtype, 500) }),
    ...(task.repo !== undefined && { repo: oneLine(task.repo, 500) }),
    ...(task.org !== undefined && { org: oneLine(task.org, 200) }),
    ...(task.features !== undefined && { features: task.features }),
    ...(task.baseCommit !== undefined && { base_commit: oneLine(task.baseCommit, 200) }),
    source: { kind: "live" },
    ...(task.labeledBy !== undefined && {
      labeled_by: { how: task.labeledBy, tier: task.labeledBy === "user" ? "reported" : "heuristic" },
    }),
  };
}

function provenanceOf({ choice }: SessionRecordInput): OcpRun["provenance"] & object {
  return { kind: choice.by === "habit" ? "logged" : "designed", chooser: choice.by };
}

function extensionOf(input: SessionRecordInput): OcpRun["ext"] & object {
  return {
    "dev.loopwright.session": {
      id: input.session,
      state: oneLine(input.state, 100),
      ...(input.stopReason !== undefined && { stop_reason: oneLine(input.stopReason, 100) }),
    },
    ...(input.limits !== undefined && { "dev.loopwright.limits": input.limits }),
    ...input.followed,
  };
}

function nodesOf(input: SessionRecordInput, attempts: readonly OcpAttempt[]): readonly OcpNode[] {
  const stateOf = (piece: string): string => {
    const state = attempts.findLast(({ node }) => node === piece)?.status ?? "queued";
    // A node cannot be lost, only an attempt at it.
    return state === "lost" ? "failed" : state;
  };
  const pieces = input.pieces.map(({ id, role }) => ({
    id,
    kind: nodeKind(recordedRole(role)),
    state: stateOf(id),
    vertex: id,
  }));
  const gates = input.gates.map(({ id, commands }) => ({
    id,
    kind: "gate",
    state: stateOf(id),
    ...(isVertex(input, id) && { vertex: id }),
    gate: {
      rule: "ci",
      ...(commands.length > 0 && { command: [...commands.join(" && ")].slice(0, 1000).join("") }),
    },
  }));
  return [...pieces, ...gates];
}
