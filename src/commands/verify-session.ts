import type { JsonObject } from "../core/canonical-json.ts";
import { verifyChain } from "../core/chain.ts";
import type { SessionId } from "../core/ids.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { SessionSummary, Store, StoredEvent } from "../ports/store.ts";

/** Walks the chain of a session and compares what it comes to with what is stored; how many events there are. */
export async function verifySession(store: Store, summary: SessionSummary): Promise<Result<number>> {
  const all = await allEvents(store, summary.session);
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
  return ok(all.value.length);
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
