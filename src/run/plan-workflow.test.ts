import { describe, expect, test } from "vitest";
import { namedWorkflow, type Workflow } from "../formats/workflow/index.ts";
import { planWorkflow } from "./plan-workflow.ts";
import type { PlanPiece } from "./spec.ts";

function plan(name: string, change: (workflow: Workflow) => Workflow = (same) => same): readonly PlanPiece[] {
  const named = namedWorkflow(name);
  if (named === undefined) throw new Error(name);
  const workflow = change(named.workflow);
  const providers = new Map(
    workflow.pieces.filter(({ role }) => role !== "tester").map(({ id }) => [id, `for-${id}`]),
  );
  const planned = planWorkflow({ workflow, goal: "do it", providers, permission: "edit" });
  if (!planned.ok) throw new Error(planned.problem.message);
  return planned.value;
}

/** `id <- what it waits for`, and what it sends back to. */
function drawn(pieces: readonly PlanPiece[]): readonly string[] {
  return pieces.map((piece) => {
    const back = piece.kind === "agent" ? "" : ` !-> ${piece.onFail.sendBack.join(" ")}`;
    return `${piece.id} <- ${piece.dependsOn.join(" ")}${back}`.trim();
  });
}

describe("the plan of a workflow", () => {
  test("is the same for implement_check as for go: one agent and the goal gate", () => {
    expect(drawn(plan("implement_check"))).toEqual(["implement <-", "check <- implement !-> implement"]);
  });

  test("checks come before the review, and whatever stands on sent-back work is done again", () => {
    expect(drawn(plan("implement_review"))).toEqual([
      "implement <-",
      "review <- implement check",
      "g_review <- review check !-> implement review check",
      "check <- implement !-> implement review g_review",
    ]);
  });

  test("a plan is made once and not again when the work is sent back", () => {
    expect(drawn(plan("plan_implement_review"))).toEqual([
      "plan <-",
      "implement <- plan",
      "review <- plan implement check",
      "g_review <- review check !-> implement review check",
      "check <- implement !-> implement review g_review",
    ]);
  });

  test("candidates work apart, a selector waits for all of them, checks judge what was picked", () => {
    const pieces = plan("best_of_n");
    expect(drawn(pieces)).toEqual([
      "implement.1 <-",
      "implement.2 <-",
      "implement.3 <-",
      "select <- implement.1 implement.2 implement.3",
      "g_select <- select !-> select check",
      "check <- implement.1 implement.2 implement.3 g_select !-> implement.1 implement.2 implement.3 select g_select",
    ]);
    expect(pieces[0]).toMatchObject({ isolation: "worktree", isCandidate: true, permission: "edit" });
    expect(pieces[3]).toMatchObject({
      join: { strategy: "any_of_all" },
      permission: "read",
      answers: "pick",
    });
  });

  test("workers of a swarm are merged, not picked", () => {
    const [, first] = plan("swarm");
    expect(first).toMatchObject({
      id: "work.1",
      isolation: "worktree",
      copy: { of: "work", index: 1, count: 3 },
    });
    expect(first).not.toHaveProperty("isCandidate");
  });

  test("a review of the plan stands before the work and does not wait for checks", () => {
    const pieces = plan("plan_implement_review", (workflow) => ({
      ...workflow,
      edges: [
        ["issue", "plan"],
        ["plan", "plan_doc"],
        ["plan_doc", "review"],
        ["review", "verdict"],
        ["verdict", "implement"],
        ["implement", "diff"],
      ],
      control: {
        ...workflow.control,
        gates: [{ id: "g_review", after: "review", rule: "review_approve", onFail: "plan", extra: {} }],
      },
    }));
    expect(drawn(pieces)).toEqual([
      "plan <-",
      "implement <- g_review",
      "review <- plan",
      "g_review <- review !-> plan implement review check",
      "check <- implement !-> implement",
    ]);
  });

  test("what cannot be run is refused with the reason", () => {
    const solo = namedWorkflow("solo")?.workflow;
    if (solo === undefined) throw new Error("solo");
    const gates = [{ id: "g", after: "implement", rule: "command:lint", extra: {} }];
    const planned = planWorkflow({
      workflow: { ...solo, control: { ...solo.control, gates } },
      goal: "x",
      providers: new Map(),
      permission: "edit",
    });
    expect(planned).toMatchObject({ ok: false, problem: { code: "not-supported-yet" } });
  });
});
