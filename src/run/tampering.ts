import type { Problem } from "../core/result.ts";
import type { SessionEvent } from "./events.ts";
import { isOutcome } from "./lifecycle.ts";
import { movesTo } from "./moves.ts";
import type { SessionState } from "./state.ts";

/** What a refused write means when it can only come from somebody else having written our chain. */
export function asTampering(problem: Problem): Problem {
  if (problem.code !== "head-moved" && problem.code !== "no-such-session") return problem;
  return {
    code: "tampering",
    message: `the ledger of this session was written by somebody else: ${problem.message}`,
    hint: "nothing was accepted; look at `loopwright ledger verify`",
  };
}

/** Closes the session as blocked, on top of what somebody else wrote. */
export function tamperingEvents({ lifecycle }: SessionState, problem: Problem): readonly SessionEvent[] {
  const over = isOutcome(lifecycle) || lifecycle === "closed";
  return [
    { type: "session:tampered", data: { detail: problem.message } },
    { type: "session:stopped", data: { reason: { why: "problem", problem } } },
    ...(over ? [] : movesTo(lifecycle, "blocked", problem.code)),
    ...(over
      ? []
      : [{ type: "session:moved", data: { from: "blocked", to: "closed", why: problem.code } } as const]),
  ];
}

/** Why a chain cannot be gone on with although its hashes are right: its own holder has disowned it. */
export function disowned(events: readonly Pick<SessionEvent, "type">[]): Problem | undefined {
  if (!events.some((event) => event.type === "session:tampered")) return undefined;
  return {
    code: "tampering",
    message: "the process that ran this session found events in its ledger that it had not written",
    hint: "trust nothing that it says; start a new session",
  };
}
