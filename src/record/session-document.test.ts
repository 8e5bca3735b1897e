import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AttemptId, parseId, type RunId, type SessionId } from "../core/ids.ts";
import { type Cost, microFromNano } from "../core/money.ts";
import { instant, MINUTE_MS } from "../core/time.ts";
import { formatOcp, type OcpDocument, validateOcp } from "../formats/ocp/index.ts";
import { namedWorkflow, toOcpWorkflow } from "../formats/workflow/index.ts";
import type { AttemptEnd } from "../ports/provider.ts";
import {
  type RecordedAttempt,
  type RecordedEvaluation,
  type RecordedSpend,
  runRow as rowOf,
  type SessionRecordInput,
  sessionDocument,
} from "./index.ts";

const runRow = (document: OcpDocument) => rowOf(document, { origin: "recorded", seenAt: "" });

const START_MS = Date.parse("2026-03-01T10:00:00Z");
const at = (minute: number) => instant(START_MS + minute * MINUTE_MS);
const TABLE = { id: "0123456789ab", date: "2026-02-01", source: "price table" };

function anAttemptId(n: number): AttemptId {
  const id = parseId("attempt", `att_01HZZZZZZZZZZZZZZZZZZZ${String(n).padStart(4, "0")}`);
  if (id === undefined) throw new Error("not an attempt id");
  return id;
}
const RUN = parseId("run", "run_01HZZZZZZZZZZZZZZZZZZZZZZZ") as RunId;
const SESSION = parseId("session", "ses_01HZZZZZZZZZZZZZZZZZZZZZZZ") as SessionId;

function known(
  microUsd: number,
  more: Partial<Extract<RecordedSpend, { kind: "known" }>> = {},
): RecordedSpend {
  const cost: Cost = { kind: "known", microUsd, basis: "measured" };
  const usage = { inputTokens: 100, cacheReadTokens: 900, outputTokens: 50, requests: 2 };
  return {
    kind: "known",
    provenance: "measured",
    models: [{ model: "model-x", usage, cost }],
    isSplit: false,
    tariff: TABLE,
    ...more,
  };
}

function anAttempt(n: number, more: Partial<RecordedAttempt> = {}): RecordedAttempt {
  return {
    id: anAttemptId(n),
    piece: "implement",
    round: n,
    setting: { harness: "claude-code" },
    observedModel: "model-x",
    cause: n === 1 ? { kind: "initial" } : { kind: "gate-failed", gate: "check" },
    startedAt: at(10 * n),
    endedAt: at(10 * n + 5),
    end: { reason: "done" },
    spend: known(310_000),
    agentSession: `agent-${n}`,
    tree: `tree${n}`,
    ...more,
  };
}

function anEvaluation(round: number, verdict: RecordedEvaluation["verdict"]): RecordedEvaluation {
  return {
    gate: "check",
    round,
    startedAt: at(10 * round + 6),
    at: at(10 * round + 7),
    verdict,
    tree: `tree${round}`,
    level: "snapshot",
    threat: "same-user",
    checks: [
      { name: "npm test", blocking: true, verdict, exitCode: verdict === "pass" ? 0 : 1, isTestRun: true },
    ],
  };
}

/** One implementer, one gate, red then green. */
function aSession(more: Partial<SessionRecordInput> = {}): SessionRecordInput {
  return {
    producerVersion: "0.1.0",
    emittedAt: at(40),
    session: SESSION,
    run: RUN,
    title: "make the failing tests pass",
    startedAt: at(0),
    endedAt: at(30),
    state: "succeeded",
    workspace: "/srv/project",
    task: { id: "tsk_1", type: "bug_fix", labeledBy: "inferred", repo: "project", baseCommit: "abc" },
    choice: { by: "user" },
    shape: "implement_check",
    pieces: [{ id: "implement", role: "implementer", dependsOn: [], setting: { harness: "claude-code" } }],
    gates: [{ id: "check", commands: ["npm test"], judges: ["implement"], sendsBackTo: "implement" }],
    rounds: 10,
    attempts: [anAttempt(1), anAttempt(2)],
    evaluations: [anEvaluation(1, "fail"), anEvaluation(2, "pass")],
    reviews: [],
    commits: [],
    ...more,
  };
}

