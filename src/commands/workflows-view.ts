import type { JsonObject } from "../core/canonical-json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import {
  configurationIdOf,
  isConfiguration,
  parseSet,
  toOcpSettings,
  toOcpWorkflow,
  type WorkflowFile,
} from "../formats/workflow/index.ts";

export function pieceViews({ workflow }: Pick<WorkflowFile, "workflow">): readonly JsonObject[] {
  return workflow.pieces.map(({ id, role, width }) => ({ id, role: role ?? null, width }));
}

export function workflowView({ workflow }: Pick<WorkflowFile, "workflow">): JsonObject {
  const { id, version, title, artifacts, edges, control } = workflow;
  return {
    id,
    version,
    title: title ?? null,
    pieces: pieceViews({ workflow }),
    artifacts: artifacts.map((artifact) => ({ id: artifact.id, kind: artifact.kind })),
    edges,
    gates: control.gates.map((gate) => ({
      id: gate.id,
      after: gate.after,
      rule: gate.rule,
      on_fail: gate.onFail ?? null,
    })),
    rounds: control.rounds,
    rescue: { kind: control.rescue.kind, ref: control.rescue.ref ?? null },
  };
}

export function settingViews({ settings }: Pick<WorkflowFile, "settings">): readonly JsonObject[] {
  return Object.entries(settings).map(([piece, { harness, model, effort, contextPolicy }]) => ({
    piece,
    harness,
    model: model ?? null,
    effort,
    context_policy: contextPolicy,
  }));
}

/** The configuration id, once every piece has a setting. */
export function configOf(file: WorkflowFile): string | null {
  return isConfiguration(file) ? (configurationIdOf(file) ?? null) : null;
}

export function ocpView(file: WorkflowFile): JsonObject {
  const config = configOf(file);
  return JSON.parse(
    JSON.stringify({
      workflow: toOcpWorkflow(file.workflow),
      settings: toOcpSettings(file.settings),
      ...(config !== null && { configuration_id: config }),
    }),
  ) as JsonObject;
}

/** The file with what `--set` says. A command line of the user's own is recorded as `byok`. */
export function withSets(file: WorkflowFile, texts: readonly string[]): Result<WorkflowFile> {
  let { settings } = file;
  const pieces = file.workflow.pieces.map(({ id }) => id);
  for (const one of texts) {
    const parsed = parseSet(one);
    if (!parsed.ok) return parsed;
    const { piece } = parsed.value;
    if (!pieces.includes(piece)) {
      return fail("unknown-piece", `--set names "${piece}", which is no piece of "${file.workflow.id}"`, {
        hint: `its pieces: ${pieces.join(", ")}`,
      });
    }
    const own = { harness: "byok", effort: "default", contextPolicy: "fresh", options: {} };
    settings = { ...settings, [piece]: "setting" in parsed.value ? parsed.value.setting : own };
  }
  return ok({ ...file, settings });
}
