import type { JsonObject } from "../core/canonical-json.ts";
import { ok, type Result } from "../core/result.ts";
import { ExitCode } from "./exit-codes.ts";
import { answer, flag, list, object, orNull, text, whole } from "./schema.ts";
import type { Command, CommandContext, CommandOutput } from "./types.ts";

export const workflowsList: Command = {
  path: ["workflows", "list"],
  group: "Plan",
  brief: "The ways of working that are known here: the catalogue and your own files",
  args: [],
  flags: {},
  output: answer("workflows-list", {
    workflows_dir: text,
    workflows: list(
      object({
        id: text,
        title: orNull(text),
        origin: text,
        shape: text,
        pieces: list(object({ id: text, role: orNull(text), width: whole })),
        version: whole,
        path: orNull(text),
        config: orNull(text),
        valid: flag,
        errors: list(text),
      }),
    ),
    composed: list(text),
  }),
  run,
};

async function run(context: CommandContext): Promise<Result<CommandOutput>> {
  const { allShapes, catalogue, CATALOGUE_IDS, labelOf, shapeName } = await import(
    "../formats/workflow/index.ts"
  );
  const { userWorkflows, workflowsFolder } = await import("./find-workflow.ts");
  const { configOf, pieceViews } = await import("./workflows-view.ts");
  const known = catalogue().map((workflow) => ({
    id: workflow.id,
    title: workflow.title ?? null,
    origin: "catalog",
    shape: workflow.id,
    pieces: pieceViews({ workflow }),
    version: workflow.version,
    path: null,
    config: null,
    valid: true,
    errors: [],
  }));
  const own = (await userWorkflows(context)).map((one): JsonObject => {
    if ("problems" in one)
      return invalid(
        one.path,
        one.stem,
        one.problems.map(({ message }) => message),
      );
    const { file, path } = one.found;
    const { workflow } = file;
    return {
      id: workflow.id,
      title: workflow.title ?? null,
      origin: "user",
      shape: labelOf(file),
      pieces: pieceViews(file),
      version: workflow.version,
      path: path ?? null,
      config: configOf(file),
      valid: true,
      errors: [],
    };
  });
  const composed = [...new Set(allShapes().map(shapeName))].filter((name) => !CATALOGUE_IDS.includes(name));
  return ok({
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.workflows-list/1",
      ok: true,
      workflows_dir: workflowsFolder(context),
      workflows: [...known, ...own],
      composed,
    },
  });
}

/** Listed with its first mistake, never hidden. */
function invalid(path: string, stem: string, errors: readonly string[]): JsonObject {
  return {
    id: stem,
    title: null,
    origin: "user",
    shape: "",
    pieces: [],
    version: 1,
    path,
    config: null,
    valid: false,
    errors: errors.slice(0, 1),
  };
}
