import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "./canonical-json.ts";
import { type ChainedEvent, EMPTY_CHAIN, extendChain, hashEvent, verifyChain } from "./chain.ts";
import { sha256 } from "./hash.ts";
import { makeId } from "./ids.ts";

const session = makeId("session", 1, new Uint8Array(10));
const at = "2026-11-30T10:00:00.000Z";
const data = fc.dictionary(fc.string(), fc.jsonValue().map(plain));
const links = fc.array(fc.record({ type: fc.string(), at: fc.constant(at), data }), {
  minLength: 1,
  maxLength: 8,
});

function plain(value: unknown): string | number | boolean | null {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? value
    : JSON.stringify(value);
}

describe("the chain of a session", () => {
  test("an event's hash covers the hash before it and every member but itself", () => {
    const [event] = extendChain(session, EMPTY_CHAIN, [
      { type: "goal:set", at, data: { b: 1, a: undefined } },
    ]);
    const zeros = "0".repeat(64);
    const text = canonicalJson({ session, seq: 1, type: "goal:set", at, data: { b: 1 }, prev: zeros });
    expect(event).toEqual({
      session,
      seq: 1,
      type: "goal:set",
      at,
      data: { b: 1 },
      prev: zeros,
      hash: sha256(zeros + text),
    });
  });

  test("a chain that was extended in any pieces verifies and ends at the last event", () => {
    fc.assert(
      fc.property(links, fc.nat(8), (added, cut) => {
        const first = extendChain(session, EMPTY_CHAIN, added.slice(0, cut));
        const middle = first.at(-1) ?? EMPTY_CHAIN;
        const rest = extendChain(session, middle, added.slice(cut));
        const whole = extendChain(session, EMPTY_CHAIN, added);
        expect([...first, ...rest]).toEqual(whole);
        const end = whole.at(-1);
        expect(verifyChain(whole, end)).toEqual({ ok: true, value: { seq: end?.seq, hash: end?.hash } });
        expect(verifyChain(rest, end, { seq: middle.seq, hash: middle.hash }).ok).toBe(true);
      }),
    );
  });

  test("a changed, dropped, repeated or swapped event breaks the chain", () => {
    const tamper: readonly ((events: ChainedEvent[], i: number) => void)[] = [
      (events, i) => events.splice(i, 1, { ...aLink(events, i), type: "forged:event" }),
      (events, i) => events.splice(i, 1, { ...aLink(events, i), data: { forged: true } }),
      (events, i) => events.splice(i, 1, { ...aLink(events, i), at: "2027-01-01T00:00:00.000Z" }),
      (events, i) => events.splice(i, 1, { ...aLink(events, i), seq: 99 }),
      (events, i) => events.splice(i, 1),
      (events, i) => events.splice(i, 0, aLink(events, i)),
    ];
    fc.assert(
      fc.property(links, fc.nat(), fc.constantFrom(...tamper), (added, where, change) => {
        const events = [...extendChain(session, EMPTY_CHAIN, added)];
        const head = events.at(-1);
        change(events, where % events.length);
        const verdict = verifyChain(events, head);
        expect(verdict.ok ? "intact" : verdict.problem.code).toBe("chain-broken");
      }),
    );
  });

  test("a chain rewritten from some event on is told by its head", () => {
    const honest = extendChain(session, EMPTY_CHAIN, [{ type: "a:b", at, data: {} }]);
    const forged = extendChain(session, EMPTY_CHAIN, [{ type: "a:c", at, data: {} }]);
    expect(verifyChain(forged).ok).toBe(true);
    expect(verifyChain(forged, honest.at(-1)).ok).toBe(false);
    expect(verifyChain([], honest.at(-1)).ok).toBe(false);
  });

  test("an event of another session does not fit", () => {
    const other = makeId("session", 2, new Uint8Array(10));
    const [mine] = extendChain(session, EMPTY_CHAIN, [{ type: "a:b", at, data: {} }]);
    const link = {
      ...aLink(mine === undefined ? [] : [mine], 0),
      session: other,
      seq: 2,
      prev: mine?.hash ?? EMPTY_CHAIN.hash,
    };
    const verdict = verifyChain([...(mine === undefined ? [] : [mine]), { ...link, hash: hashEvent(link) }]);
    expect(verdict.ok).toBe(false);
  });
});

function aLink(events: readonly ChainedEvent[], index: number): ChainedEvent {
  const event = events[index];
  if (event === undefined) throw new Error(`no event ${index}`);
  return event;
}
