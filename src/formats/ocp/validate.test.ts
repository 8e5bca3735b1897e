import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { validateOcp } from "./index.ts";

/** A valid document with one of everything that the rules speak about; tests break it in one place each. */
function aDocument(): Record<string, never> {
  return structuredClone(DOCUMENT) as never;
}
const AT = "2026-03-01T10:00:00Z";
const DOCUMENT = {
  ocp: "0.3",
  producer: { name: "somebody", capabilities: { edges_spawn: false, receipt: false } },
  privacy: { profile: "metadata_only" },
  run: {
    id: "run_1",
    started_at: AT,
    task: { id: "tsk_1", type: "bug_fix", base_commit: "abc" },
    configuration: {
      workflow: {
        pieces: [
          { id: "build", role: "implementer" },
          { id: "test", role: "tester" },
        ],
        artifacts: [{ id: "diff", kind: "diff" }],
        edges: [
          ["build", "diff"],
          ["diff", "test"],
        ],
        control: { gates: ["test"], repair: { test: "build" }, budget: 2 },
      },
      settings: { build: { harness: "codex" }, test: { harness: "command" } },
    },
    acceptance_rule: {
      name: "r",
      definition: "tests pass",
      requires: ["tests"],
      score: { name: "q", target: 0.5, better: "higher", scale: "fraction" },
    },
    signals: [
      { id: "s1", kind: "verdict", name: "tests", value: "pass", observed_at: AT, tier: "verified" },
      {
        id: "s2",
        kind: "score",
        name: "q",
        value: 0.7,
        observed_at: AT,
        tier: "verified",
        scale: "fraction",
      },
      { id: "s3", kind: "event", name: "issue", value: "issue/1", observed_at: AT, tier: "reported" },
    ],
    slate: { id: "slt", members: ["run_1", "run_2"], base_commit: "abc" },
    preferences: [{ id: "p1", slate: "slt", winner: "run_2" }],
  },
  groups: [{ id: "g1" }, { id: "g2", parent: "g1" }],
  nodes: [
    { id: "build", kind: "impl", group: "g2" },
    { id: "test", kind: "gate" },
  ],
  edges: [
    { from: "build", to: "test", tier: "reported" },
    { from: "build", to: "test", kind: "launch", tier: "verified" },
    {
      from: "build",
      to: "test",
      kind: "artifact",
      tier: "verified",
      artifact: "diff",
      from_attempt: "build.a1",
      to_attempt: "test.a1",
    },
  ],
  attempts: [
    {
      id: "build.a1",
      node: "build",
      n: 1,
      status: "done",
      outcome: { result: "done" },
      cost: { cache_creation_tokens: 5, cache_creation_5m_tokens: 2, cache_creation_1h_tokens: 3 },
    },
    {
      id: "test.a1",
      node: "test",
      status: "done",
      outcome: { result: "done", via: "test" },
      cause: { type: "followup", ref: "build.a1" },
      origin: { launched_by: "build.a1", workspace: null, external: false, how: null, tier: "verified" },
    },
  ],
  artifacts: [
    {
      id: "diff",
      path: "work/diff",
      kind: { value: "diff", tier: "verified" },
      producer: "build.a1",
      writers: ["build.a1"],
      consumers: ["test.a1"],
      first_write_at: null,
      n_writes: 1,
      n_reads: null,
    },
  ],
  events: [
    { at: AT, type: "note", node: "build" },
    { at: AT, type: "attempt_started", attempt: "test.a1" },
  ],
};

/** Sets one member, given as `a.b.0.c`; `undefined` removes it. */
function withMember(path: string, value: unknown): unknown {
  const document: unknown = aDocument();
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  const owner = keys.reduce<unknown>((at, key) => Reflect.get(at as object, key), document) as object;
  if (value === undefined) Reflect.deleteProperty(owner, last);
  else Reflect.set(owner, last, value);
  return document;
}

function codesOf(document: unknown): readonly string[] {
  return validateOcp(document).findings.map(({ code }) => code);
}

test("a correct document has no finding", () => {
  expect(validateOcp(aDocument()).findings).toEqual([]);
  expect(validateOcp(JSON.stringify(aDocument())).findings).toEqual([]);
});

