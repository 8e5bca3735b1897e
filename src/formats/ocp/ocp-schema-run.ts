/** What version 0.3 adds to the run: task, configuration, acceptance, signals, slates, receipts. */

import type { Schema } from "./schema.ts";
import { bool, count, list, nullable, object, ref, text } from "./schema-words.ts";
import { vocabulary } from "./vocabulary.ts";

const SETTING_HARNESSES = ["claude-code", "codex", "command"];
const CONTEXT_POLICIES = ["fresh", "inherit", "summary", "default"];
const RESCUES = ["configuration", "person", "none"];
const PIECE_ROLES =
  "planner implementer reviewer tester referee worker plan implement review test integrate select research docs".split(
    " ",
  );
const WORKFLOW_ARTIFACTS = "issue repo plan spec diff review verdict test_record report other".split(" ");
const SIGNAL_NAMES =
  "tests referee pair_referee merge ci bench_score runtime_s quality issue incident revert hotfix".split(" ");
const SCALE: Schema = { enum: ["linear", "log", "fraction"] };
const BETTER: Schema = { enum: ["higher", "lower"] };
const NOT_NEGATIVE: Schema = { type: "number", minimum: 0 };
const NAMES = list(text(200));

export function run03Definitions(): Record<string, Schema> {
  return { ...taskDefinitions(), ...workflowDefinitions(), ...judgementDefinitions(), receipt: receipt() };
}

export function setting(): Schema {
  return object([], {
    harness: text(100, SETTING_HARNESSES),
    model: ref("modelRef"),
    effort: text(100),
    context_policy: text(100, CONTEXT_POLICIES),
    options: { type: "object" },
  });
}

function taskDefinitions(): Record<string, Schema> {
  const level = text(100, ["org", "type", "repo", "subtype"]);
  return {
    task: object(["id"], {
      id: ref("id"),
      title: ref("shortText"),
      type: text(100, vocabulary("task.type", "0.3")),
      subtype: text(500),
      repo: text(500),
      org: text(200),
      groups: list(object(["level", "id"], { level, id: text(500) }, false)),
      features: { type: "object", additionalProperties: { type: ["boolean", "number", "string"] } },
      base_commit: text(200),
      source: object(["kind"], {
        kind: text(100, ["live", "backlog", "benchmark", "history"]),
        ref: text(500),
      }),
      labeled_by: object(["how"], {
        how: text(100, ["orchestrator", "user", "labeler", "inferred"]),
        model: text(200),
        tier: ref("outcomeTier"),
      }),
    }),
    provenance: object(["kind"], {
      kind: { enum: ["logged", "designed"] },
      chooser: text(100, ["habit", "loopmath", "user", "planner"]),
    }),
  };
}

function workflowDefinitions(): Record<string, Schema> {
  const either: Schema = { anyOf: [ref("workflow"), ref("workflowRef")] };
  const end = text(200);
  return {
    workflowRef: object(["ref"], {
      ref: { type: "string", minLength: 1, maxLength: 200 },
      version: count(1),
    }),
    piece: object(["id"], {
      id: ref("id"),
      role: text(100, PIECE_ROLES),
      width: count(1),
      workflow: either,
    }),
    workflowArtifact: object(["id"], { id: ref("id"), kind: text(100, WORKFLOW_ARTIFACTS) }),
    rescue: object(["kind"], { kind: text(100, RESCUES), ref: text(200), cost_usd: NOT_NEGATIVE }),
    control: object([], {
      gates: { ...NAMES, uniqueItems: true },
      repair: { type: "object", additionalProperties: text(200) },
      budget: count(0),
      rescue: ref("rescue"),
    }),
    workflow: object(["pieces"], {
      id: text(200),
      version: count(1),
      title: ref("shortText"),
      pieces: { ...list(ref("piece")), minItems: 1 },
      artifacts: list(ref("workflowArtifact")),
      edges: list({ type: "array", prefixItems: [end, end], minItems: 2, maxItems: 2 }),
      control: ref("control"),
    }),
    configuration: object([], {
      id: { type: "string", pattern: "^cfg_[0-9a-f]{12}$" },
      workflow: either,
      settings: { type: "object", additionalProperties: ref("setting") },
      source: { enum: ["usual", "alternative", "exploration", "user_edit", "habit", "designed"] },
      rec: text(200),
    }),
    gate: object([], {
      rule: text(100, ["referee", "tests", "merge", "ci"]),
      disposition: object([], { rubric: text(500), severity_map: text(500), grammar: text(500) }),
      command: text(1000),
    }),
  };
}

function judgementDefinitions(): Record<string, Schema> {
  return {
    signal: object(["id", "kind", "name", "value", "observed_at", "tier"], {
      id: ref("id"),
      kind: { enum: ["verdict", "score", "event"] },
      name: text(200, SIGNAL_NAMES),
      value: { type: ["string", "number", "null"], maxLength: 500 },
      unit: text(100),
      better: BETTER,
      target: { type: "number" },
      scale: SCALE,
      at_attempt: text(200),
      observed_at: ref("timestamp"),
      source: object(["kind"], {
        kind: text(100, ["orchestrator", "user", "ci", "tracker", "judge", "inferred"]),
        ref: text(500),
      }),
      tier: ref("outcomeTier"),
    }),
    scoreTarget: object(["name", "target", "better"], {
      name: text(200),
      target: { type: "number" },
      better: BETTER,
      scale: SCALE,
    }),
    acceptanceRule: object(["name", "definition"], {
      name: text(200),
      definition: ref("shortText"),
      requires: NAMES,
      score: { anyOf: [ref("scoreTarget"), { type: "null" }] },
      excludes_events: NAMES,
      window_days: count(0),
    }),
    slate: object(["id", "members"], {
      id: ref("id"),
      members: { ...NAMES, minItems: 1, uniqueItems: true },
      base_commit: text(200),
      isolated: bool,
      blinded: bool,
    }),
    preference: object(["id", "slate", "winner"], {
      id: ref("id"),
      slate: text(200),
      winner: text(200),
      members: { ...NAMES, uniqueItems: true },
      judge: object([], {
        kind: text(100, ["referee", "user", "model"]),
        model: text(200),
        blinded: bool,
      }),
      observed_at: ref("timestamp"),
      tier: ref("outcomeTier"),
    }),
    runRescue: object(["kind"], {
      kind: text(100, RESCUES),
      ref: text(200),
      cost_usd: NOT_NEGATIVE,
      basis: { enum: ["measured", "expected"] },
    }),
  };
}

function receipt(): Schema {
  const number: Schema = { type: "number" };
  const level: Schema = { type: "number", minimum: 0, maximum: 1 };
  const interval = object(["mean"], { mean: number, lo: number, hi: number, level }, false);
  return object([], {
    before: object([], {
      rec: text(200),
      fit: text(200),
      predicted: object([], { p_success: interval, cost_usd: interval, tokens: interval }, false),
      price_usd: nullable("number"),
      payback_runs: nullable("number"),
    }),
    after: object([], {
      cost_usd: nullable("number"),
      tokens: { ...nullable("integer"), minimum: 0 },
      signals: { type: "array" },
      fit_after: nullable("string", 200),
    }),
  });
}