const attemptOf = (document: OcpDocument, id: string) => document.attempts?.find((one) => one.id === id);

test("a run of one implementer and one gate is written as the shape implement_check", () => {
  const { run } = sessionDocument(aSession());
  expect(run.configuration).toEqual({
    id: expect.stringMatching(/^cfg_[0-9a-f]{12}$/),
    source: "designed",
    workflow: {
      id: "implement_check",
      version: 1,
      pieces: [
        { id: "implement", role: "implementer", width: 1 },
        { id: "check", role: "tester", width: 1 },
      ],
      artifacts: [
        { id: "issue", kind: "issue" },
        { id: "repo", kind: "repo" },
        { id: "diff", kind: "diff" },
        { id: "verdict", kind: "verdict" },
      ],
      edges: [
        ["issue", "implement"],
        ["repo", "implement"],
        ["implement", "diff"],
        ["diff", "check"],
        ["check", "verdict"],
      ],
      control: { gates: ["check"], repair: { check: "implement" }, budget: 10, rescue: { kind: "person" } },
    },
    settings: {
      implement: {
        harness: "claude-code",
        model: { raw: "model-x", id: "model-x" },
        effort: "default",
        context_policy: "fresh",
        options: {},
      },
      check: { harness: "command", effort: "default", context_policy: "fresh", options: {} },
    },
  });
  expect(run.acceptance_rule).toMatchObject({ name: "gate", requires: ["gate"] });
});

test("the command of a gate stands at its node, not in its setting", () => {
  const nodes = sessionDocument(aSession()).nodes;
  expect(nodes.map(({ id, kind, state, gate }) => [id, kind, state, gate?.command])).toEqual([
    ["implement", "impl", "done", undefined],
    ["check", "gate", "done", "npm test"],
  ]);
});

test("every gate evaluation is a verified verdict, and one that ran tests is also a verdict of tests", () => {
  const signals = sessionDocument(aSession()).run.signals ?? [];
  expect(signals.map(({ name, value, tier, at_attempt }) => [name, value, tier, at_attempt])).toEqual([
    ["gate", "fail", "verified", "check.a1"],
    ["tests", "fail", "verified", "check.a1"],
    ["gate", "pass", "verified", "check.a2"],
    ["tests", "pass", "verified", "check.a2"],
  ]);
});

test("a second round names the evaluation that sent it back", () => {
  const document = sessionDocument(aSession());
  expect(attemptOf(document, "implement.a2")?.cause).toEqual({
    type: "gate_failed",
    by: "check",
    ref: "check.a1",
  });
  expect(document.artifacts?.map(({ id, consumers, supersedes }) => [id, consumers, supersedes])).toEqual([
    ["diff", ["check.a1"], undefined],
    ["diff@v2", ["check.a2"], "diff"],
  ]);
});

describe("how an attempt ends", () => {
  test.each<[AttemptEnd, string, string | undefined]>([
    [{ reason: "done" }, "done", undefined],
    [{ reason: "failed", kind: "auth", detail: "private words" }, "failed", "auth"],
    [{ reason: "timed-out" }, "failed", "timed-out"],
    [{ reason: "stalled" }, "failed", "stalled"],
    [{ reason: "canceled" }, "canceled", undefined],
    [{ reason: "retry-later", retryAt: null, detail: "private words" }, "canceled", "limit"],
    [{ reason: "refused", detail: "private words" }, "rejected", "refused"],
    [{ reason: "lost" }, "lost", undefined],
  ])("%j is recorded as %s", (end, result, reason) => {
    const document = sessionDocument(aSession({ attempts: [anAttempt(1, { end })], evaluations: [] }));
    const attempt = attemptOf(document, "implement.a1");
    expect([attempt?.status, attempt?.outcome?.result, attempt?.outcome?.reason]).toEqual([
      result,
      result,
      reason,
    ]);
    expect(formatOcp(document)).not.toContain("private words");
    expect(attempt?.cost?.usd).toBe(0.31);
  });
});

