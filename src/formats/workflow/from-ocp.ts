import type { OcpConfiguration, OcpControl, OcpPiece, OcpSetting, OcpWorkflow } from "../ocp/index.ts";
import type { NumberTexts } from "../ocp/json-text.ts";
import { defaultRule } from "./roles.ts";
import type { Setting, Settings, Workflow, WorkflowFile, WorkflowPiece } from "./types.ts";

/** The workflow of a recorded configuration; undefined when it names its workflow instead of holding it. */
export function fromOcp(configuration: OcpConfiguration, numbers: NumberTexts): WorkflowFile | undefined {
  const { workflow, settings } = configuration;
  if (workflow === undefined || "ref" in workflow) return undefined;
  const entries = Object.entries(settings ?? {}).map(
    ([piece, setting]) => [piece, settingOf(setting)] as const,
  );
  const read: Settings = Object.fromEntries(entries);
  return { workflow: workflowOf(workflow), settings: read, numbers };
}

function workflowOf(workflow: OcpWorkflow): Workflow {
  const { id, version, title, pieces, artifacts, edges, control } = workflow;
  return {
    id: id ?? "recorded",
    version: version ?? 1,
    ...(title !== undefined && { title }),
    pieces: pieces.map(pieceOf),
    artifacts: (artifacts ?? []).map((artifact) => ({
      id: artifact.id,
      kind: artifact.kind ?? "other",
      extra: {},
    })),
    edges: edges ?? [],
    control: controlOf(control ?? {}, pieces),
    extra: {},
  };
}

function pieceOf({ id, role, width, workflow }: OcpPiece): WorkflowPiece {
  return {
    id,
    ...(role !== undefined && { role }),
    width: width ?? 1,
    ...(workflow !== undefined && {
      nested:
        "ref" in workflow
          ? { ref: workflow.ref, ...(workflow.version !== undefined && { version: workflow.version }) }
          : { workflow: workflowOf(workflow) },
    }),
    extra: {},
  };
}

function controlOf(control: OcpControl, pieces: readonly OcpPiece[]): Workflow["control"] {
  const { gates, repair, budget, rescue, ext } = control;
  const rules = ext?.["dev.loopmath.gate_rules"];
  const ruleOf = (piece: string): string => {
    const own =
      typeof rules === "object" && rules !== null
        ? Object.entries(rules).find(([id]) => id === piece)
        : undefined;
    return typeof own?.[1] === "string" ? own[1] : defaultRule(pieces.find(({ id }) => id === piece)?.role);
  };
  return {
    gates: (gates ?? []).map((after) => {
      const onFail = repair?.[after];
      return {
        id: `g_${after}`,
        after,
        rule: ruleOf(after),
        ...(onFail !== undefined && { onFail }),
        extra: {},
      };
    }),
    rounds: Math.max(1, budget ?? 1),
    rescue: {
      kind: rescue?.kind ?? "none",
      ...(rescue?.ref !== undefined && { ref: rescue.ref }),
      ...(rescue?.cost_usd !== undefined && { costUsd: rescue.cost_usd }),
      extra: {},
    },
    extra: {},
  };
}

function settingOf(setting: OcpSetting): Setting {
  const model = setting.model?.id ?? setting.model?.raw;
  return {
    harness: setting.harness ?? "",
    ...(model !== undefined && { model }),
    effort: setting.effort ?? "default",
    contextPolicy: setting.context_policy ?? "fresh",
    options: setting.options ?? {},
  };
}