test("a finding says where, with keys quoted and indexes bare", () => {
  expect(validateOcp(withMember("run.signals.0.value", "maybe")).findings).toEqual([
    {
      level: "error",
      code: "E195",
      path: "$['run']['signals'][0]['value']",
      message: "a verdict is accept, reject, pass, fail or error",
    },
  ]);
});

describe("each rule is broken by one change and named by its code", () => {
  const edge = { from: "build", to: "test", tier: "reported" };
  const artifact = DOCUMENT.artifacts[0];
  test.each<[string, string, unknown, readonly string[]]>([
    ["an unknown version", "ocp", "9.9", ["E003"]],
    ["a wrong type", "run.title", 5, ["E010"]],
    ["a missing required member", "privacy", undefined, ["E010"]],
    ["a text over its limit", "run.title", "x".repeat(501), ["E010"]],
    ["a timestamp without offset", "run.started_at", "2026-03-01T10:00:00", ["E010"]],
    ["a node id twice", "nodes.2", { id: "build", kind: "impl" }, ["E100"]],
    ["an attempt id twice", "attempts.1.id", "build.a1", ["E101", "E123", "E119", "E118", "E114"]],
    ["a group id twice", "groups.1", { id: "g1" }, ["E102", "E115"]],
    ["an artifact id twice", "artifacts.1", artifact, ["E103"]],
    ["a list that is null", "events", null, ["E010", "E104"]],
    ["an edge from nowhere", "edges.0.from", "x", ["E110"]],
    ["an edge to nowhere", "edges.0.to", "x", ["E111"]],
    ["an attempt at no node", "attempts.0.node", "x", ["E124", "E112", "E161"]],
    ["an event at no node", "events.0.node", "x", ["E113"]],
    ["an event of no attempt", "events.1.attempt", "x", ["E114"]],
    ["a node in no group", "nodes.0.group", "x", ["E115"]],
    ["an artifact edge without artifact", "edges.2.artifact", undefined, ["E010", "E116"]],
    ["an artifact edge to no artifact", "edges.2.artifact", "x", ["E117"]],
    ["an artifact of no attempt", "artifacts.0.consumers", ["test.a1", "x"], ["E118"]],
    ["a launch by no attempt", "attempts.1.origin.launched_by", "x", ["E119"]],
    ["a launch by itself", "attempts.1.origin.launched_by", "test.a1", ["E119"]],
    ["a parent that is no group", "groups.1.parent", "x", ["E120"]],
    ["parents in a cycle", "groups.0.parent", "g2", ["E121"]],
    ["dependencies in a cycle", "edges.3", { ...edge, from: "test", to: "build" }, ["E122"]],
    ["a node that waits for itself", "edges.0.from", "test", ["E122"]],
    ["an edge of no attempt", "edges.2.to_attempt", "x", ["E123", "E164"]],
    ["an attempt at the wrong end", "edges.2.from_attempt", "test.a1", ["E124", "E164"]],
    ["an artifact edge without attempt", "edges.2.to_attempt", undefined, ["E010", "E125"]],
    ["an outcome that differs", "attempts.0.outcome.result", "failed", ["E130"]],
    ["a terminal attempt without outcome", "attempts.0.outcome", undefined, ["W131"]],
    ["a working attempt with outcome", "attempts.0.status", "working", ["W132"]],
    ["a cause that is no attempt", "attempts.1.cause.ref", "x", ["W140"]],
    ["a decision at no node", "attempts.1.outcome.via", "x", ["W141"]],
    ["events out of order", "events.1.at", "2026-03-01T09:59:59Z", ["W150"]],
    ["an edge without tier", "edges.0.tier", undefined, ["E010", "E160"]],
    ["a launch without edge", "edges.1.kind", "dep", ["E161"]],
    ["a producer that did not write first", "artifacts.0.writers", ["test.a1", "build.a1"], ["E162", "E163"]],
    ["a count too small", "artifacts.0.n_reads", 0, ["E163"]],
    ["an external launch by an attempt", "attempts.1.origin.external", true, ["E010", "E165"]],
    ["no writer", "artifacts.0.writers", [], ["E010", "E166"]],
    ["a consumer twice", "artifacts.0.consumers", ["test.a1", "test.a1"], ["E010", "E166"]],
    ["consumers that are no list", "artifacts.0.consumers", {}, ["E010", "E164", "E167"]],
    ["cache classes that do not add up", "attempts.0.cost.cache_creation_tokens", 6, ["E170"]],
    ["a producer that must measure", "producer.name", "loopmath/graph", ["E171"]],
    ["a capability that is not held", "edges.1.kind", "spawn", ["E180", "E161"]],
    ["a retired prefix", "run.ext", { "dagr.x": 1 }, ["E181"]],
    ["a retired prefix below an unknown member", "run.more", { ext: { "ocp.x": 1 } }, ["E181"]],
    ["a wrong configuration id", "run.configuration.id", "cfg_000000000000", ["E190"]],
    ["a piece without setting", "run.configuration.settings.test", undefined, ["E191"]],
    ["an edge between pieces", "run.configuration.workflow.edges.0", ["build", "test"], ["E192"]],
    ["a workflow in a cycle", "run.configuration.workflow.edges.2", ["test", "diff"], ["E192"]],
    ["an artifact named like a piece", "run.configuration.workflow.artifacts.1", { id: "test" }, ["E192"]],
    ["a gate that is no piece", "run.configuration.workflow.control.gates", ["test", "x"], ["E193"]],
    ["a repair of no gate", "run.configuration.workflow.control.repair", { build: "build" }, ["E193"]],
    ["a slate without this run", "run.slate.members", ["run_2"], ["E194"]],
    ["another base commit", "run.slate.base_commit", "def", ["E194"]],
    ["a preference of another slate", "run.preferences.0.slate", "x", ["E194"]],
    ["a winner that did not run", "run.preferences.0.winner", "run_9", ["E194"]],
    ["a fraction over 1", "run.signals.1.value", 1.5, ["E195"]],
    ["a target over 1", "run.acceptance_rule.score.target", 1.5, ["E195"]],
    ["a score rule about a verdict", "run.acceptance_rule.score.name", "tests", ["E195"]],
    ["a required event", "run.acceptance_rule.requires", ["issue"], ["E195"]],
    ["an event with a number", "run.signals.2.value", 3, ["E195"]],
    ["no capabilities", "producer.capabilities", undefined, ["W180"]],
    ["the old namespace", "ext", { "dev.dagr.x": 1 }, ["W182"]],
    ["a receipt of somebody else", "run.receipt", {}, ["E180", "W196"]],
    ["a word of our own", "nodes.0.kind", "poem", ["W200"]],
    ["a task type of our own", "run.task.type", "poem", ["W200"]],
    ["an unknown attempt in a signal", "run.signals.0.at_attempt", "x", ["loopwright/dangling-attempt"]],
    ["a replaced artifact that is none", "artifacts.0.supersedes", "x", ["loopwright/dangling-artifact"]],
    ["a vertex that is no piece", "nodes.0.vertex", "x", ["loopwright/unknown-vertex"]],
    ["a signal id twice", "run.signals.1.id", "s1", ["loopwright/duplicate-id"]],
    ["a month that is none", "run.started_at", "2026-99-01T10:00:00Z", ["loopwright/no-such-date"]],
    ["an end before the start", "run.ended_at", "2026-02-28T23:00:00Z", ["loopwright/ended-before-started"]],
    ["a code fence in a label", "run.title", "```js", ["loopwright/private-text"]],
    [
      "a fraction in the options",
      "run.configuration.settings.build.options",
      { t: 0.5 },
      ["loopwright/fractional-option"],
    ],
  ])("%s", (_what, path, value, codes) => {
    expect(codesOf(withMember(path, value))).toEqual(codes);
  });
});

