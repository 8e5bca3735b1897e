import { describe, expect, test } from "vitest";
import { instant } from "../core/time.ts";
import { agentPiece, aResult, aSpec, gatePiece, Story, treeId } from "../testing/session-story.ts";
import { isLastYes } from "./consent.ts";
import { type Decision, decide } from "./decide.ts";

const TRANSIENT = { reason: "failed", kind: "transient", detail: "overloaded" } as const;
const AGENT_ERROR = { reason: "failed", kind: "agent-error", detail: "exit 1" } as const;

function next(story: Story): Decision {
  return decide(story.state, story.nowMs);
}

/** Three pieces beside each other before a gate. */
function wide(concurrency: number): Story {
  const ids = ["a", "b", "c"];
  return Story.running(
    aSpec([...ids.map((id) => agentPiece(id, { isolation: "worktree" })), gatePiece(ids)], { concurrency }),
  );
}

describe("a provider that cannot work", () => {
  const AUTH = { reason: "failed", kind: "auth", detail: "login expired" } as const;
  const pieces = [agentPiece("work", { provider: "first", fallbacks: ["second", "third"] })];
  const providersOf = (story: Story) => story.state.attempts.map(({ provider }) => provider);

  test("hands its piece to the next one, for every piece and until a person has acted", () => {
    const both = [...pieces, agentPiece("more", { provider: "first", fallbacks: ["second"] })];
    const story = Story.running(aSpec([...both, gatePiece(["work", "more"])], { concurrency: 1 }));
    story.attempt("work", AUTH);
    expect(next(story)).toEqual({ action: "dispatch", pieces: ["work"] });
    story.attempt("work");
    story.attempt("more");
    expect(providersOf(story)).toEqual(["first", "second", "second"]);
    expect(story.state.notices).toEqual(["first cannot work now (login expired); second takes over"]);
  });

  test("ends the session as before once nobody is left", () => {
    const story = Story.running(aSpec([...pieces, gatePiece(["work"])]));
    for (let n = 0; n < 3; n += 1) story.attempt("work", AUTH);
    expect(providersOf(story)).toEqual(["first", "second", "third"]);
    expect(next(story)).toMatchObject({ action: "stop", reason: { problem: { code: "provider-auth" } } });
  });

  test("is asked again once its rate limit is over", () => {
    const story = Story.running(aSpec([...pieces, gatePiece(["work"])]));
    const retryAt = instant(story.nowMs + 60_000);
    story.attempt("work", { reason: "retry-later", retryAt, detail: "limit" });
    story.attempt("work", AGENT_ERROR);
    story.add({ type: "iteration:started", data: { iteration: 2 } });
    story.pass(60_000);
    story.dispatch("work");
    expect(providersOf(story)).toEqual(["first", "second", "first"]);
  });

  test("that fails in passing is tried as often as the limits say before the next one is", () => {
    const story = Story.running(aSpec([...pieces, gatePiece(["work"])], { transientRetries: 1 }));
    for (let n = 0; n < 3; n += 1) {
      story.attempt("work", TRANSIENT);
      story.pass(10 * 60_000);
    }
    expect(providersOf(story)).toEqual(["first", "first", "second"]);
  });

  test("that did the work badly is no reason to ask another one", () => {
    const story = Story.running(aSpec([...pieces, gatePiece(["work"])]));
    story.attempt("work", AGENT_ERROR);
    expect(next(story)).toEqual({ action: "dispatch", pieces: ["gate"] });
  });
});

describe("a later phase", () => {
  const phases = (): Story =>
    Story.running(
      aSpec([
        agentPiece("find"),
        { ...gatePiece(["find"]), id: "phase find", goals: ["found"] },
        agentPiece("write", { after: ["phase find"] }),
        gatePiece(["write"]),
      ]),
    );

  test("begins once the gate of the one before has said yes, and is kept back by a no", () => {
    const story = phases();
    expect(next(story)).toEqual({ action: "dispatch", pieces: ["find"] });
    story.attempt("find");
    expect(next(story)).toEqual({ action: "dispatch", pieces: ["phase find"] });
    story.evaluate(false, "phase find");
    expect(next(story)).toEqual({ action: "dispatch", pieces: ["find"] });
    story.attempt("find");
    story.evaluate(true, "phase find");
    expect(next(story)).toEqual({ action: "dispatch", pieces: ["write"] });
  });

  test("does not make the phase before look again: the gate of all goals does that", () => {
    const story = phases();
    story.attempt("find");
    story.evaluate(true, "phase find");
    story.attempt("write");
    story.evaluate(true, "gate");
    expect(isLastYes(story.state, "gate", story.state.currentTree)).toBe(true);
    expect(next(story)).toMatchObject({ action: "wait" });
  });
});

