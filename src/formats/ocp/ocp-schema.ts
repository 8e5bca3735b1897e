/** The structure of a run document as JSON Schema, for each version. Rules across members are in `rules/`. */
import { run03Definitions, setting } from "./ocp-schema-run.ts";
import type { Schema } from "./schema.ts";
import { bool, count, list, nullable, object, ref, text, tokens } from "./schema-words.ts";
import type { OcpVersion } from "./types.ts";
import { vocabulary } from "./vocabulary.ts";

const MADE = new Map<OcpVersion, Schema>();

/** The schema that the member `ocp` selects. Made once: thousands of documents are checked in one go. */
export function ocpSchema(version: OcpVersion): Schema {
  const known = MADE.get(version);
  if (known !== undefined) return known;
  const schema = makeSchema(version);
  MADE.set(version, schema);
  return schema;
}

function makeSchema(version: OcpVersion): Schema {
  const since02 = version !== "0.1";
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: `urn:ocp:run:${version}`,
    title: `OCP ${version} run document`,
    ...object(["ocp", "producer", "privacy", "run", "nodes"], {
      ocp: { const: version },
      producer: ref("producer"),
      privacy: ref("privacy"),
      run: ref("run"),
      groups: list(ref("group")),
      nodes: list(ref("node")),
      edges: list(ref("edge")),
      attempts: list(ref("attempt")),
      ...(since02 && { artifacts: list(ref("artifact")) }),
      events: list(ref("event")),
    }),
    $defs: {
      ...baseDefinitions(version),
      ...attemptDefinitions(version),
      ...(since02 && tracedDefinitions(version)),
      ...(version === "0.3" && run03Definitions()),
    },
  };
}

const TIMESTAMP = "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:\\d{2})$";
const CAPABILITIES_02 = [
  "groups",
  "events",
  "artifacts",
  "edges_dep",
  "edges_spawn",
  "edges_launch",
  "edges_artifact",
  "cost_usd",
  "cost_tokens",
  "outcome_evidence",
];
const CAPABILITIES_03 = ["task", "configuration", "signals", "slate", "receipt"];
const STATES = "queued working review blocked done failed rejected canceled settled_unverified".split(" ");
const TERMINAL = ["done", "failed", "rejected", "canceled", "settled_unverified", "lost"];

function baseDefinitions(version: OcpVersion): Record<string, Schema> {
  const since02 = version !== "0.1";
  const since03 = version === "0.3";
  const capabilities = [...CAPABILITIES_02, ...(since03 ? CAPABILITIES_03 : [])];
  return {
    timestamp: { type: "string", pattern: TIMESTAMP },
    shortText: text(500),
    id: { type: "string", minLength: 1, maxLength: 200 },
    labels: { type: "object", additionalProperties: text(500) },
    ext: { type: "object" },
    evidenceTier: { enum: ["verified", "heuristic", "reported"] },
    outcomeTier: { enum: ["verified", "reported", "heuristic", "asserted"] },
    producer: object(["name"], {
      name: text(200),
      version: text(100),
      framework: text(200),
      framework_version: text(100),
      source_contract: text(200),
      emitted_at: ref("timestamp"),
      ...(since02 && {
        capabilities: {
          type: "object",
          properties: Object.fromEntries(capabilities.map((name) => [name, bool])),
          additionalProperties: bool,
        },
      }),
    }),
    privacy: object(["profile"], {
      profile: { enum: ["metadata_only", "full"] },
      note: ref("shortText"),
    }),
    group: object(["id"], { id: ref("id"), title: ref("shortText"), parent: text(200) }),
    run: object(["id"], {
      id: ref("id"),
      title: ref("shortText"),
      started_at: ref("timestamp"),
      ended_at: ref("timestamp"),
      workspace: text(500),
      labels: ref("labels"),
      ...(since03 && {
        task: ref("task"),
        configuration: ref("configuration"),
        provenance: ref("provenance"),
        acceptance_rule: ref("acceptanceRule"),
        signals: list(ref("signal")),
        slate: ref("slate"),
        preferences: list(ref("preference")),
        rescue: ref("runRescue"),
        receipt: ref("receipt"),
      }),
    }),
    node: object(["id", "kind"], {
      id: ref("id"),
      kind: text(100, vocabulary("node.kind", version)),
      title: ref("shortText"),
      group: text(200),
      state: text(100, STATES),
      labels: ref("labels"),
      ...(since03 && { vertex: text(200), gate: ref("gate") }),
    }),
    edge: edge(since02),
    event: object(["at", "type"], {
      at: ref("timestamp"),
      type: text(100, vocabulary("event.type", version)),
      node: text(200),
      attempt: text(200),
      actor: text(200),
      detail: ref("shortText"),
    }),
  };
}

