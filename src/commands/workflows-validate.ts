import type { JsonObject } from "../core/canonical-json.ts";
import { ok, type Problem, type Result } from "../core/result.ts";
import { ExitCode } from "./exit-codes.ts";
import { answer, flag, list, object, orNull, text } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

const FINDING = object({ at: orNull(text), message: text, hint: orNull(text) });

export const workflowsValidate: Command = {
  path: ["workflows", "validate"],
  group: "Plan",
  brief: "Check a workflow file and say everything that is wrong with it",
  details: "Mistakes exit 1, warnings do not.",
  args: [{ name: "file", brief: "The TOML file", required: true }],
  flags: {},
  output: answer("workflows-validate", {
    file: text,
    valid: flag,
    id: orNull(text),
    config: orNull(text),
    errors: list(FINDING),
    warnings: list(FINDING),
  }),
  run,
};

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const { readWorkflowFile, workflowsFolder } = await import("./find-workflow.ts");
  const { configOf } = await import("./workflows-view.ts");
  const [path = ""] = input.args;
  const origin = path.startsWith(`${workflowsFolder(context)}/`) ? "user" : "file";
  const read = await readWorkflowFile(context, path, origin);
  const errors = "problems" in read ? read.problems : [];
  const missing = errors.find(({ code }) => code === "no-such-file");
  if (missing !== undefined) return { ok: false, problem: missing };
  const found = "found" in read ? read.found : undefined;
  return ok({
    exit: errors.length === 0 ? ExitCode.ok : ExitCode.userError,
    json: {
      schema: "loopwright.workflows-validate/1",
      ok: true,
      file: path,
      valid: errors.length === 0,
      id: found?.file.workflow.id ?? null,
      config: found === undefined ? null : configOf(found.file),
      errors: errors.map(findingView),
      warnings: (found?.warnings ?? []).map(findingView),
    },
  });
}

function findingView({ at, message, hint }: Problem): JsonObject {
  return { at: at ?? null, message, hint: hint ?? null };
}
