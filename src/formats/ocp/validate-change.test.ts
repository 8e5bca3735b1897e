import fc from "fast-check";
import { expect, test } from "vitest";
import { aForeignRun, anAttempt, aSignal } from "../../../test/contract/records/documents.ts";
import type { OcpDocument, OcpEvent, OcpSignal } from "./index.ts";
import { validateOcp } from "./index.ts";

const word = fc.constantFrom(
  "tests",
  "review",
  "",
  "pass",
  "fail",
  "run_a",
  "implement.a1",
  "nobody.a1",
  "x:y",
);

const signal: fc.Arbitrary<OcpSignal> = fc
  .record({ id: word, name: word, value: fc.oneof(word, fc.double()), at: word, attempt: word })
  .map(({ id, name, value, at, attempt }) => ({
    ...aSignal(id, name, "pass", at === "" ? "yesterday" : undefined),
    value,
    at_attempt: attempt,
    ...(at === "x:y" && { kind: "score", scale: "fraction" }),
  }));

const event: fc.Arbitrary<OcpEvent> = fc
  .record({ type: word, node: word, attempt: word })
  .map((told) => ({ at: "2026-11-02T09:00:00Z", ...told }));

test("a change of what a run says is refused for the same reasons as the whole document would be", () => {
  const known: OcpDocument = aForeignRun("run_a", {}, { attempts: [anAttempt("implement.a1", undefined)] });
  const change = fc.record({
    signals: fc.array(signal, { maxLength: 3 }),
    events: fc.array(event, { maxLength: 3 }),
    title: fc.oneof(word, fc.string({ minLength: 490, maxLength: 520 })),
    attempts: fc.constantFrom(known.attempts, [anAttempt("implement.a1", undefined), anAttempt("other", -1)]),
  });
  fc.assert(
    fc.property(change, ({ signals, events, title, attempts }) => {
      const changed = { ...known, run: { ...known.run, signals, title }, events, attempts };
      const findings = validateOcp(changed, { lints: false, madeFrom: known }).findings;
      expect(findings).toEqual(validateOcp(changed, { lints: false }).findings);
    }),
    { numRuns: 300 },
  );
});