function edge(since02: boolean): Schema {
  if (!since02) {
    const kind: Schema = { enum: ["dep", "fan_in", "spawn"], default: "dep" };
    return object(["from", "to"], { from: text(200), to: text(200), kind });
  }
  const kinds = vocabulary("edge.kind", "0.3");
  return {
    ...object(["from", "to", "tier"], {
      from: text(200),
      to: text(200),
      kind: { type: "string", default: "dep", "x-recommended": kinds },
      tier: ref("evidenceTier"),
      artifact: text(200),
      from_attempt: text(200),
      to_attempt: text(200),
      evidence: ref("shortText"),
    }),
    if: { properties: { kind: { const: "artifact" } }, required: ["kind"] },
    // biome-ignore lint/suspicious/noThenProperty: it is JSON Schema's own keyword.
    then: { required: ["artifact", "from_attempt", "to_attempt"] },
  };
}

function attemptDefinitions(version: OcpVersion): Record<string, Schema> {
  const since02 = version !== "0.1";
  const since03 = version === "0.3";
  return {
    modelRef: object([], {
      raw: text(200),
      id: text(200),
      family: text(100),
      provider: text(100),
      ...(since02 && { tier: ref("evidenceTier") }),
    }),
    cost: object([], {
      input_tokens: tokens,
      cached_input_tokens: tokens,
      cache_creation_tokens: tokens,
      ...(since02 && { cache_creation_5m_tokens: tokens, cache_creation_1h_tokens: tokens }),
      output_tokens: tokens,
      reasoning_tokens: tokens,
      requests: tokens,
      usd: { type: "number", minimum: 0 },
      basis: word(vocabulary("cost.basis", version), since02),
      ...(since03 && { tariff: object([], { id: text(200), date: text(40), source: text(500) }) }),
    }),
    cause: object(["type"], {
      type: word(vocabulary("cause.type", version), since02),
      ref: text(200),
      by: text(200),
      reason: ref("shortText"),
    }),
    outcome: object(["result"], {
      result: { enum: TERMINAL },
      evidence: word(vocabulary("outcome.evidence", version), since02),
      via: text(200),
      receipt: ref("shortText"),
      reason: ref("shortText"),
    }),
    attempt: object(["id", "node", "status"], {
      id: ref("id"),
      node: text(200),
      n: count(1),
      actor: text(200),
      ...(since02 && { harness: text(100) }),
      model: ref("modelRef"),
      effort: text(100),
      cause: ref("cause"),
      ...(since02 && { origin: ref("origin"), role: ref("role"), phase: ref("phase") }),
      status: { enum: ["queued", "working", ...TERMINAL] },
      started_at: ref("timestamp"),
      ended_at: ref("timestamp"),
      outcome: ref("outcome"),
      cost: ref("cost"),
      session: text(500),
      labels: ref("labels"),
      ...(since03 && { vertex: text(200), round: count(1), setting: ref("setting"), cwd: text(1000) }),
    }),
    ...(since03 && { setting: setting() }),
  };
}

/** Closed in 0.1, open later. */
function word(words: readonly string[], isOpen: boolean): Schema {
  return isOpen ? { type: "string", "x-recommended": words } : { enum: words };
}

function labeled(words: readonly string[]): Schema {
  return object(["value", "tier", "evidence"], {
    value: { ...nullable("string", 100), "x-recommended": words },
    tier: ref("evidenceTier"),
    evidence: { anyOf: [ref("shortText"), { type: "null" }] },
  });
}

function tracedDefinitions(version: OcpVersion): Record<string, Schema> {
  const since03 = version === "0.3";
  const transfer = object([], { input: tokens, cache_read: tokens }, false);
  return {
    origin: {
      ...object(["launched_by", "workspace", "external", "how", "tier"], {
        launched_by: nullable("string", 200),
        workspace: nullable("string", 500),
        external: { type: ["boolean", "null"] },
        how: { anyOf: [ref("shortText"), { type: "null" }] },
        tier: ref("evidenceTier"),
        evidence: ref("shortText"),
      }),
      if: { properties: { external: { const: true } }, required: ["external"] },
      // biome-ignore lint/suspicious/noThenProperty: it is JSON Schema's own keyword.
      then: { properties: { launched_by: { type: "null" } } },
    },
    role: labeled(vocabulary("role.value", version)),
    phase: labeled(vocabulary("phase.value", version)),
    artifact: object(
      ["id", "path", "kind", "producer", "writers", "consumers", "first_write_at", "n_writes", "n_reads"],
      {
        id: ref("id"),
        path: { type: "string", minLength: 1, maxLength: 1000 },
        kind: object(["value", "tier"], {
          value: { ...nullable("string", 100), "x-recommended": vocabulary("artifact.kind", version) },
          tier: ref("evidenceTier"),
          evidence: ref("shortText"),
        }),
        producer: text(200),
        writers: { ...list(text(200)), minItems: 1, uniqueItems: true },
        consumers: { ...list(text(200)), uniqueItems: true },
        first_write_at: { anyOf: [ref("timestamp"), { type: "null" }] },
        n_writes: { type: ["integer", "null"], minimum: 1 },
        n_reads: { type: ["integer", "null"], minimum: 0 },
        labels: ref("labels"),
        ...(since03 && {
          vertex: text(200),
          version: count(1),
          supersedes: text(200),
          transfer_tokens: { type: "object", additionalProperties: transfer },
        }),
      },
    ),
  };
}