describe("what an attempt cost", () => {
  const costOf = (spend: RecordedSpend) =>
    attemptOf(sessionDocument(aSession({ attempts: [anAttempt(1, { spend })] })), "implement.a1")?.cost;

  test("a measured cost has dollars, tokens and the price table", () => {
    expect(costOf(known(310_000))).toMatchObject({
      usd: 0.31,
      basis: "measured",
      input_tokens: 100,
      tariff: TABLE,
    });
  });

  test("a logged cost counts as measured, and a share of several attempts as allocated", () => {
    expect(costOf(known(310_000, { provenance: "logged" }))?.basis).toBe("measured");
    expect(costOf(known(310_000, { isSplit: true }))?.basis).toBe("allocated");
  });

  test("an estimate has no dollars and no tokens in the protocol's fields", () => {
    const cost = costOf(known(310_000, { provenance: "estimated" }));
    expect(Object.keys(cost ?? {})).toEqual(["ext"]);
    expect(cost?.ext?.["dev.loopwright.cost"]).toMatchObject({ known_usd: 0.31, provenance: "estimated" });
  });

  test("an unknown cost is absent, and counted as unknown in the row", () => {
    expect(costOf({ kind: "unknown", why: "no log" })).toBeUndefined();
    const attempts = [anAttempt(1), anAttempt(2, { spend: { kind: "unknown", why: "no log" } })];
    const row = runRow(sessionDocument(aSession({ attempts })));
    expect([row.costMicroUsd, row.unknownCosts]).toEqual([310_000, 1]);
  });

  test("one model without a price makes the attempt's dollars unknown", () => {
    const { models } = known(310_000) as Extract<RecordedSpend, { kind: "known" }>;
    const unpriced = {
      model: "model-y",
      usage: { outputTokens: 5 },
      cost: { kind: "unknown", why: "no-price" } as const,
    };
    const cost = costOf(known(0, { models: [...models, unpriced] }));
    expect(cost).toMatchObject({
      output_tokens: 55,
      ext: { "dev.loopwright.cost": { known_usd: 0.31, unknown_parts: 1 } },
    });
    expect(cost?.usd).toBeUndefined();
    expect(cost?.ext?.["dev.loopwright.model_tokens"]).toEqual([
      expect.objectContaining({ model: "model-x", usd: 0.31 }),
      { model: "model-y", output_tokens: 5 },
    ]);
  });

  test("cache writes of one known class have no known total", () => {
    const cost: Cost = { kind: "known", microUsd: 1, basis: "measured" };
    const models = [{ model: "model-x", usage: { cacheWrite5mTokens: 7 }, cost }];
    expect(costOf(known(0, { models }))).not.toHaveProperty("cache_creation_tokens");
  });
});

test("an attempt that fell back to another model states its own setting", () => {
  const attempts = [
    anAttempt(1),
    anAttempt(2, { observedModel: "model-z", spend: { kind: "unknown", why: "" } }),
  ];
  const document = sessionDocument(aSession({ attempts }));
  expect(attemptOf(document, "implement.a1")).not.toHaveProperty("setting");
  expect(attemptOf(document, "implement.a2")?.setting?.model?.id).toBe("model-z");
});

test("a person's long words become one line, without the home directory", () => {
  const title = `fix this:\n\`\`\`\ncode\n\`\`\` in /home/somebody/project ${"please ".repeat(100)}`;
  const document = sessionDocument(aSession({ title }));
  expect(document.run.title).toMatch(/^fix this: code in ~\/project please/);
  expect(document.run.title?.length).toBeLessThanOrEqual(200);
});

