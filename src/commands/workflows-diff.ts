import { ok, type Result } from "../core/result.ts";
import { ExitCode } from "./exit-codes.ts";
import { answer, flag, list, object, orNull, text } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

const SIDE = object({ ref: text, config: orNull(text), label: text });

export const workflowsDiff: Command = {
  path: ["workflows", "diff"],
  group: "Plan",
  brief: "What changes from one way of working to another",
  args: [
    { name: "from", brief: "A workflow, file or configuration", required: true },
    { name: "to", brief: "Another one", required: true },
  ],
  flags: {},
  output: answer("workflows-diff", { from: SIDE, to: SIDE, same: flag, lines: list(text) }),
  run,
};

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const { diffLines, labelOf } = await import("../formats/workflow/index.ts");
  const { findWorkflow } = await import("./find-workflow.ts");
  const { configOf } = await import("./workflows-view.ts");
  const [fromRef = "", toRef = ""] = input.args;
  const from = await findWorkflow(context, fromRef);
  if (!from.ok) return from;
  const to = await findWorkflow(context, toRef);
  if (!to.ok) return to;
  const lines = diffLines(from.value.file, to.value.file);
  const side = (ref: string, { file }: typeof from.value) => ({
    ref,
    config: configOf(file),
    label: labelOf(file),
  });
  return ok({
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.workflows-diff/1",
      ok: true,
      from: side(fromRef, from.value),
      to: side(toRef, to.value),
      same: lines.length === 0,
      lines,
    },
  });
}
