import { parseId } from "../core/ids.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { SessionSummary, Store } from "../ports/store.ts";
import type { SessionState } from "../run/state.ts";
import type { CommandContext, FlagSpec } from "./types.ts";

export const SESSION_FLAG: FlagSpec = {
  kind: "text",
  brief: "Act on this session instead of the newest unfinished one here",
  placeholder: "ID|NNN",
};

export interface FoundSession {
  readonly summary: SessionSummary;
  /** The view that was stored with the last append. */
  readonly state: SessionState;
}

/**
 * The session a command means: the one that is named, else the newest unfinished one of this top level, else (when
 * `finishedToo`) the newest. Not found: `no-such-session` with what there is.
 */
export async function findSession(
  context: CommandContext,
  store: Store | undefined,
  named: string | undefined,
  finishedToo: boolean,
): Promise<Result<FoundSession>> {
  if (store === undefined) return fail("no-such-session", "no session was ever started here", START_HINT);
  const top = await context.topLevel();
  if (!top.ok) return top;
  if (named !== undefined && parseId("session", named) !== undefined) {
    const id = parseId("session", named);
    const found = id === undefined ? ok(undefined) : await store.session(id);
    if (!found.ok) return found;
    return found.value === undefined ? unknown(named, []) : ok(asFound(found.value));
  }
  const here = await store.sessions({ topLevel: top.value, limit: 100 });
  if (!here.ok) return here;
  if (named !== undefined) {
    const byNumber = here.value.find((summary) => summary.number === Number(named));
    return byNumber === undefined ? unknown(named, here.value) : ok(asFound(byNumber));
  }
  const open = here.value.find((summary) => summary.outcome !== "succeeded" || summary.state !== "closed");
  const chosen = finishedToo ? (open ?? here.value[0]) : open;
  return chosen === undefined ? unknown(undefined, here.value) : ok(asFound(chosen));
}

const START_HINT = { hint: 'start one: loopwright go "GOAL" --check CMD' };

export function asFound(summary: SessionSummary): FoundSession {
  return { summary, state: summary.projection as unknown as SessionState };
}

function unknown(named: string | undefined, here: readonly SessionSummary[]): Result<FoundSession> {
  const what =
    named === undefined ? "no unfinished session in this folder" : `there is no session ${named} here`;
  if (here.length === 0) return fail("no-such-session", what, START_HINT);
  const names = here
    .slice(0, 10)
    .map(
      (summary) =>
        `${String(summary.number).padStart(3, "0")} ${summary.outcome ?? summary.state}: ${summary.title}`,
    );
  return fail("no-such-session", what, { hint: `pick one with --session NNN: ${names.join("; ")}` });
}
