import { configurationId, type OcpControl, type OcpSetting, type OcpWorkflow } from "../ocp/index.ts";
import { defaultRule } from "./roles.ts";
import type { Setting, Settings, Workflow, WorkflowControl, WorkflowFile, WorkflowPiece } from "./types.ts";

/** The workflow as the run document carries it. */
export function toOcpWorkflow(workflow: Workflow): OcpWorkflow {
  const { id, version, title, pieces, artifacts, edges, control } = workflow;
  return {
    id,
    version,
    ...(title !== undefined && { title }),
    pieces: pieces.map(toOcpPiece),
    artifacts: artifacts.map((artifact) => ({ id: artifact.id, kind: artifact.kind })),
    edges,
    control: toOcpControl(control, pieces),
  };
}

function toOcpPiece({ id, role, width, nested }: WorkflowPiece): OcpWorkflow["pieces"][number] {
  return {
    id,
    ...(role !== undefined && { role }),
    width,
    ...(nested !== undefined && {
      workflow:
        "ref" in nested
          ? { ref: nested.ref, ...(nested.version !== undefined && { version: nested.version }) }
          : toOcpWorkflow(nested.workflow),
    }),
  };
}

/** A gate is the piece that it stands after; a rule other than its role's default is the one extension that counts. */
function toOcpControl(control: WorkflowControl, pieces: readonly WorkflowPiece[]): OcpControl {
  const roleOf = (piece: string): string | undefined => pieces.find(({ id }) => id === piece)?.role;
  const rules = control.gates.filter(({ after, rule }) => rule !== defaultRule(roleOf(after)));
  const { kind, ref, costUsd } = control.rescue;
  return {
    gates: control.gates.map(({ after }) => after),
    repair: Object.fromEntries(
      control.gates.flatMap(({ after, onFail }) => (onFail === undefined ? [] : [[after, onFail] as const])),
    ),
    budget: control.rounds,
    rescue: { kind, ...(ref !== undefined && { ref }), ...(costUsd !== undefined && { cost_usd: costUsd }) },
    ...(rules.length > 0 && {
      ext: { "dev.loopmath.gate_rules": Object.fromEntries(rules.map(({ after, rule }) => [after, rule])) },
    }),
  };
}

export function toOcpSetting({ harness, model, effort, contextPolicy, options }: Setting): OcpSetting {
  return {
    harness,
    ...(model !== undefined && { model: { raw: model, id: model } }),
    effort,
    context_policy: contextPolicy,
    options,
  };
}

export function toOcpSettings(settings: Settings): Readonly<Record<string, OcpSetting>> {
  return Object.fromEntries(Object.entries(settings).map(([piece, one]) => [piece, toOcpSetting(one)]));
}

/** Whether every piece has a setting, which makes the file a configuration. */
export function isConfiguration({ workflow, settings }: Omit<WorkflowFile, "numbers">): boolean {
  return workflow.pieces.every(({ id, nested }) => nested !== undefined || Object.hasOwn(settings, id));
}

/** The configuration id; undefined when a nested workflow is named that nobody here knows. */
export function configurationIdOf(file: WorkflowFile): string | undefined {
  const configuration = { workflow: toOcpWorkflow(file.workflow), settings: toOcpSettings(file.settings) };
  return configurationId(configuration, file.numbers);
}
