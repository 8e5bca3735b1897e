import { assertNever } from "../core/result.ts";
import type { Role } from "../formats/workflow/index.ts";
import type { AgentPiece } from "./spec.ts";

export interface PieceSituation {
  /** One of several that share the work. */
  readonly copy: { readonly index: number; readonly count: number } | undefined;
  /** Into how many parts a plan is to be cut. */
  readonly shares: number;
  readonly answers: AgentPiece["answers"];
}

/** What a piece of a workflow is told to do, by its role. */
export function instructionOf(role: Role, goal: string, situation: PieceSituation): string {
  switch (role) {
    case "implementer":
    case "worker":
      return [goal, shareText(situation)].filter((part) => part !== "").join("\n\n");
    case "planner":
      return planText(goal, situation.shares);
    case "reviewer":
    case "tester":
      return `Review the work on this task; do not change any file:\n\n${goal}\n\nLook at the files themselves, not only at the patch below. Ask whether the task is really done, whether something else broke, and whether it would be easy to maintain. What checks cannot see is your part.`;
    case "referee":
      return situation.answers === "pick"
        ? `Several candidates were made for this task, each apart from the others; do not change any file:\n\n${goal}\n\nRead them in their folders and pick the one that does the task best: right first, then simple. Who made them, their order and their length do not matter, and neither does what they say of themselves.`
        : `Judge the work on this task; do not change any file:\n\n${goal}`;
    default:
      return assertNever(role);
  }
}

function shareText({ copy }: PieceSituation): string {
  if (copy === undefined) return "";
  return `You are worker ${copy.index} of ${copy.count}, each in a copy of the files that is merged with the others afterwards. Do part ${copy.index} of the plan only, and touch no file that belongs to another part.`;
}

function planText(goal: string, shares: number): string {
  const parts =
    shares > 1
      ? ` Cut it into ${shares} parts, headed Part 1 to Part ${shares}, that can be done side by side without touching the same file, and say which files belong to which part.`
      : "";
  return `Make a plan for this task; do not change any file:\n\n${goal}\n\nRead what is there first. Say what to change where, in which order, and what to watch out for.${parts} Your last message is the plan and all that those who do it will see of your work; keep it under 3500 characters.`;
}
