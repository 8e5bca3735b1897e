import { InvariantError } from "../core/result.ts";
import type { SessionEvent } from "./events.ts";
import { checkMove, type Lifecycle } from "./lifecycle.ts";

/** The events that take a session from one state to another, through `running` where the table asks for it. */
export function movesTo(from: Lifecycle, to: Lifecycle, why: string): SessionEvent[] {
  if (from === to) return [];
  if (checkMove(from, to).ok) return [{ type: "session:moved", data: { from, to, why } }];
  if (checkMove(from, "running").ok && checkMove("running", to).ok) {
    return [
      { type: "session:moved", data: { from, to: "running", why } },
      { type: "session:moved", data: { from: "running", to, why } },
    ];
  }
  throw new InvariantError(`a session cannot move from \`${from}\` to \`${to}\``);
}

/** created → validating → planning, as one append. */
export function beginMoves(from: Lifecycle, why: string): SessionEvent[] {
  const path: Lifecycle[] = ["validating", "planning"];
  const events: SessionEvent[] = [];
  let at = from;
  for (const to of path) {
    if (!checkMove(at, to).ok) continue;
    events.push({ type: "session:moved", data: { from: at, to, why } });
    at = to;
  }
  return events;
}
