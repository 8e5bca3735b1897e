import type { SessionId } from "../core/ids.ts";
import { formatMicroUsd } from "../core/money.ts";
import { HOUR_MS } from "../core/time.ts";
import type { SessionState } from "../run/state.ts";

/** The command that goes on with a session; where a ceiling ended it, with a higher one, since it would end again. */
export function resumeCommand(session: SessionId, { stopped, limits }: SessionState): string {
  const command = `loopwright loop resume ${session}`;
  switch (stopped?.why) {
    case "iterations":
      return `${command} --max-iterations ${2 * limits.maxIterations}`;
    case "spend":
      return `${command} --max-usd ${formatMicroUsd(2 * (limits.maxMicroUsd ?? 0)).replace("$", "")}`;
    case "running-time":
      return `${command} --max-time ${Math.ceil((2 * limits.maxRunningMs) / HOUR_MS)}h`;
    default:
      return command;
  }
}
