import type { JsonObject } from "../../core/canonical-json.ts";
import type { OcpAttempt, OcpDocument, OcpNode } from "./types.ts";

/**
 * A run document as a contract run file (version 3), for tools that read only those. Costs, artifacts, signals and edges
 * other than dependencies have no place in that format.
 */
export function ocpToContract({ producer, run, groups, nodes, edges, attempts }: OcpDocument): JsonObject {
  const depsOf = (id: string): readonly string[] =>
    (edges ?? [])
      .filter(({ to, kind }) => to === id && ["dep", "fan_in"].includes(kind ?? "dep"))
      .map(({ from }) => from);
  return {
    dagr: 3,
    ...(producer.emitted_at !== undefined && { generated_at: producer.emitted_at }),
    run: {
      id: run.id,
      ...(run.title !== undefined && { title: run.title }),
      ...(run.started_at !== undefined && { started_at: run.started_at }),
    },
    projects: (groups ?? []).map(({ id, title, parent }) => ({
      id,
      ...(title !== undefined && { title }),
      ...(parent !== undefined && { parent }),
    })),
    tasks: nodes.map((node) =>
      taskOf(
        node,
        depsOf(node.id),
        (attempts ?? []).filter((attempt) => attempt.node === node.id),
      ),
    ),
    events: [],
  };
}

function taskOf(node: OcpNode, deps: readonly string[], attempts: readonly OcpAttempt[]): JsonObject {
  return {
    id: node.id,
    kind: node.kind,
    ...(node.title !== undefined && { title: node.title }),
    ...(node.group !== undefined && { project: node.group }),
    ...(node.state !== undefined && { state: node.state }),
    deps,
    attempts: attempts.map(attemptOf),
  };
}

function attemptOf({
  id,
  n,
  actor,
  model,
  effort,
  status,
  started_at,
  ended_at,
  outcome,
}: OcpAttempt): JsonObject {
  const name = model?.raw ?? model?.id ?? model?.family;
  return {
    id,
    ...(n !== undefined && { n }),
    state: status,
    ...(actor !== undefined && { actor }),
    ...(name !== undefined && { model: effort === undefined ? name : `${name}\u00b7${effort}` }),
    ...(started_at !== undefined && { started_at }),
    ...(ended_at !== undefined && { ended_at }),
    ...(outcome !== undefined && {
      outcome: {
        result: outcome.result,
        ...(outcome.evidence !== undefined && { evidence: outcome.evidence }),
      },
    }),
  };
}