test("the row of an accepted run has its outcome, cost and counts", () => {
  expect(runRow(sessionDocument(aSession()))).toEqual({
    run: RUN,
    session: SESSION,
    title: "make the failing tests pass",
    startedAt: at(0),
    endedAt: at(30),
    outcome: "accepted",
    configuration: expect.stringMatching(/^cfg_/),
    repo: "project",
    state: "finished",
    origin: "recorded",
    source: "designed",
    task: "tsk_1",
    baseCommit: "abc",
    taskType: "bug_fix",
    costMicroUsd: 620_000,
    costBasis: "measured",
    unknownCosts: 0,
    attempts: 2,
  });
});

test("a verdict that is taken back after the end makes the run rejected", () => {
  const evaluations = [
    anEvaluation(2, "pass"),
    { ...anEvaluation(2, "fail"), at: at(60), startedAt: at(59) },
  ];
  expect(runRow(sessionDocument(aSession({ evaluations })))).toMatchObject({ outcome: "rejected" });
});

test("a run that has not ended, or was never judged, has no outcome yet", () => {
  const { endedAt: _, ...open } = aSession();
  expect(runRow(sessionDocument(open))).toMatchObject({ outcome: "unknown" });
  expect(runRow(sessionDocument(aSession({ evaluations: [] })))).toMatchObject({ outcome: "unknown" });
});

test("a revert within the window makes an accepted run rejected", () => {
  const document = sessionDocument(aSession());
  const late = (days: number) => {
    const observed_at = instant(START_MS + days * 24 * 60 * MINUTE_MS);
    const revert = {
      id: "sig_late",
      kind: "event",
      name: "revert",
      value: "abc",
      observed_at,
      tier: "reported",
    } as const;
    return runRow({
      ...document,
      run: { ...document.run, signals: [...(document.run.signals ?? []), revert] },
    });
  };
  expect(late(3)).toMatchObject({ outcome: "rejected" });
  expect(late(30)).toMatchObject({ outcome: "accepted" });
});

test("an input that names an unlisted piece is a bug of ours", () => {
  expect(() => sessionDocument(aSession({ pieces: [], gates: [], evaluations: [] }))).toThrow(
    "names no piece 'implement'",
  );
});

test("every document made from any session passes every rule without a warning", () => {
  fc.assert(
    fc.property(anySession(), (input) => {
      const document = sessionDocument(input);
      expect(validateOcp(formatOcp(document)).findings).toEqual([]);
      expect(sessionDocument(input)).toEqual(document);
      expect(runRow(document).run).toBe(document.run.id);
    }),
    { numRuns: 120 },
  );
});

