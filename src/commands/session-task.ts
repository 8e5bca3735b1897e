import { fail, ok, type Result } from "../core/result.ts";
import type { SessionSpec } from "../run/spec.ts";
import type { CommandContext, FlagSpec } from "./types.ts";

export const TYPE_FLAG: FlagSpec = {
  kind: "text",
  brief: "Kind of task, for the record and for what is recommended (bug_fix)",
  placeholder: "TYPE",
};

/** What the record of a session says of its task. A type that a recommendation assumed is told apart. */
export async function sessionTask(
  context: CommandContext,
  type: string | undefined,
  isFollowing: boolean,
): Promise<Result<NonNullable<SessionSpec["task"]>>> {
  const { isTaskType, TASK_TYPES } = await import("../formats/workflow/task-types.ts");
  const repo = await (await context.history()).repoName(context.cwd);
  const shown = type ?? (isFollowing ? "bug_fix" : undefined);
  if (shown === undefined) return ok({ repo });
  if (!isTaskType(shown)) {
    return fail("bad-flag", `"${shown}" is no type of task`, {
      hint: `one of ${TASK_TYPES.map(({ id }) => id).join(", ")}`,
    });
  }
  return ok({ repo, type: shown, labeledBy: type === undefined ? "inferred" : "user" });
}
