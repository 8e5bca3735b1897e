import { fail, ok, type Result } from "../core/result.ts";

export const LIFECYCLE = [
  "created",
  "validating",
  "planning",
  "awaiting_approval",
  "running",
  "retrying",
  "paused",
  "blocked",
  "escalated",
  "rolled_back",
  "failed",
  "succeeded",
  "closed",
] as const;
export type Lifecycle = (typeof LIFECYCLE)[number];

/** States that end a run of the loop; each is followed by `closed`. */
export const OUTCOMES = ["paused", "blocked", "escalated", "rolled_back", "failed", "succeeded"] as const;
export type Outcome = (typeof OUTCOMES)[number];

const SUCCESSORS: Readonly<Record<Lifecycle, readonly Lifecycle[]>> = {
  created: ["validating"],
  validating: ["planning", "failed", "paused", "blocked", "escalated"],
  planning: ["awaiting_approval", "running", "failed"],
  awaiting_approval: ["running", "failed", "paused", "blocked", "escalated"],
  running: [
    "awaiting_approval",
    "retrying",
    "paused",
    "blocked",
    "escalated",
    "rolled_back",
    "failed",
    "succeeded",
  ],
  retrying: ["running", "paused", "escalated", "failed"],
  paused: ["closed"],
  blocked: ["closed"],
  escalated: ["closed"],
  rolled_back: ["closed"],
  failed: ["closed"],
  succeeded: ["closed"],
  closed: ["validating"],
};

export function isOutcome(state: Lifecycle): state is Outcome {
  return (OUTCOMES as readonly string[]).includes(state);
}

/** Whether a session may go from one state to the other; `illegal-move` names both. */
export function checkMove(from: Lifecycle, to: Lifecycle): Result<void> {
  if (SUCCESSORS[from].includes(to)) return ok(undefined);
  return fail("illegal-move", `a session cannot move from \`${from}\` to \`${to}\``);
}
