import { fail, ok, type Result } from "../core/result.ts";
import type { Instant } from "../core/time.ts";
import type {
  OcpConfiguration,
  OcpDocument,
  OcpEdge,
  OcpExt,
  OcpNode,
  OcpSlate,
  OcpTask,
  OcpWorkflow,
} from "../formats/ocp/index.ts";
import type { AcceptanceRule } from "../formats/rule/index.ts";
import { titleOf } from "./labels.ts";
import { nodeKind } from "./node-kind.ts";

/** What is decided when work begins that others will do. */
export interface RunStart {
  readonly run: string;
  readonly producerVersion: string;
  readonly at: Instant;
  readonly task: OcpTask;
  readonly workflow: OcpWorkflow;
  readonly configuration: OcpConfiguration;
  readonly rule: AcceptanceRule;
  readonly workspace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly slate?: OcpSlate;
  /** Set when a recommendation is followed; else the configuration is the user's own choice or habit. */
  readonly isRecommended?: boolean;
  readonly ext?: OcpExt;
}

/** The document of a run that begins: one node a piece, nothing tried yet. */
export function startDocument(start: RunStart): OcpDocument {
  const { task, workflow, configuration, slate, labels } = start;
  const isHabit = configuration.source === "habit";
  return {
    ocp: "0.3",
    producer: producerOf(start),
    privacy: { profile: "metadata_only" },
    run: {
      id: start.run,
      ...(task.title !== undefined && { title: titleOf(task.title) }),
      started_at: start.at,
      ...(start.workspace !== undefined && { workspace: start.workspace }),
      ...(labels !== undefined && Object.keys(labels).length > 0 && { labels }),
      task,
      configuration,
      provenance: { kind: isHabit ? "logged" : "designed", chooser: chooserOf(start) },
      acceptance_rule: start.rule,
      signals: [],
      ...(slate !== undefined && { slate }),
      ...(start.ext !== undefined && { ext: start.ext }),
    },
    nodes: nodesOf(workflow),
    edges: edgesOf(workflow),
    attempts: [],
    artifacts: [],
    events: [{ at: start.at, type: "note", detail: "run started" }],
  };
}

function chooserOf({ configuration, isRecommended }: RunStart): string {
  if (configuration.source === "habit") return "habit";
  return isRecommended === true ? "planner" : "user";
}

function producerOf({ producerVersion, at }: RunStart): OcpDocument["producer"] {
  const promised =
    "task configuration signals slate edges_dep artifacts cost_usd cost_tokens outcome_evidence events";
  return {
    name: "loopwright",
    version: producerVersion,
    framework: "loopwright",
    emitted_at: at,
    capabilities: Object.fromEntries(promised.split(" ").map((name) => [name, true])),
  };
}

function nodesOf({ pieces, control }: OcpWorkflow): readonly OcpNode[] {
  const gates = control?.gates ?? [];
  return pieces.map(({ id, role }) => {
    const kind = nodeKind(role);
    const isGate = gates.includes(id) && kind !== "review" && kind !== "test";
    return { id, kind: isGate ? "gate" : kind, state: "queued", vertex: id };
  });
}

/** Who writes an artifact comes before who reads it. */
function edgesOf({ pieces, edges = [] }: OcpWorkflow): readonly OcpEdge[] {
  const ids = new Set(pieces.map(({ id }) => id));
  const found = new Map<string, OcpEdge>();
  for (const [from, artifact] of edges.filter(([from]) => ids.has(from))) {
    for (const [, to] of edges.filter(([source]) => source === artifact)) {
      found.set(`${from}\n${to}`, { from, to, kind: "dep", tier: "reported" });
    }
  }
  return [...found.values()];
}

/**
 * The slate with one more run in it. Runs of a slate do one task from one commit: else `bad-input`.
 */
export function joinSlate(first: OcpDocument, slate: OcpSlate, run: string, task: OcpTask): Result<OcpSlate> {
  const { task: known } = first.run;
  if (known?.id !== task.id)
    return fail(
      "bad-input",
      `the slate ${slate.id} is about the task ${known?.id ?? "unknown"}, not ${task.id}`,
    );
  const base = known.base_commit ?? slate.base_commit;
  if (base !== task.base_commit)
    return fail(
      "bad-input",
      `runs of the slate ${slate.id} start from ${base ?? "no commit"}, not ${task.base_commit ?? "no commit"}`,
    );
  return ok({ ...slate, members: [...slate.members, run] });
}
