import { canonicalJson, type Json, type JsonObject } from "./canonical-json.ts";
import { type Digest, sha256 } from "./hash.ts";
import type { SessionId } from "./ids.ts";
import { fail, ok, type Result } from "./result.ts";
import type { Instant } from "./time.ts";

/** An event in its place in a session's chain. */
export interface ChainedEvent {
  readonly session: SessionId;
  readonly seq: number;
  readonly type: string;
  readonly at: Instant;
  readonly data: JsonObject;
  readonly prev: Digest;
  readonly hash: Digest;
}

/** The last link of a chain: how many events it has and the hash of the last one. */
export interface ChainEnd {
  readonly seq: number;
  readonly hash: Digest;
}

/** The end of a chain without events: 64 zeros stand where the hash of an event before the first would. */
export const EMPTY_CHAIN: ChainEnd = { seq: 0, hash: "0".repeat(64) as Digest };

/** `sha256(prev ‖ canonicalJson(event without hash))`. */
export function hashEvent(event: Omit<ChainedEvent, "hash">): Digest {
  const { session, seq, type, at, data, prev } = event;
  return sha256(prev + canonicalJson({ session, seq, type, at, data, prev }));
}

/**
 * Links new events to a chain that ends at `end`. `data` of the result is what canonical JSON keeps of the input,
 * so that it equals what a store reads back.
 *
 * @throws TypeError when `data` holds a number that JSON cannot carry.
 */
export function extendChain(
  session: SessionId,
  end: ChainEnd,
  added: readonly Pick<ChainedEvent, "type" | "at" | "data">[],
): readonly ChainedEvent[] {
  const events: ChainedEvent[] = [];
  let last = end;
  for (const { type, at, data } of added) {
    const link = { session, seq: last.seq + 1, type, at, data: storedJson(data), prev: last.hash };
    const event = { ...link, hash: hashEvent(link) };
    events.push(event);
    last = event;
  }
  return events;
}

/** A deep copy of what canonical JSON keeps of a value. */
export function storedJson<T extends Json>(value: T): T {
  return JSON.parse(canonicalJson(value));
}

/**
 * Walks a chain, or the part of it after `from`, and gives its end. `chain-broken` names the first event that is
 * missing, moved, of another session or altered; with `head` also a chain that ends elsewhere.
 */
export function verifyChain(
  events: Iterable<ChainedEvent>,
  head?: ChainEnd,
  from: ChainEnd = EMPTY_CHAIN,
): Result<ChainEnd> {
  let last = from;
  let session: SessionId | undefined;
  for (const event of events) {
    session ??= event.session;
    const flaw = flawOf(event, session, last);
    if (flaw !== undefined) return broken(event.session, flaw);
    last = { seq: event.seq, hash: event.hash };
  }
  if (head !== undefined && (head.seq !== last.seq || head.hash !== last.hash)) {
    return broken(session, `ends at event ${last.seq}, expected event ${head.seq} with hash ${head.hash}`);
  }
  return ok(last);
}

function flawOf(event: ChainedEvent, session: SessionId, last: ChainEnd): string | undefined {
  if (event.session !== session) return `holds event ${event.seq} of another session ${event.session}`;
  if (event.seq !== last.seq + 1) return `has event ${event.seq} where ${last.seq + 1} was expected`;
  if (event.prev !== last.hash) return `is cut before event ${event.seq}`;
  return hashEvent(event) === event.hash ? undefined : `has an altered event ${event.seq}`;
}

function broken(session: SessionId | undefined, flaw: string): Result<never> {
  const name = session === undefined ? "an empty ledger" : `the ledger of session ${session}`;
  return fail("chain-broken", `${name} ${flaw}`, {
    hint: "something other than loopwright wrote to the store; restore it from a backup before trusting a verdict",
  });
}
