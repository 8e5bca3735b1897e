import { fail, ok, type Result } from "../core/result.ts";
import { readFlags } from "./flag-values.ts";
import { answerRecommend } from "./recommend-run.ts";
import { workflowFlagsOf } from "./recommend-view.ts";
import type { CommandContext, CommandInput } from "./types.ts";

/**
 * The input of `go` with the way of working that `recommend` picks, once a person or `--yes` has taken it. The
 * recommendation reaches the run as flags only. Without enough data, or after a no, the input stays as it is.
 * Problems: `needs-answer` where nobody can be asked.
 */
export async function adviseGo(context: CommandContext, input: CommandInput): Promise<Result<CommandInput>> {
  const flags = readFlags(input);
  if (flags.text("workflow") !== undefined) {
    return fail("bad-flag", "--recommended and --workflow both say how to work", { hint: "leave one out" });
  }
  const title = input.args[0];
  const answered = await answerRecommend(context, {
    args: [],
    flags: { type: flags.text("type") ?? "bug_fix", brief: true, ...(title !== undefined && { title }) },
  });
  if (!answered.ok) return answered;
  const { pick, reason } = answered.value.found;
  if (reason === "cheapest-without-a-chance") {
    context.talk(
      "not enough data to recommend a way of working; `loopwright recommend` names the runs that would teach",
    );
    return ok(input);
  }
  context.talk(`recommended: ${pick.name}`);
  context.talk(
    `  ${Math.round(100 * pick.success.mean)} % accepted, $${pick.costUsd.mean.toFixed(2)} a run; ${String(answered.value.json["why"])}`,
  );
  if (!context.yes) {
    if (context.confirm === undefined) {
      return fail("needs-answer", "nobody can be asked whether to work the recommended way", {
        hint: "take it with --yes, or name a way with --workflow",
      });
    }
    if (!(await context.confirm("Work this way?"))) return ok(input);
  }
  return ok({ ...input, flags: { ...input.flags, ...workflowFlagsOf(pick) } });
}
