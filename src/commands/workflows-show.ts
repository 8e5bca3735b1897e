import { ok, type Result } from "../core/result.ts";
import { ExitCode } from "./exit-codes.ts";
import { readFlags } from "./flag-values.ts";
import { answer, list, orNull, text } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";
import { OCP_VIEW, SETTINGS_VIEW, WORKFLOW_VIEW } from "./workflows-schema.ts";

export const workflowsShow: Command = {
  path: ["workflows", "show"],
  group: "Plan",
  brief: "One way of working: its pieces, what flows between them, who may send work back",
  details:
    "WORKFLOW is a name of the catalogue, a composed name such as plan_team, your own, a TOML file or a cfg_ id.",
  args: [{ name: "workflow", brief: "Which one", required: true }],
  flags: {
    set: {
      kind: "text",
      brief:
        "Who does a piece: PIECE=HARNESS:MODEL:EFFORT; with all pieces set the configuration id is shown",
      placeholder: "PIECE=WHO",
      repeatable: true,
    },
    toml: { kind: "boolean", brief: "As a file to start from" },
  },
  output: answer("workflows-show", {
    ref: text,
    origin: text,
    config: orNull(text),
    path: orNull(text),
    note: orNull(text),
    label: text,
    workflow: WORKFLOW_VIEW,
    settings: SETTINGS_VIEW,
    ocp: OCP_VIEW,
    toml: orNull(text),
    warnings: list(text),
  }),
  run,
};

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const { catalogueShapes, formatWorkflow, labelOf, nearestInCatalogue, shapeName, shapeNamed } =
    await import("../formats/workflow/index.ts");
  const { findWorkflow } = await import("./find-workflow.ts");
  const { configOf, ocpView, settingViews, withSets, workflowView } = await import("./workflows-view.ts");
  const [ref = ""] = input.args;
  const flags = readFlags(input);
  const found = await findWorkflow(context, ref);
  if (!found.ok) return found;
  const { origin, path, warnings } = found.value;
  const file = withSets(found.value.file, flags.texts("set"));
  if (!file.ok) return file;
  const shape = origin === "composed" ? shapeNamed(ref) : undefined;
  const nearest = shape === undefined ? undefined : nearestInCatalogue(shape, catalogueShapes());
  const note =
    nearest === undefined
      ? null
      : `composed of known parts; the nearest in the catalogue is ${shapeName(nearest)}`;
  return ok({
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.workflows-show/1",
      ok: true,
      ref,
      origin,
      config: configOf(file.value),
      path: path ?? null,
      note,
      label: labelOf(file.value),
      workflow: workflowView(file.value),
      settings: settingViews(file.value),
      ocp: ocpView(file.value),
      toml: flags.is("toml") ? formatWorkflow(file.value) : null,
      warnings: warnings.map(({ message }) => message),
    },
  });
}