describe("what is dispatched", () => {
  test("is what has all its inputs, and the gate once its inputs have ended", () => {
    const story = Story.running();
    expect(next(story)).toEqual({ action: "dispatch", pieces: ["work"] });
    const attempt = story.dispatch("work");
    expect(next(story)).toEqual({ action: "wait", until: null });
    story.spawn(attempt).end(attempt);
    expect(next(story)).toEqual({ action: "dispatch", pieces: ["gate"] });
  });

  test("is nobody whom a gate at work may send back, though a judge has sent them back already", () => {
    const judge = { kind: "verdict", id: "verdict", of: "judge", dependsOn: ["judge"] } as const;
    const plan = [
      agentPiece("work"),
      agentPiece("judge", { dependsOn: ["work"] }),
      { ...judge, rule: { kind: "approve" }, onFail: { sendBack: ["work", "judge"], rounds: 9 } } as const,
      gatePiece(["work", "judge"]),
    ];
    const story = Story.running(aSpec(plan));
    story.attempt("work");
    const attempt = story.attempt("judge");
    expect(next(story)).toEqual({ action: "dispatch", pieces: ["gate", "verdict"] });
    story.beginGate();
    const tree = story.state.currentTree;
    const ruling = { said: "fail", findings: [{ where: "a", what: "b" }] } as const;
    story.add({ type: "verdict:read", data: { piece: "verdict", iteration: 1, attempt, tree, ruling } });
    expect(next(story)).toEqual({ action: "wait", until: null });
    const result = aResult(false, tree);
    const data = { piece: "gate", iteration: 1, result, headKnown: true, threat: "same-user" } as const;
    story.add({ type: "gate:evaluated", data });
    expect(next(story)).toEqual({ action: "dispatch", pieces: ["work"] });
  });

  test("is never more than the limit has room for", () => {
    const story = wide(2);
    expect(next(story)).toEqual({ action: "dispatch", pieces: ["a", "b"] });
    story.dispatch("a");
    expect(next(story)).toEqual({ action: "dispatch", pieces: ["b"] });
    story.dispatch("b");
    expect(next(story)).toEqual({ action: "wait", until: null });
  });

  test("is one at a time in the folder, and those apart do not wait behind it", () => {
    const apart = { isolation: "worktree" } as const;
    const pieces = [agentPiece("a"), agentPiece("b"), agentPiece("c", apart), agentPiece("d", apart)];
    const story = Story.running(aSpec([...pieces, gatePiece(["a", "b", "c", "d"])], { concurrency: 3 }));
    expect(next(story)).toEqual({ action: "dispatch", pieces: ["a", "c", "d"] });
    const a = story.dispatch("a");
    expect(next(story)).toEqual({ action: "dispatch", pieces: ["c", "d"] });
    story.dispatch("c");
    story.dispatch("d");
    story.spawn(a).end(a);
    expect(next(story)).toEqual({ action: "dispatch", pieces: ["b"] });
    const folder = Story.running({ ...story.state.spec, workspaceKind: "folder" });
    expect(next(folder)).toEqual({ action: "dispatch", pieces: ["a"] });
  });

  test("starts as soon as a quorum of its inputs has succeeded, while the others go on", () => {
    const join = { strategy: "quorum", count: 2 } as const;
    const pieces = ["a", "b", "c"].map((id) => agentPiece(id));
    const story = Story.running(
      aSpec([
        ...pieces,
        agentPiece("sum", { dependsOn: ["a", "b", "c"], join, isolation: "worktree" }),
        gatePiece(["sum"]),
      ]),
    );
    const [a, b] = [story.dispatch("a"), story.dispatch("b"), story.dispatch("c")];
    story.end(a);
    expect(next(story)).toEqual({ action: "wait", until: null });
    story.end(b);
    expect(next(story)).toEqual({ action: "dispatch", pieces: ["sum"] });
  });

  test("is not a piece whose isolated work is not merged yet", () => {
    const pieces = [agentPiece("a", { isolation: "worktree" }), agentPiece("b", { dependsOn: ["a"] })];
    const story = Story.running(aSpec([...pieces, gatePiece(["b"])]));
    const a = story.attempt("a");
    expect(next(story)).toEqual({ action: "wait", until: null });
    const merge = { attempt: a, base: treeId("base"), found: treeId(a), paths: [], root: treeId("merged") };
    story.add({ type: "work:integrated", data: { ...merge, conflicts: [], problem: null } });
    expect(next(story)).toEqual({ action: "dispatch", pieces: ["b"] });
  });
});

