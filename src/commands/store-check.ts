import { ok, type Result } from "../core/result.ts";
import type { SessionSummary, Store } from "../ports/store.ts";
import { ExitCode } from "./exit-codes.ts";
import { answer, flag, list, object, orNull, text, whole } from "./schema.ts";
import type { Command, CommandContext, CommandOutput } from "./types.ts";

export const storeCheck: Command = {
  path: ["store", "check"],
  group: "View",
  brief: "Read all of the store and name what is damaged or was changed by somebody else",
  details:
    "Pages and keys of the database, every blob by its hash, and each session's chain of events against its stored state. Changes nothing.",
  args: [],
  flags: {},
  output: answer("store-check", {
    sound: flag,
    sessions: whole,
    events: whole,
    problems: list(object({ session: orNull(text), message: text })),
    lines: list(text),
  }),
  run,
};

interface Found {
  readonly session: string | null;
  readonly message: string;
}

async function run(context: CommandContext): Promise<Result<CommandOutput>> {
  const opened = await context.readStore();
  if (!opened.ok) return opened;
  const store = opened.value;
  if (store === undefined) return ok(answerOf([], 0, 0));
  const own = await store.integrity();
  if (!own.ok) return own;
  const sessions = await store.sessions({});
  if (!sessions.ok) return sessions;
  const problems: Found[] = own.value.map((message) => ({ session: null, message }));
  let events = 0;
  for (const summary of sessions.value) {
    const verified = await verifyWhenStill(store, summary);
    if (verified.ok) events += verified.value;
    else problems.push({ session: summary.session, message: verified.problem.message });
  }
  return ok(answerOf(problems, sessions.value.length, events));
}

/** A session that went on between two reads is looked at once more, as it is by then. */
async function verifyWhenStill(store: Store, summary: SessionSummary): Promise<Result<number>> {
  const { verifySession } = await import("./verify-session.ts");
  const first = await verifySession(store, summary);
  if (first.ok) return first;
  const now = await store.session(summary.session);
  const hasMoved = now.ok && now.value !== undefined && now.value.head.seq !== summary.head.seq;
  return hasMoved && now.value !== undefined ? verifySession(store, now.value) : first;
}

function answerOf(problems: readonly Found[], sessions: number, events: number): CommandOutput {
  const sound = problems.length === 0;
  const counted = `${sessions} session${sessions === 1 ? "" : "s"}, ${events} events`;
  return {
    exit: sound ? ExitCode.ok : ExitCode.blocked,
    json: {
      schema: "loopwright.store-check/1",
      ok: true,
      sound,
      sessions,
      events,
      problems: problems.map(({ session, message }) => ({ session, message })),
      lines: [
        sound
          ? `the store is sound: ${counted}`
          : `the store is damaged, or somebody else wrote to it: ${counted}`,
        ...problems.map(({ session, message }) => `  ${session === null ? "" : `${session}: `}${message}`),
      ],
    },
  };
}
