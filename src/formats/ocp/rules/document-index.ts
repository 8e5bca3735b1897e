import { dig, type Entity, entities, textAt } from "../members.ts";

/** The entities of a document by kind and id, read once. Of equal ids the first counts. */
export interface DocumentIndex {
  readonly groups: readonly Entity[];
  readonly nodes: readonly Entity[];
  readonly edges: readonly Entity[];
  readonly attempts: readonly Entity[];
  readonly artifacts: readonly Entity[];
  readonly events: readonly Entity[];
  readonly groupIds: ReadonlySet<string>;
  readonly nodeIds: ReadonlySet<string>;
  readonly attemptsById: ReadonlyMap<string, Entity>;
  readonly artifactsById: ReadonlyMap<string, Entity>;
  /** `launchKey` of every launch edge. */
  readonly launches: ReadonlySet<string>;
}

export function indexDocument(document: unknown): DocumentIndex {
  const read = (name: string) => entities(dig(document, name), [name]);
  const groups = read("groups");
  const nodes = read("nodes");
  const edges = read("edges");
  const attempts = read("attempts");
  const artifacts = read("artifacts");
  return {
    groups,
    nodes,
    edges,
    attempts,
    artifacts,
    events: read("events"),
    groupIds: new Set(byId(groups).keys()),
    nodeIds: new Set(byId(nodes).keys()),
    attemptsById: byId(attempts),
    artifactsById: byId(artifacts),
    launches: new Set(
      edges
        .filter((edge) => edgeKind(edge) === "launch")
        .map(({ value }) => launchKey(dig(value, "from"), dig(value, "to"))),
    ),
  };
}

function byId(list: readonly Entity[]): Map<string, Entity> {
  const found = new Map<string, Entity>();
  for (const entity of list) {
    if (entity.id !== undefined && !found.has(entity.id)) found.set(entity.id, entity);
  }
  return found;
}

/** The kind of an edge; one without is a dependency. */
export function edgeKind(edge: Entity): string | undefined {
  return "kind" in edge.value ? textAt(edge.value, "kind") : "dep";
}

export function launchKey(from: unknown, to: unknown): string {
  return JSON.stringify([from, to]);
}