describe("what cannot run", () => {
  test("is skipped with the input that blocks it, and what reads it with it", () => {
    const story = Story.running(
      aSpec([
        agentPiece("a"),
        agentPiece("b", { dependsOn: ["a"] }),
        agentPiece("c", { dependsOn: ["b"] }),
        gatePiece(["c"], ["a", "b", "c"]),
      ]),
    );
    story.attempt("a", AGENT_ERROR);
    expect(next(story)).toEqual({ action: "skip", pieces: [{ id: "b", because: "blocked by a" }] });
    story.add({ type: "piece:skipped", data: { piece: "b", because: "blocked by a" } });
    expect(next(story)).toEqual({ action: "skip", pieces: [{ id: "c", because: "blocked by b" }] });
    story.add({ type: "piece:skipped", data: { piece: "c", because: "blocked by b" } });
    expect(next(story)).toEqual({ action: "dispatch", pieces: ["gate"] });
  });

  test("stops the session when only a person can mend it", () => {
    const story = Story.running();
    story.attempt("work", { reason: "failed", kind: "auth", detail: "not logged in" });
    expect(next(story)).toMatchObject({
      action: "stop",
      reason: { why: "problem", problem: { code: "provider-auth" } },
    });
  });
});

describe("a transient failure", () => {
  test("is tried again after a delay that doubles, as often as the limit says, and then fails the piece", () => {
    const story = Story.running(aSpec(undefined, { transientRetries: 2, retryBaseMs: 2000 }));
    for (const delayMs of [2000, 4000]) {
      story.attempt("work", TRANSIENT);
      expect(next(story)).toEqual({ action: "wait", until: instant(story.nowMs + delayMs) });
      story.pass(delayMs);
      expect(next(story)).toEqual({ action: "dispatch", pieces: ["work"] });
    }
    story.attempt("work", TRANSIENT);
    expect(story.state.pieces["work"]).toMatchObject({ state: "failed" });
    expect(next(story)).toEqual({ action: "dispatch", pieces: ["gate"] });
  });

  test("of another kind is not tried again in the same round", () => {
    const story = Story.running();
    story.attempt("work", { reason: "timed-out" });
    expect(next(story)).toEqual({ action: "dispatch", pieces: ["gate"] });
  });
});

describe("a provider's limit", () => {
  test("parks the session until its end, whatever else is ready, and then the piece is due again", () => {
    const story = wide(1);
    const until = instant(story.nowMs + 3_600_000);
    story.attempt("a", { reason: "retry-later", retryAt: until, detail: "limit" });
    story.add({ type: "session:parked", data: { until, why: "limit" } });
    expect(next(story)).toEqual({ action: "wait", until });
    story.pass(3_600_000);
    expect(next(story)).toEqual({ action: "unpark" });
    story.add({ type: "session:unparked", data: {} });
    expect(next(story)).toEqual({ action: "dispatch", pieces: ["a"] });
  });
});

