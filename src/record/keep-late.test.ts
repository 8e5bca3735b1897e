import { expect, test } from "vitest";
import { aForeignRun, aSignal } from "../../test/contract/records/documents.ts";
import { must } from "../core/result.ts";
import { memoryStore } from "../testing/memory-store.ts";
import { changeRun, outcomeOf, readRun, storeSessionRun, withRule, withSignal } from "./index.ts";

const clock = { now: () => 0, monotonic: () => 0, sleep: async () => undefined };

test("outcomes and rules recorded about a session stay when its document is rewritten", async () => {
  const { store } = memoryStore(clock);
  const first = aForeignRun("run_a", { signals: [aSignal("sig_gate_1", "gate", "fail")] });
  must(await storeSessionRun(store, first));
  const revert = { ...aSignal("sig_late", "revert", "c0ffee1"), kind: "event" as const };
  must(await changeRun(store, "run_a", (document) => withSignal(document, revert)));
  const rule = { name: "ci", definition: "ci", requires: ["ci"] };
  must(await changeRun(store, "run_a", (document) => ({ ok: true, value: withRule(document, rule) })));
  const resumed = aForeignRun("run_a", {
    title: "resumed",
    signals: [aSignal("sig_gate_1", "gate", "fail"), aSignal("sig_gate_2", "gate", "pass")],
  });
  must(await storeSessionRun(store, resumed));
  const { document, row } = must(await readRun(store, "run_a"));
  expect(document.run.signals?.map(({ id }) => id)).toEqual(["sig_gate_1", "sig_gate_2", "sig_late"]);
  expect(document.run.acceptance_rule?.name).toBe("ci");
  expect(document.events?.at(-1)).toMatchObject({ type: "signal_observed", detail: "event revert" });
  expect([row.title, row.outcome, outcomeOf(document)]).toEqual(["resumed", "rejected", "rejected"]);
});

test("a rewrite that meets another one is decided again on the newer document", async () => {
  const { store } = memoryStore(clock);
  must(await storeSessionRun(store, aForeignRun("run_a", { signals: [] })));
  const names = ["a", "b", "c", "d"];
  await Promise.all(
    names.map((name) =>
      changeRun(store, "run_a", (document) => withSignal(document, aSignal(`sig_${name}`, name, "pass"))),
    ),
  );
  const kept = must(await readRun(store, "run_a")).document.run.signals?.map(({ name }) => name);
  expect(kept?.sort()).toEqual(names);
});
