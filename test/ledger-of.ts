import { openStore } from "../src/adapters/store-sqlite/index.ts";
import { systemClock } from "../src/adapters/system/clock.ts";
import { must } from "../src/core/result.ts";
import { type DatedEvent, fromStored } from "../src/run/events.ts";

/** The events of the first session in a home, read past the program. */
export async function ledgerOf({ home }: { readonly home: string }): Promise<readonly DatedEvent[]> {
  const { store } = must(await openStore(home, systemClock, { readOnly: true }));
  try {
    const [session] = must(await store.sessions({}));
    if (session === undefined) throw new Error("no session was recorded");
    return must(await store.events(session.session, 0)).map((event) => must(fromStored(event)));
  } finally {
    await store.close();
  }
}