describe("the end", () => {
  test("is success before any ceiling", () => {
    const story = Story.running(aSpec(undefined, { maxIterations: 1, maxRunningMs: 1 }));
    story.attempt("work");
    story.judge(true);
    expect(next(story)).toEqual({ action: "stop", reason: { why: "goal-satisfied" } });
  });

  test("waits for what is in flight", () => {
    const story = wide(3);
    const a = story.dispatch("a");
    story.add({ type: "command:accepted", data: { command: "c", kind: "stop", payload: { by: "me" } } });
    expect(next(story)).toEqual({ action: "wait", until: null });
    story.end(a, { reason: "canceled" });
    expect(next(story)).toEqual({ action: "stop", reason: { why: "asked", how: "boundary", by: "me" } });
  });

  test("comes after the last round, with the gate's word on it", () => {
    const story = Story.running(aSpec(undefined, { maxIterations: 2, noProgressIterations: 0 }));
    for (const round of [1, 2]) {
      expect(next(story)).toEqual({ action: "dispatch", pieces: ["work"] });
      story.attempt("work");
      story.judge(false, { tree: treeId(`round ${round}`) });
    }
    expect(next(story)).toEqual({ action: "stop", reason: { why: "iterations" } });
  });

  test("comes when as many rounds as the limit says bring neither a new tree nor a new answer", () => {
    const story = Story.running(aSpec(undefined, { noProgressIterations: 3 }));
    const trees = ["one", "two", "one", "two", "one"];
    const decisions = trees.map((tree) => {
      story.attempt("work", undefined, { after: treeId(tree) });
      story.judge(false, { tree: treeId(tree) });
      return next(story).action;
    });
    expect(decisions).toEqual(["dispatch", "dispatch", "dispatch", "dispatch", "stop"]);
    expect(next(story)).toEqual({ action: "stop", reason: { why: "no-progress" } });
  });

  test("is not brought by rounds whose tree is new", () => {
    const story = Story.running(aSpec(undefined, { noProgressIterations: 2 }));
    for (const tree of ["one", "two", "three", "four"]) {
      story.attempt("work");
      story.judge(false, { tree: treeId(tree) });
    }
    expect(next(story)).toEqual({ action: "dispatch", pieces: ["work"] });
  });

  test.each([
    ["spend", { maxMicroUsd: 100 }],
    ["tokens", { maxTokens: 10 }],
    ["running-time", { maxRunningMs: 1000 }],
  ] as const)("comes when the ceiling of %s is reached", (why, limits) => {
    const story = Story.running(aSpec(undefined, limits));
    const cost = { kind: "known", microUsd: 100, basis: "measured" } as const;
    story.attempt("work", AGENT_ERROR, { priced: [{ model: "m", usage: { outputTokens: 10 }, cost }] });
    expect(next(story)).toEqual({ action: "stop", reason: { why } });
  });

  test("is not brought by a cost that is not known", () => {
    const story = Story.running(aSpec(undefined, { maxMicroUsd: 1 }));
    story.attempt("work", AGENT_ERROR, { usage: { kind: "unknown", why: "no usage" } });
    expect(story.state.cost).toEqual({ microUsd: 0, basis: undefined, unknownParts: 1 });
    expect(next(story)).toEqual({ action: "dispatch", pieces: ["gate"] });
  });
});

describe("a person", () => {
  test("is asked for each approval before the first dispatch, and a no ends the session", () => {
    const spec = { ...aSpec(), approvals: [{ id: "spend", statement: "may it spend?" }] };
    const story = Story.running(spec);
    expect(next(story)).toMatchObject({ action: "ask", id: "spend" });
    const { question, answerWith } = { question: "may it spend?", answerWith: "approve" };
    story.add({ type: "person:asked", data: { id: "spend", question, answerWith } });
    expect(next(story)).toEqual({ action: "wait", until: null });
    story.add({ type: "person:answered", data: { id: "spend", answer: "refuse", by: "me" } });
    expect(next(story)).toEqual({ action: "stop", reason: { why: "refused", by: "spend" } });
  });

  test("is asked about a dependency change, which costs no round", () => {
    const story = Story.running(aSpec(undefined, { maxIterations: 1 }));
    story.attempt("work");
    story.judge(false, { dependencyChange: { reasons: ["adds left-pad"], needsApproval: true } });
    const asked = next(story);
    expect(asked).toMatchObject({ action: "ask", question: expect.stringContaining("adds left-pad") });
    const id = asked.action === "ask" ? asked.id : "";
    story.add({ type: "person:answered", data: { id, answer: "approve", by: "me" } });
    expect(next(story)).toEqual({ action: "dispatch", pieces: ["gate"] });
  });
});
