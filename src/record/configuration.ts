import {
  configurationId,
  type OcpConfiguration,
  type OcpPiece,
  type OcpSetting,
  type OcpWorkflow,
} from "../formats/ocp/index.ts";
import { freeName, oneLine } from "./labels.ts";
import type {
  RecordedChoice,
  RecordedGate,
  RecordedPiece,
  RecordedSetting,
  RecordedWorkflow,
  SessionRecordInput,
} from "./session-record.ts";

/** Roles of loop.yaml in the words of the record; others stay as they are. */
const ROLES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    builder: "implementer",
    judge: "reviewer",
    manager: "planner",
    adversary: "reviewer",
    researcher: "worker",
  }),
);
const OUTPUT_KINDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    implementer: "diff",
    planner: "plan",
    reviewer: "review",
    tester: "test_record",
    referee: "verdict",
  }),
);

const GATE_SETTING: OcpSetting = {
  harness: "command",
  effort: "default",
  context_policy: "fresh",
  options: {},
};

export function recordedRole(role: string): string {
  return oneLine(ROLES.get(role) ?? role, 100);
}

/** In the record, `command` means a mechanical gate; an agent behind a command line of the user's is none. */
export function recordedHarness(harness: string): string {
  return harness === "command" ? "byok" : oneLine(harness, 100);
}

export interface RecordedConfiguration {
  readonly configuration: OcpConfiguration;
  /** What each piece writes, by piece. */
  readonly outputs: ReadonlyMap<string, { readonly id: string; readonly kind: string }>;
}

/** The workflow and settings that ran, with the canonical id. */
export function recordedConfiguration(input: SessionRecordInput): RecordedConfiguration {
  if (input.configuration !== undefined) return chosenConfiguration(input, input.configuration);
  const outputs = outputsOf(input);
  const workflow = workflowOf(input, outputs);
  const settings = Object.fromEntries([
    ...input.pieces.map((piece) => [piece.id, settingOf(effectiveSetting(piece, input))] as const),
    ...input.gates.map(({ id }) => [id, GATE_SETTING] as const),
  ]);
  return { configuration: configurationOf(input, workflow, settings), outputs };
}

function configurationOf(
  input: SessionRecordInput,
  workflow: OcpWorkflow,
  settings: Readonly<Record<string, OcpSetting>>,
): OcpConfiguration {
  const id = configurationId({ workflow, settings });
  return {
    ...(id !== undefined && { id }),
    workflow,
    settings,
    source: sourceOf(input.choice),
    ...(input.choice.by === "planner" && { rec: oneLine(input.choice.recommendation, 200) }),
  };
}

/** The workflow as it was chosen, so that it keeps the id by which a planner knows it. */
function chosenConfiguration(
  input: SessionRecordInput,
  { workflow, settings }: RecordedWorkflow,
): RecordedConfiguration {
  const seen = Object.entries(settings).map(([piece, setting]) => {
    const model = input.attempts.find(
      (one) => one.piece === piece && one.observedModel !== undefined,
    )?.observedModel;
    const isOpen = setting.model === undefined && model !== undefined;
    return [
      piece,
      isOpen ? { ...setting, model: { raw: oneLine(model, 200), id: oneLine(model, 200) } } : setting,
    ];
  });
  const kinds = new Map((workflow.artifacts ?? []).map(({ id, kind }) => [id, kind ?? "other"] as const));
  const outputs = (workflow.edges ?? []).flatMap(([from, to]) => {
    const kind = kinds.get(to);
    return kind === undefined ? [] : [[from, { id: to, kind }] as const];
  });
  const configuration = configurationOf(input, workflow, Object.fromEntries(seen));
  return { configuration, outputs: new Map(outputs) };
}

/** Whether a piece of the plan is also one of the recorded workflow: the goal gate need not be. */
export function isVertex(input: SessionRecordInput, piece: string): boolean {
  return (
    input.configuration === undefined || input.configuration.workflow.pieces.some(({ id }) => id === piece)
  );
}

