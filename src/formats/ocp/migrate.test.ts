import { describe, expect, test } from "vitest";
import { checkSlateSet, migrateOcp, validateOcp } from "./index.ts";

const OLD = {
  ocp: "0.1",
  producer: { name: "old" },
  privacy: { profile: "metadata_only" },
  run: { id: "r", labels: { task: "t", repo: "x" } },
  nodes: [
    { id: "a", kind: "impl" },
    { id: "b", kind: "review" },
  ],
  edges: [{ from: "a", to: "b" }],
  attempts: [{ id: "a.a1", node: "a", status: "working", cost: { usd: 1.5 } }],
};

function migrated(value: unknown): Record<string, never> {
  const result = migrateOcp(JSON.stringify(value));
  if (!result.ok) throw new Error(result.problem.message);
  return JSON.parse(result.value.text);
}

test("an edge of the first version gets the tier that claims least", () => {
  expect(migrated(OLD)).toMatchObject({ ocp: "0.3", edges: [{ from: "a", to: "b", tier: "reported" }] });
});

test("a migrated run says where it came from, and what its labels tell about the task", () => {
  expect(migrated(OLD)["run"]).toEqual({
    id: "r",
    labels: { task: "t", repo: "x" },
    ext: { "dev.loopmath.migration": { from: "0.1" } },
    task: { id: "t", repo: "x", labeled_by: { how: "inferred", tier: "heuristic" } },
    provenance: { kind: "logged", chooser: "habit" },
    configuration: { source: "habit" },
  });
});

test("migrating twice gives the same text as migrating once", () => {
  const once = migrateOcp(JSON.stringify(OLD));
  if (!once.ok) throw new Error(once.problem.message);
  expect(migrateOcp(once.value.text)).toMatchObject({ value: { from: "0.3", text: once.value.text } });
});

test("numbers keep the form they were written in", () => {
  const text = JSON.stringify(OLD).replace("1.5", "2.0");
  expect(migrateOcp(text)).toMatchObject({ value: { text: expect.stringContaining('"usd": 2.0') } });
});

test("a result that breaks a rule is a problem that names it", () => {
  const broken = { ...OLD, edges: [{ from: "a", to: "nowhere" }] };
  expect(migrateOcp(JSON.stringify(broken))).toMatchObject({
    problem: { code: "ocp-invalid", message: "the result breaks a rule: E111 no node 'nowhere'" },
  });
});

test.each(["", "[]", "{}", '{"ocp":"0.9"}'])("%j is refused, not guessed at", (text) => {
  expect(migrateOcp(text).ok).toBe(false);
});

describe("a contract run file", () => {
  const contract = {
    dagr: 3,
    generated_at: "2026-03-01T10:00:00Z",
    run: { id: "r", title: "t" },
    projects: [{ id: "p", title: "project" }],
    tasks: [
      {
        id: "build",
        project: "p",
        state: "done",
        policy: "strict",
        attempts: [
          {
            n: 1,
            state: "done",
            model: "family\u00b7high",
            cause: { type: "strange" },
            outcome: { result: "done", evidence: "reported" },
            chain_key: "k",
            locator: "pane 3",
          },
          { n: 2, state: "elsewhere" },
        ],
      },
      { id: "docs" },
      { id: "gate", kind: "gate", deps: ["build", "docs"], inputs: ["build"] },
    ],
    events: [
      { at: "2026-03-01T10:00:00Z", type: "note", task: "build", by: "lead", verb: "start" },
      { type: "note" },
    ],
  };

  test("becomes a flat document with its dialect in extensions", () => {
    expect(migrated(contract)).toMatchObject({
      producer: { source_contract: "dagr/3", emitted_at: "2026-03-01T10:00:00Z" },
      groups: [{ id: "p", title: "project" }],
      nodes: [
        { id: "build", kind: "impl", group: "p", ext: { "dev.dagr.policy": "strict" } },
        { id: "docs", kind: "impl" },
        { id: "gate", kind: "gate" },
      ],
      edges: [
        { from: "build", to: "gate", kind: "fan_in" },
        { from: "docs", to: "gate", kind: "dep" },
      ],
      attempts: [
        {
          id: "build.a1",
          status: "done",
          model: { raw: "family\u00b7high", family: "family" },
          effort: "high",
          cause: { type: "other" },
          ext: { "dev.dagr.chain_key": "k" },
        },
        { id: "build.a2", status: "queued" },
      ],
      events: [{ node: "build", actor: "lead", ext: { "dev.dagr.verb": "start" } }],
    });
  });

  test("does not carry where its agents ran", () => {
    expect(JSON.stringify(migrated(contract))).not.toContain("pane 3");
  });
});

test("runs of one slate that differ in task or commit are found across documents, at the later one", () => {
  const run = (task: string, base_commit: string) => ({
    run: { slate: { id: "s", members: [] }, task: { id: task, base_commit } },
  });
  const found = checkSlateSet([run("t", "a"), run("t", "a"), run("u", "b"), {}]);
  expect(found.map((findings) => findings.map(({ code, path }) => [code, path]))).toEqual([
    [],
    [],
    [
      ["E194", "$['run']['task']['id']"],
      ["E194", "$['run']['task']['base_commit']"],
    ],
    [],
  ]);
  expect(validateOcp(OLD).ok).toBe(true);
});
