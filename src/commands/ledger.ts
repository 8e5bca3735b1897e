import type { JsonObject } from "../core/canonical-json.ts";
import { verifyChain } from "../core/chain.ts";
import type { SessionId } from "../core/ids.ts";
import { fail, InvariantError, ok, type Result } from "../core/result.ts";
import type { Store, StoredEvent } from "../ports/store.ts";
import { events } from "./events.ts";
import { ExitCode } from "./exit-codes.ts";
import { findSession, SESSION_FLAG } from "./find-session.ts";
import { readFlags } from "./flag-values.ts";
import { answer, text, whole } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

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
  const all = await allEvents(store.value, summary.session);
  if (!all.ok) return all;
  const walked = verifyChain(all.value, summary.head);
  if (!walked.ok) return walked;
  const refolded = await refold(all.value);
  if (!refolded.ok) return refolded;
  if (refolded.value !== (await canonicalProjection(summary.projection as JsonObject))) {
    return fail("chain-broken", "the stored state of the session is not what its events come to", {
      hint: "somebody else wrote to the store; trust the events, not the state",
    });
  }
  return ok({
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.ledger-verify/1",
      ok: true,
      session: summary.session,
      events: all.value.length,
      head: summary.head.hash,
      state: summary.state,
    },
  });
}

async function refold(stored: readonly StoredEvent[]): Promise<Result<string>> {
  const { fromStored } = await import("../run/events.ts");
  const { fold } = await import("../run/fold.ts");
  const { summaryOf } = await import("../run/chain.ts");
  const { disowned } = await import("../run/tampering.ts");
  const parsed = [];
  for (const event of stored) {
    const one = fromStored(event);
    if (!one.ok) return one;
    parsed.push(one.value);
  }
  const problem = disowned(parsed);
  if (problem !== undefined) return { ok: false, problem };
  const state = fold(parsed);
  return ok(state === undefined ? "" : await canonicalProjection(summaryOf(state).projection as JsonObject));
}

async function canonicalProjection(projection: JsonObject): Promise<string> {
  const { canonicalJson } = await import("../core/canonical-json.ts");
  return canonicalJson(projection);
}

async function allEvents(store: Store, session: SessionId): Promise<Result<readonly StoredEvent[]>> {
  const all: StoredEvent[] = [];
  for (;;) {
    const page = await store.events(session, all.length, 5000);
    if (!page.ok) return page;
    all.push(...page.value);
    if (page.value.length < 5000) return ok(all);
  }
}