/** Sessions over any acyclic graph, with foreign text wherever foreign text can come from. */
function anySession(): fc.Arbitrary<SessionRecordInput> {
  const name = fc.stringMatching(/^[a-z_][a-z0-9_.-]{0,30}$/);
  const names = fc.uniqueArray(fc.oneof(name, fc.constantFrom("issue", "diff", "verdict", "__proto__")), {
    minLength: 2,
    maxLength: 6,
  });
  return names.chain(([gate = "", ...pieces]) => {
    const role = fc.constantFrom("builder", "judge", "researcher", "implementer", "poet", "constructor");
    return fc.record({
      producerVersion: fc.constant("0.1.0"),
      emittedAt: fc.constant(at(500)),
      session: fc.constant(SESSION),
      run: fc.constant(RUN),
      title: foreign(),
      startedAt: fc.constant(at(0)),
      endedAt: fc.constant(at(400)),
      state: foreign(),
      workspace: foreign(),
      task: fc.record({ id: foreign(), repo: foreign(), baseCommit: foreign() }),
      choice: fc.oneof(
        fc.constantFrom({ by: "habit" } as const, { by: "user" } as const),
        foreign().map((recommendation) => ({ by: "planner", recommendation, pick: "exploration" }) as const),
      ),
      shape: foreign(),
      pieces: fc.tuple(
        ...pieces.map((id, index) =>
          fc.record({
            id: fc.constant(id),
            role,
            dependsOn: fc.subarray(pieces.slice(0, index)),
            setting: anySetting(),
          }),
        ),
      ),
      gates: fc
        .record({
          id: fc.constant(gate),
          commands: fc.array(foreign(), { maxLength: 3 }),
          judges: fc.subarray(pieces),
          sendsBackTo: fc.constantFrom(...pieces),
        })
        .map((one) => [one]),
      rounds: fc.nat(20),
      attempts: anyAttempts(pieces, gate),
      evaluations: anyEvaluations(gate),
      reviews: fc.constant([]),
      commits: fc
        .array(foreign(), { maxLength: 3 })
        .map((commits) => commits.map((commit) => ({ commit, attempt: anAttemptId(1), at: at(3) }))),
      followed: fc.record({ "dev.loopwright.receipt": fc.dictionary(name, fc.nat(), { maxKeys: 3 }) }),
    });
  });
}

function foreign(): fc.Arbitrary<string> {
  const odd = fc.constantFrom("", "```", "a\nb", "/home/bob/x", "\ud800", "x".repeat(2000), "dagr.");
  return fc.oneof(fc.string({ unit: "binary", maxLength: 300 }), odd);
}

function anySetting(): fc.Arbitrary<RecordedAttempt["setting"]> {
  return fc.record(
    {
      harness: fc.constantFrom("claude-code", "codex", "command", "a\nb"),
      model: foreign(),
      effort: foreign(),
    },
    { requiredKeys: ["harness"] },
  );
}

function anyAttempts(pieces: readonly string[], gate: string): fc.Arbitrary<RecordedAttempt[]> {
  const end = fc.constantFrom<AttemptEnd>(
    { reason: "done" },
    { reason: "failed", kind: "signal", detail: "x" },
    { reason: "retry-later", retryAt: null, detail: "x" },
    { reason: "refused", detail: "x" },
    { reason: "lost" },
  );
  const one = fc.record(
    {
      piece: fc.constantFrom(...pieces),
      round: fc.integer({ min: 1, max: 5 }),
      setting: anySetting(),
      observedModel: foreign(),
      cause: fc.constantFrom<RecordedAttempt["cause"]>(
        { kind: "initial" },
        { kind: "gate-failed", gate },
        { kind: "sent-back", by: "judge" },
        { kind: "retry", of: anAttemptId(1) },
        { kind: "resume", of: anAttemptId(99) },
      ),
      end,
      spend: anySpend(),
      agentSession: foreign(),
      tree: fc.constantFrom("tree1", "tree2", "tree3"),
    },
    { requiredKeys: ["piece", "round", "setting", "cause", "spend"] },
  );
  return fc.array(one, { maxLength: 8 }).map((list) =>
    list.map((attempt, index) => ({
      ...attempt,
      id: anAttemptId(index + 1),
      startedAt: at(index * 3),
      ...(attempt.end !== undefined && { endedAt: at(index * 3 + 2) }),
    })),
  );
}

function anySpend(): fc.Arbitrary<RecordedSpend> {
  const count = fc.nat(1_000_000);
  const usage = fc.record(
    { inputTokens: count, cacheWrite5mTokens: count, cacheWrite1hTokens: count, outputTokens: count },
    { requiredKeys: [] },
  );
  const cost = fc.oneof(
    fc
      .bigInt(0n, 10n ** 12n)
      .map((nano): Cost => ({ kind: "known", microUsd: microFromNano(nano), basis: "logged" })),
    fc.constant<Cost>({ kind: "unknown", why: "no-price" }),
  );
  return fc.oneof(
    fc.constant<RecordedSpend>({ kind: "unknown", why: "no log" }),
    fc.record({
      kind: fc.constant("known" as const),
      provenance: fc.constantFrom("measured" as const, "logged" as const, "estimated" as const),
      models: fc.array(fc.record({ model: foreign(), usage, cost }), { maxLength: 3 }),
      isSplit: fc.boolean(),
      tariff: fc.constant(TABLE),
    }),
  );
}

