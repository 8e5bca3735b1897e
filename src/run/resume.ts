import type { SessionId } from "../core/ids.ts";
import { fail, InvariantError, ok, type Result } from "../core/result.ts";
import { type Advanced, advance } from "./advance.ts";
import { closeSession, letGo } from "./close.ts";
import type { RunOptions, RunPorts } from "./ports.ts";
import { recover } from "./recover.ts";
import type { SessionRun } from "./session-run.ts";
import type { Limits } from "./spec.ts";
import { takeSession } from "./take.ts";

/**
 * Goes on with a session after a crash, a stop, a park or an answer. Work that was under way is drained, reaped or
 * recorded as lost first. `limits` raises ceilings.
 */
export async function resumeSession(
  ports: RunPorts,
  options: RunOptions,
  session: SessionId,
  limits: Partial<Limits> | undefined,
): Promise<Result<{ readonly run: SessionRun; readonly advanced: Advanced }>> {
  const taken = await takeSession(ports, options, session);
  if (!taken.ok) return taken;
  const run = taken.value;
  if (run.state.outcome === "succeeded" && run.state.lifecycle === "closed") {
    await letGo(run, { reason: { why: "goal-satisfied" }, closed: true });
    return fail("session-closed", `session ${session} has reached its goal`, { hint: "start a new one" });
  }
  const recovered = await recover(run);
  if (!recovered.ok) {
    await letGo(run, undefined);
    return recovered;
  }
  const wasClosed = run.state.lifecycle === "closed";
  if (run.state.stopped !== undefined && !wasClosed) {
    const end = await closeSession(run, run.state.stopped);
    if (run.state.outcome === "succeeded") {
      await letGo(run, end);
      return ok({ run, advanced: { end } });
    }
  }
  await reopen(run, limits);
  return ok({ run, advanced: await advance(run) });
}

/** Marks the resume in the chain; from `closed` the session goes through validation again. */
async function reopen(run: SessionRun, limits: Partial<Limits> | undefined): Promise<void> {
  await run.chain.commit((state) => {
    if (state.lifecycle !== "closed" && state.stopped !== undefined) {
      throw new InvariantError("a stopped session is closed before it is reopened");
    }
    const data = limits === undefined ? {} : { limits };
    const from = state.lifecycle;
    return {
      events: [
        ...(from === "closed"
          ? [{ type: "session:moved", data: { from, to: "validating", why: "resume" } } as const]
          : []),
        { type: "session:resumed", data },
      ],
    };
  });
}
