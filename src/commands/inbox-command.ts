import type { JsonObject } from "../core/canonical-json.ts";
import { makeId } from "../core/ids.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { instant } from "../core/time.ts";
import type { CommandKind } from "../run/inbox.ts";
import { ExitCode } from "./exit-codes.ts";
import { findSession } from "./find-session.ts";
import { readFlags } from "./flag-values.ts";
import { isLive } from "./live.ts";
import { answer, flag, text } from "./schema.ts";
import type { CommandContext, CommandInput, CommandOutput } from "./types.ts";

export const INBOX_MEMBERS = { session: text, command: text, live: flag };

export function inboxAnswer(command: string): ReturnType<typeof answer> {
  return answer(command, INBOX_MEMBERS);
}

/** Leaves a request for the process that holds a session; it is answered in the ledger. */
export async function submit(
  context: CommandContext,
  input: CommandInput,
  name: string,
  kind: CommandKind,
  payload: JsonObject,
): Promise<Result<CommandOutput>> {
  const store = await context.writeStore();
  if (!store.ok) return store;
  const found = await findSession(context, store.value, readFlags(input).text("session"), false);
  if (!found.ok) return found;
  const { session } = found.value.summary;
  if (context.insideAttempt && mayBeOwn(context, session)) {
    return fail("person-only", `an attempt cannot \`${name}\` its own session`);
  }
  const id = makeId("command", context.now(), context.entropy(10));
  const done = await store.value.submitCommand({ id, session, kind, payload, at: instant(context.now()) });
  if (!done.ok) return done;
  const lease = await store.value.lease(session);
  const live = await isLive(context, lease);
  if (!live)
    context.talk(
      `nobody is running this session now; it takes effect with: loopwright loop resume --session ${session}`,
    );
  return ok({
    exit: ExitCode.ok,
    json: { schema: `loopwright.${name.replaceAll(" ", "-")}/1`, ok: true, session, command: id, live },
  });
}

function mayBeOwn({ attemptSessions }: CommandContext, session: string): boolean {
  return attemptSessions.length === 0 || attemptSessions.includes(session);
}
