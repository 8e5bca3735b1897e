import type { Findings } from "./findings.ts";
import type { Loop } from "./types.ts";

export function checkTriggers({ triggers, goals }: Loop, findings: Findings): void {
  for (const [index, { on }] of triggers.triggers.entries()) {
    if (on.type !== "goal_satisfied" || on.loop !== undefined) continue;
    if (goals.some(({ name }) => name === on.goal)) continue;
    const path = `execution.triggers.triggers[${index}].on.goal`;
    findings.rule(path, `no goal "${on.goal}"`, "for another loop's goal add `loop: NAME`", "missing-goal");
  }
}