test("a pass that a failed attempt is said to have earned is a contradiction", () => {
  const document = withMember("run.signals.0.at_attempt", "build.a1") as typeof DOCUMENT;
  Object.assign(document.attempts[0] ?? {}, { status: "failed", outcome: { result: "failed" } });
  expect(codesOf(document)).toEqual(["loopwright/contradiction"]);
});

test("a receipt is welcome from the producer that owns it", () => {
  const document = withMember("run.receipt", {}) as typeof DOCUMENT;
  document.producer = { name: "loopmath", capabilities: { edges_spawn: false, receipt: true } };
  for (const attempt of document.attempts) Object.assign(attempt, { cost: { basis: "measured" } });
  expect(codesOf(document)).toEqual([]);
});

test("an allocated cost of the measuring producer needs a matched log", () => {
  const document = withMember("producer.name", "loopmath") as typeof DOCUMENT;
  const [attempt] = document.attempts;
  const allocated = (tier: string) => ({ basis: "allocated", ext: { "dev.loopmath.logmatch": { tier } } });
  Object.assign(attempt ?? {}, { cost: allocated("verified") });
  expect(codesOf(document)).toEqual(["E171"]);
  Object.assign(attempt ?? {}, { cost: allocated("heuristic") });
  expect(codesOf(document)).toEqual([]);
});

