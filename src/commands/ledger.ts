import { InvariantError, ok, type Result } from "../core/result.ts";
import { events } from "./events.ts";
import { ExitCode } from "./exit-codes.ts";
import { findSession, SESSION_FLAG } from "./find-session.ts";
import { readFlags } from "./flag-values.ts";
import { answer, text, whole } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";
import { verifySession } from "./verify-session.ts";

export const ledgerShow: Command = {
  ...events,
  path: ["ledger", "show"],
  brief: "The hash-chained events of a session, whole",
  flags: {
    session: SESSION_FLAG,
    after: { kind: "count", brief: "Only events with a higher number", placeholder: "SEQ" },
  },
};

export const ledgerVerify: Command = {
  path: ["ledger", "verify"],
  group: "Loops",
  brief: "Walk the hash chain of a session and compare its state with it",
  args: [],
  flags: { session: SESSION_FLAG },
  output: answer("ledger-verify", { session: text, events: whole, head: text, state: text }),
  run: verify,
};

async function verify(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const store = await context.readStore();
  if (!store.ok) return store;
  const found = await findSession(context, store.value, readFlags(input).text("session"), true);
  if (!found.ok) return found;
  if (store.value === undefined) throw new InvariantError("a session was found without a store");
  const { summary } = found.value;
  const verified = await verifySession(store.value, summary);
  if (!verified.ok) return verified;
  return ok({
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.ledger-verify/1",
      ok: true,
      session: summary.session,
      events: verified.value,
      head: summary.head.hash,
      state: summary.state,
    },
  });
}