function anyEvaluations(gate: string): fc.Arbitrary<RecordedEvaluation[]> {
  const verdict = fc.constantFrom("pass" as const, "fail" as const, "uncheckable" as const);
  const check = fc.record(
    { name: foreign(), blocking: fc.boolean(), verdict, exitCode: fc.integer(), isTestRun: fc.boolean() },
    { requiredKeys: ["name", "blocking", "verdict", "isTestRun"] },
  );
  const one = fc.record({
    round: fc.integer({ min: 1, max: 5 }),
    verdict,
    tree: fc.constantFrom("tree1", "tree2", "tree9"),
    checks: fc.array(check, { maxLength: 3 }),
  });
  return fc.array(one, { maxLength: 6 }).map((list) =>
    list.map((evaluation, index) => ({
      ...evaluation,
      gate,
      level: "clean" as const,
      threat: "sandboxed" as const,
      startedAt: at(index * 4 + 1),
      at: at(index * 4 + 3),
    })),
  );
}

describe("a workflow that was chosen", () => {
  const named = namedWorkflow("implement_review");
  if (named === undefined) throw new Error("no implement_review");
  const opus = { harness: "claude-code", model: "claude-opus-5-5", effort: "high" };
  const astra = { harness: "codex", model: "gpt-6-astra", effort: "high" };
  const inOcp = ({ harness, model, effort }: typeof opus) => ({
    harness,
    model: { raw: model, id: model },
    effort,
    context_policy: "fresh",
    options: {},
  });
  const session = aSession({
    configuration: {
      workflow: toOcpWorkflow(named.workflow),
      settings: { implement: inOcp(opus), review: inOcp(astra) },
    },
    pieces: [
      { id: "implement", role: "implementer", dependsOn: [], setting: opus },
      { id: "review", role: "reviewer", dependsOn: ["implement", "check"], setting: astra },
    ],
    attempts: [
      anAttempt(1, { setting: opus, observedModel: "claude-opus-5-5" }),
      anAttempt(2, {
        piece: "review",
        setting: astra,
        observedModel: "gpt-6-astra",
        round: 1,
        cause: { kind: "initial" },
      }),
    ],
    evaluations: [anEvaluation(1, "pass")],
    reviews: [{ kind: "review", piece: "review", attempt: anAttemptId(1), value: "accept", at: at(30) }],
  });

  test("keeps the id by which a planner knows it, though the goal gate judged as well", () => {
    const document = sessionDocument(session);
    expect(document.run.configuration?.id).toBe("cfg_fa32a4be9469");
    expect(validateOcp(document).findings).toEqual([]);
    expect(document.nodes.find(({ id }) => id === "check")).not.toHaveProperty("vertex");
  });

  test("has the reviewer's verdict as what it is: a claim about the work it read", () => {
    const review = sessionDocument(session).run.signals?.find(({ name }) => name === "review");
    expect(review).toMatchObject({
      value: "accept",
      at_attempt: "implement.a1",
      tier: "reported",
      source: { kind: "judge" },
    });
  });

  test("takes an open model from what ran", () => {
    const { model: _open, ...setting } = inOcp(astra);
    const open = {
      ...session.configuration,
      workflow: toOcpWorkflow(named.workflow),
      settings: { implement: inOcp(opus), review: setting },
    };
    expect(sessionDocument({ ...session, configuration: open }).run.configuration?.id).toBe(
      "cfg_fa32a4be9469",
    );
  });
});
