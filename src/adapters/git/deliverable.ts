import { fail, ok, type Result } from "../../core/result.ts";
import type { DeliveryPlan } from "../../ports/workspace.ts";
import type { TheirGit } from "./their-git.ts";

export const IDENTITY_HINT =
  "set your identity: git config --global user.name NAME, git config --global user.email MAIL";

/** What would stand in the way of a commit or a new branch, known before there is anything to deliver. */
export async function whetherDeliverable(theirs: TheirGit, plan: DeliveryPlan): Promise<Result<void>> {
  for (const who of ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"]) {
    const identity = await theirs.run(["var", who]);
    if (!identity.ok) {
      return fail("git-failed", `git does not know who commits: ${identity.problem.message}`, {
        hint: IDENTITY_HINT,
      });
    }
  }
  if (plan.kind === "commit") return ok(undefined);
  const valid = await theirs.run(["check-ref-format", "--branch", plan.name], { answers: [1, 128] });
  if (!valid.ok || valid.value.exitCode !== 0) {
    return fail("bad-input", `${plan.name} is no name for a branch`);
  }
  const there = await theirs.run(["rev-parse", "-q", "--verify", `refs/heads/${plan.name}`], {
    answers: [1],
  });
  if (!there.ok) return there;
  return there.value.exitCode === 1
    ? ok(undefined)
    : fail("bad-input", `there is a branch ${plan.name} already`, { hint: "choose another name" });
}