/** Where no model was asked for, the one that the piece's first attempt was seen to use. */
function effectiveSetting(piece: RecordedPiece, input: SessionRecordInput): RecordedSetting {
  if (piece.setting.model !== undefined) return piece.setting;
  const seen = input.attempts.find((one) => one.piece === piece.id && one.observedModel !== undefined);
  return seen?.observedModel === undefined ? piece.setting : { ...piece.setting, model: seen.observedModel };
}

export function settingOf(setting: RecordedSetting): OcpSetting {
  const model = setting.model === undefined ? undefined : oneLine(setting.model, 200);
  return {
    harness: recordedHarness(setting.harness),
    ...(model !== undefined && { model: { raw: model, id: model } }),
    effort: setting.effort === undefined ? "default" : oneLine(setting.effort, 100),
    context_policy: "fresh",
    options: {},
  };
}

function outputsOf(input: SessionRecordInput): RecordedConfiguration["outputs"] {
  const taken = new Set([...input.pieces, ...input.gates].map(({ id }) => id));
  for (const given of ["issue", "repo"]) taken.add(given);
  const outputs = new Map<string, { readonly id: string; readonly kind: string }>();
  for (const { id, role } of input.pieces) {
    const kind = OUTPUT_KINDS.get(recordedRole(role)) ?? "report";
    outputs.set(id, { id: freeName(input.pieces.length === 1 ? kind : `${id}_${kind}`, taken), kind });
  }
  for (const { id } of input.gates) {
    const name = freeName(input.gates.length === 1 ? "verdict" : `${id}_verdict`, taken);
    outputs.set(id, { id: name, kind: "verdict" });
  }
  return outputs;
}

function workflowOf(input: SessionRecordInput, outputs: RecordedConfiguration["outputs"]): OcpWorkflow {
  const taken = new Set([...input.pieces, ...input.gates].map(({ id }) => id));
  const issue = freeName("issue", taken);
  const repo = freeName("repo", taken);
  const pieces: OcpPiece[] = [
    ...input.pieces.map(({ id, role }) => ({ id, role: recordedRole(role), width: 1 })),
    ...input.gates.map(({ id }) => ({ id, role: "tester", width: 1 })),
  ];
  const edges: (readonly [string, string])[] = [];
  for (const piece of input.pieces) {
    edges.push([issue, piece.id], [repo, piece.id]);
    for (const dependency of piece.dependsOn) edges.push([outputs.get(dependency)?.id ?? issue, piece.id]);
    edges.push([piece.id, outputs.get(piece.id)?.id ?? ""]);
  }
  for (const gate of input.gates) {
    for (const judged of gate.judges) edges.push([outputs.get(judged)?.id ?? issue, gate.id]);
    edges.push([gate.id, outputs.get(gate.id)?.id ?? ""]);
  }
  return {
    id: oneLine(input.shape, 200),
    version: 1,
    pieces,
    artifacts: [{ id: issue, kind: "issue" }, { id: repo, kind: "repo" }, ...outputs.values()],
    edges,
    control: controlOf(input.gates, input.rounds),
  };
}

/** When the rounds are used up, a person takes over: nothing of ours runs on its own then. */
function controlOf(gates: readonly RecordedGate[], rounds: number): OcpWorkflow["control"] & object {
  const repair = Object.fromEntries(
    gates.flatMap(({ id, sendsBackTo }) => (sendsBackTo === undefined ? [] : [[id, sendsBackTo] as const])),
  );
  return {
    gates: gates.map(({ id }) => id),
    repair,
    budget: Math.max(1, rounds),
    rescue: { kind: "person" },
  };
}

function sourceOf(choice: RecordedChoice): OcpConfiguration["source"] & string {
  switch (choice.by) {
    case "habit":
      return "habit";
    case "user":
      return "designed";
    case "planner":
      return choice.pick;
  }
}
