import { parseCron } from "../cron.ts";
import type { Findings } from "./findings.ts";
import type { TriggerEvent } from "./policy-types.ts";
import type { Loop } from "./types.ts";

export function checkTriggers({ triggers, goals }: Loop, findings: Findings): void {
  for (const [index, { on }] of triggers.triggers.entries()) {
    checkEvent(on, goals, `execution.triggers.triggers[${index}].on`, findings);
  }
}

function checkEvent(on: TriggerEvent, goals: Loop["goals"], path: string, findings: Findings): void {
  switch (on.type) {
    case "cron": {
      const parsed = parseCron(on.expr, on.timezone);
      if (parsed.ok) return;
      const { message } = parsed.problem;
      findings.rule(`${path}.${message.startsWith("no time zone") ? "timezone" : "expr"}`, message);
      return;
    }
    case "interval":
      if (on.intervalMs === 0) findings.rule(`${path}.seconds`, "must be at least 1");
      return;
    case "goal_satisfied":
      if (on.loop !== undefined || goals.some(({ name }) => name === on.goal)) return;
      findings.rule(
        `${path}.goal`,
        `no goal "${on.goal}"`,
        "for another loop's goal add `loop: NAME`",
        "missing-goal",
      );
      return;
    case "file_change":
      if (on.path.trim() === "") findings.rule(`${path}.path`, "must not be blank");
      return;
    case "webhook":
      if (!/^[a-z0-9][a-z0-9-]*$/.test(on.name)) {
        findings.rule(`${path}.name`, "small letters, digits and `-` only; it is part of the address");
      }
      return;
    case "manual":
      return;
  }
}