test("the referential rules run for a document of unknown version, its schema does not", () => {
  const document = withMember("edges.0.from", "x") as Record<string, unknown>;
  document["ocp"] = "7";
  document["privacy"] = 5;
  expect(codesOf(document)).toEqual(["E003", "E110"]);
});

test("a contract run file gets the hint that it can be migrated", () => {
  expect(validateOcp({ run: {}, tasks: [] }).findings[0]?.message).toContain("ocp migrate");
});

describe("hostile input", () => {
  test.each<[string, string | Uint8Array]>([
    ["no text", ""],
    ["half a document", '{"ocp": "0.3"'],
    ["NaN", '{"ocp": NaN}'],
    ["an infinite number", '{"ocp": 1e999}'],
    ["a byte order mark", "\ufeff{}"],
    ["a trailing comma", '{"a": 1,}'],
    ["text after the end", "{} {}"],
    ["a raw control character", '{"a": "\u0001"}'],
    ["bytes that are not UTF-8", Uint8Array.of(0x22, 0xff, 0x22)],
    ["100,000 open brackets", "[".repeat(100_000)],
    ["100,000 nested objects", '{"a":'.repeat(100_000)],
  ])("%s is E001", (_what, text) => {
    expect(codesOf(text)).toEqual(["E001"]);
  });

  test("a value that contains itself is E001", () => {
    const loop: Record<string, unknown> = {};
    loop["self"] = loop;
    expect(codesOf(loop)).toEqual(["E001"]);
  });

  test.each([
    ["null", null],
    ["a list", []],
    ["a number", 5],
  ])("%s is E002", (_what, value) => {
    expect(codesOf(value)).toEqual(["E002"]);
  });

  test("a key that is written twice is a warning that names it", () => {
    const text = JSON.stringify(aDocument()).replace('"ocp":"0.3"', '"ocp":"0.2","ocp":"0.3"');
    expect(validateOcp(text).findings.map(({ code, path }) => [code, path])).toEqual([
      ["loopwright/duplicate-key", "$['ocp']"],
    ]);
  });

  test("members named like those of every object are members, not inheritance", () => {
    const text = JSON.stringify(aDocument())
      .replaceAll('"build"', '"__proto__"')
      .replaceAll('"test"', '"constructor"');
    expect(codesOf(text)).toEqual([]);
    expect(codesOf('{"__proto__": {"ocp": "0.3"}}')).toEqual(["E003"]);
  });

  test("a lone surrogate in a configuration is no crash", () => {
    const text = JSON.stringify(withMember("run.configuration.id", "cfg_000000000000"));
    expect(codesOf(text.replace('"harness":"codex"', '"harness":"\\ud800"'))).toEqual([]);
  });

  test("no replacement of any member makes the check throw", () => {
    const paths = everyPath(DOCUMENT, "");
    const values = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(Number.NaN, "__proto__", -1, 2.5));
    fc.assert(
      fc.property(fc.constantFrom(...paths), values, (path, value) => {
        const report = validateOcp(withMember(path, value));
        expect(report.ok).toBe(report.findings.every(({ level }) => level === "warning"));
      }),
      { numRuns: 300 },
    );
  });
});

function everyPath(value: unknown, at: string): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.keys(value).flatMap((key) => {
    const path = at === "" ? key : `${at}.${key}`;
    return [path, ...everyPath(Reflect.get(value, key), path)];
  });
}
