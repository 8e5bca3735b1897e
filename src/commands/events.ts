import type { JsonObject } from "../core/canonical-json.ts";
import type { SessionId } from "../core/ids.ts";
import { InvariantError, ok, type Result } from "../core/result.ts";
import type { Store, StoredEvent } from "../ports/store.ts";
import { ExitCode } from "./exit-codes.ts";
import { findSession, SESSION_FLAG } from "./find-session.ts";
import { readFlags } from "./flag-values.ts";
import { anything, object, text, whole } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

const POLL_MS = 200;
const PAGE = 500;

export const events: Command = {
  path: ["events"],
  group: "Loops",
  brief: "The events of a session, oldest first; --follow goes on as they come",
  args: [],
  flags: {
    session: SESSION_FLAG,
    follow: { kind: "boolean", brief: "Wait for more until the session is closed" },
    after: { kind: "count", brief: "Only events with a higher number", placeholder: "SEQ" },
  },
  output: object({ session: text, seq: whole, type: text, at: text, data: anything, prev: text, hash: text }),
  streams: true,
  run,
};

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const flags = readFlags(input);
  const store = await context.readStore();
  if (!store.ok) return store;
  const found = await findSession(context, store.value, flags.text("session"), true);
  if (!found.ok) return found;
  if (store.value === undefined) throw new InvariantError("a session was found without a store");
  let interrupted = false;
  const stop = context.onInterrupt(() => {
    interrupted = true;
  });
  try {
    return await print(context, store.value, found.value.summary.session, {
      after: flags.count("after") ?? 0,
      more: () => flags.is("follow") && !interrupted,
    });
  } finally {
    stop();
  }
}

async function print(
  context: CommandContext,
  store: Store,
  session: SessionId,
  request: { readonly after: number; readonly more: () => boolean },
): Promise<Result<CommandOutput>> {
  let after = request.after;
  for (;;) {
    const page = await store.events(session, after, PAGE);
    if (!page.ok) return page;
    for (const event of page.value) context.emit("event", { ...event } as unknown as JsonObject);
    after = page.value.at(-1)?.seq ?? after;
    const closed = page.value.some(isLast);
    if (page.value.length === PAGE) continue;
    if (closed || !request.more()) return ok({ exit: ExitCode.ok, json: {} });
    await context.sleep(POLL_MS);
  }
}

/** A session closes once its record is written. */
function isLast({ type, data }: StoredEvent): boolean {
  return type === "session:moved" && data["to"] === "closed";
}
