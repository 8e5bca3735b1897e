import { expect, test } from "vitest";
import type { LoopMemory, Promotion } from "../formats/loop/index.ts";
import type { LoopRecord } from "../ports/store.ts";
import {
  type Fact,
  factsOf,
  memoryRecords,
  outdated,
  recalled,
  type Said,
  standingRecord,
} from "./loop-memory.ts";

const SCOPE = { topLevel: "/top", loop: "tidy" };
const DAY = 24 * 3600 * 1000;
const NOW = Date.parse("2026-11-30T10:00:00Z");

const said = (content: string, more: Partial<Said> = {}): Said => ({
  namespace: "semantic",
  key: "test-command",
  content,
  provenance: "package.json:7",
  confidence: 0.8,
  ...more,
});

/** One run a day, the last one now. */
function runs(...contents: readonly (string | Said)[]): readonly LoopRecord[] {
  return contents.flatMap((one, index) => {
    const at = new Date(NOW - (contents.length - 1 - index) * DAY).toISOString();
    return memoryRecords(SCOPE, `ses_${index}`, at, [typeof one === "string" ? said(one) : one]);
  });
}

function memory(promotion: Promotion = { rule: "repeated_validation", times: 3 }, days?: number): LoopMemory {
  const namespace = {
    isEnabled: true,
    minConfidence: 0.75,
    requireProvenance: true,
    promotion,
    ...(days !== undefined && { retentionDays: days }),
  };
  const namespaces = { episodic: namespace, semantic: namespace, procedural: namespace, failure: namespace };
  return { carrySummaries: 2, maxSummaryChars: 1200, maxRetrieved: 10, namespaces };
}

function facts(records: readonly LoopRecord[], policy = memory()): readonly Fact[] {
  return factsOf(records, policy.namespaces, NOW);
}

test("corroboration needs distinct runs", () => {
  const twice = memoryRecords(SCOPE, "ses_0", new Date(NOW).toISOString(), [
    said("npm test"),
    said("npm test"),
  ]);
  expect(facts([...twice, ...runs("npm test")])).toMatchObject([{ runs: ["ses_0"], isPromoted: false }]);
  expect(facts(runs("npm test", "NPM  test.", "npm test"))).toMatchObject([
    { runs: ["ses_0", "ses_1", "ses_2"], otherwise: 0, isPromoted: true },
  ]);
});

test("runs that say different things of a key do not confirm each other, and the newest counts", () => {
  expect(facts(runs("npm test", "npm test", "npm test", "make check"))).toMatchObject([
    { content: "make check", runs: ["ses_3"], otherwise: 3, isPromoted: false },
  ]);
});

test("human approval is the only road where set, and later writes do not revoke it", () => {
  const policy = memory({ rule: "human_approval" });
  const many = runs("npm test", "npm test", "npm test", "npm test");
  const [fact] = facts(many, policy);
  expect(fact).toMatchObject({ isPromoted: false });
  if (fact === undefined) return;
  const standing = standingRecord(SCOPE, fact, "ann", new Date(NOW - 10 * DAY).toISOString());
  const later = [...many, ...runs("rm -rf /", "rm -rf /"), standing];
  expect(facts(later, policy)).toMatchObject([
    { content: "npm test", by: "ann", isPromoted: true, confidence: 1 },
  ]);
});

test("low confidence is never recalled", () => {
  const unsure = said("npm test", { confidence: 0.7 });
  const found = facts(runs(unsure, unsure, unsure));
  expect(found).toMatchObject([{ isPromoted: true }]);
  expect(recalled(found, memory())).toEqual([]);
});

test("a run is told the newest first, no more than it may be, and nothing of a namespace that is off", () => {
  const policy = memory({ rule: "automatic" });
  const some = runs(...["a", "b", "c"].map((key) => said(key, { key })));
  const keys = (one: LoopMemory) => recalled(facts(some, one), one).map(({ key }) => key);
  expect(keys(policy)).toEqual(["c", "b", "a"]);
  expect(keys({ ...policy, maxRetrieved: 2 })).toEqual(["c", "b"]);
  const semantic = { ...policy.namespaces.semantic, isEnabled: false };
  expect(keys({ ...policy, namespaces: { ...policy.namespaces, semantic } })).toEqual([]);
});

test("what is never promoted stays untold", () => {
  expect(facts(runs("x", "x", "x"), memory({ rule: "never" }))).toMatchObject([{ isPromoted: false }]);
});

test("what is too old neither counts nor is kept, and one loop holds no more than its share", () => {
  const old = runs("x", "x", "x", "x");
  expect(facts(old, memory(undefined, 2))).toMatchObject([{ runs: ["ses_1", "ses_2", "ses_3"] }]);
  expect(outdated(old, { semantic: 2 }, NOW)).toEqual([old[0]]);
  const many = Array.from({ length: 502 }, (_, n) => said("x", { key: `k${n}` }));
  expect(outdated(runs(...many).toReversed(), {}, NOW)).toHaveLength(2);
});
