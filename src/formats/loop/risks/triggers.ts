import { hasBothDayFields, parseCron } from "../../cron.ts";
import type { Findings } from "../findings.ts";
import type { LoopTrigger } from "../policy-types.ts";
import type { Loop } from "../types.ts";

const NEVER = "trigger-that-never-fires";
/** Bookkeeping of loops: what changes there is not the author's work. */
const UNWATCHED = /(^|\/)(\.git|\.loopwright|state|logs)(\/|$)/;

export function findTriggerRisks({ triggers, name }: Loop, findings: Findings): void {
  const list = triggers.triggers;
  for (const [index, trigger] of list.entries()) {
    findTrigger(trigger, name, triggers.dedupWindowMs, `execution.triggers.triggers[${index}]`, findings);
  }
  if (list.length > 0 && list.every(({ isEnabled }) => !isEnabled)) {
    const hint = "enable one, or leave them out";
    findings.risk(NEVER, "execution.triggers.triggers", "every trigger is switched off", hint);
  }
}

function findTrigger(
  { on, idempotencyKey }: LoopTrigger,
  loop: string,
  dedupWindowMs: number,
  path: string,
  findings: Findings,
): void {
  switch (on.type) {
    case "cron":
      findCron(on.expr, on.timezone, `${path}.on.expr`, findings);
      return;
    case "interval":
      if (idempotencyKey !== undefined && on.intervalMs > 0 && on.intervalMs < dedupWindowMs) {
        const message = "firings with the same key are one within dedup_window_seconds, which is longer";
        findings.risk(
          NEVER,
          `${path}.idempotency_key`,
          message,
          "leave the key out: each firing has its own",
        );
      }
      return;
    case "file_change":
      if (on.path.startsWith("/") || on.path.split("/").includes("..")) {
        findings.risk(
          NEVER,
          `${path}.on.path`,
          "lies outside the loop's folder, which alone is watched",
          "use a path in it",
        );
      } else if (UNWATCHED.test(on.path) || on.path.replace(/\/$/, "") === `${loop}-success`) {
        findings.risk(
          NEVER,
          `${path}.on.path`,
          "a loop's own files are not watched",
          "watch what people change",
        );
      }
      return;
    case "goal_satisfied":
      if (on.loop === undefined || on.loop === loop) {
        const message = "starts this loop again for the goal that it has just reached";
        findings.risk(
          "trigger-on-own-goal",
          `${path}.on.goal`,
          message,
          "name the loop to wait for: `loop: NAME`",
        );
      }
      return;
    case "webhook":
    case "manual":
      return;
  }
}

function findCron(expr: string, timezone: string, path: string, findings: Findings): void {
  const cron = parseCron(expr, timezone);
  if (!cron.ok) return;
  if (cron.value.next(0) === undefined) {
    findings.risk(NEVER, path, "no such day comes", "choose a day that there is");
  } else if (hasBothDayFields(expr)) {
    const message = "fires on each of these days of the month and on each of these days of the week";
    findings.risk("cron-either-day", path, message, "restrict one of the two and leave the other `*`");
  }
}
