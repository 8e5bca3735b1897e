import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EMPTY_CHAIN, extendChain } from "../core/chain.ts";
import { makeId } from "../core/ids.ts";
import { instant } from "../core/time.ts";
import type { AttemptEnd } from "../ports/provider.ts";
import { agentPiece, aSpec, gatePiece, Story, treeId } from "../testing/session-story.ts";
import { decide, runningMs } from "./decide.ts";
import { type DatedEvent, fromStored, toNewEvent } from "./events.ts";
import { fold } from "./fold.ts";
import { checkMove } from "./lifecycle.ts";
import type { SessionSpec } from "./spec.ts";
import { inFlight } from "./state.ts";

const ENDS: readonly AttemptEnd[] = [
  { reason: "done" },
  { reason: "done" },
  { reason: "failed", kind: "transient", detail: "overloaded" },
  { reason: "failed", kind: "agent-error", detail: "exit 1" },
  { reason: "timed-out" },
  { reason: "stalled" },
  { reason: "canceled" },
  { reason: "lost" },
  { reason: "refused", detail: "no" },
];

const SPECS: readonly SessionSpec[] = [
  aSpec(undefined, { maxIterations: 3 }),
  aSpec(
    [
      agentPiece("a"),
      agentPiece("b", { join: { strategy: "first_success" } }),
      agentPiece("c", { dependsOn: ["a", "b"], join: { strategy: "quorum", count: 1 } }),
      agentPiece("d", { dependsOn: ["a", "b"] }),
      gatePiece(["c", "d"], ["a", "b", "c", "d"]),
    ],
    { maxIterations: 3, concurrency: 2, transientRetries: 1 },
  ),
];

/** Goes on as the engine would, with everything that chance can decide taken from `dice`. */
function tellStory(spec: SessionSpec, dice: readonly number[], check: (story: Story) => void): Story {
  const story = Story.running(spec);
  for (const die of dice) {
    turn(story, die);
    check(story);
    if (story.state.stopped !== undefined) break;
  }
  return story;
}

function turn(story: Story, die: number): void {
  const open = inFlight(story.state);
  if (die % 11 === 0) return void story.crash();
  if (die % 13 === 0) return void story.add({ type: "command:accepted", data: update(die) });
  const decision = decide(story.state, story.nowMs);
  const ending = open[die % Math.max(open.length, 1)];
  if (decision.action === "dispatch" && (ending === undefined || die % 2 === 0)) {
    const piece = decision.pieces[die % decision.pieces.length] ?? "";
    if (piece === "gate") story.judge(die % 5 === 0, { tree: treeId(`tree ${die % 4}`) });
    else story.dispatch(piece);
  } else if (ending !== undefined) {
    if (die % 3 !== 0) story.spawn(ending.id);
    story.end(ending.id, ENDS[die % ENDS.length], { after: treeId(`tree ${die % 7}`) });
  } else if (decision.action === "skip") {
    const skipped = decision.pieces.map(({ id, because }) => ({ piece: id, because }));
    story.add(...skipped.map((data) => ({ type: "piece:skipped", data }) as const));
  } else if (decision.action === "wait") {
    story.pass(decision.until === null ? 1000 : Date.parse(decision.until) - story.nowMs);
  } else if (decision.action === "stop") {
    story.add({ type: "session:stopped", data: { reason: decision.reason } });
  }
}

function update(die: number): { command: string; kind: string; payload: { text: string } } {
  return { command: `cmd_${die}`, kind: "update", payload: { text: `say ${die}` } };
}

const stories = fc.record({
  spec: fc.constantFrom(...SPECS),
  dice: fc.array(fc.nat(100_000), { maxLength: 80 }),
});

/** Through the text of the store and back. */
function stored(events: readonly DatedEvent[]): readonly DatedEvent[] {
  const session = makeId("session", 0, new Uint8Array(10));
  const chain = extendChain(
    session,
    EMPTY_CHAIN,
    events.map((event) => toNewEvent(event, event.at)),
  );
  return chain.map((event) => {
    const read = fromStored(event);
    if (!read.ok) throw new Error(read.problem.message);
    return read.value;
  });
}

describe("the state of a session", () => {
  test("is the fold of its chain: live, replayed from the store, or replayed on from any point", () => {
    fc.assert(
      fc.property(stories, fc.nat(), ({ spec, dice }, cut) => {
        const { state, events } = tellStory(spec, dice, () => undefined);
        const replayed = stored(events);
        expect(fold(replayed)).toEqual(state);
        const at = cut % (events.length + 1);
        expect(fold(replayed.slice(at), fold(replayed.slice(0, at)))).toEqual(state);
        expect(JSON.parse(JSON.stringify(state))).toEqual(state);
      }),
    );
  });

  test("never has more attempts in flight than allowed, nor two for one piece", () => {
    fc.assert(
      fc.property(stories, ({ spec, dice }) => {
        tellStory(spec, dice, ({ state }) => {
          const open = inFlight(state).map((attempt) => attempt.piece);
          expect(open.length).toBeLessThanOrEqual(state.limits.concurrency);
          expect(new Set(open).size).toBe(open.length);
        });
      }),
    );
  });

  test("has each piece done at most once in a round", () => {
    fc.assert(
      fc.property(stories, ({ spec, dice }) => {
        const { state } = tellStory(spec, dice, () => undefined);
        const done = state.attempts.filter((attempt) => attempt.ended?.end.reason === "done");
        const places = done.map((attempt) => `${attempt.piece}@${attempt.iteration}`);
        expect(new Set(places).size).toBe(places.length);
      }),
    );
  });

  test("comes to an end within its rounds, whatever the agents do, when the gate always says no", () => {
    fc.assert(
      fc.property(fc.constantFrom(...SPECS), fc.infiniteStream(fc.nat(100_000)), (spec, dice) => {
        const limits = { ...spec.limits, transientRetries: 1, noProgressIterations: 0 };
        const story = Story.running({ ...spec, limits });
        for (let turns = 0; story.state.stopped === undefined; turns += 1) {
          if (turns > 2000) throw new Error("it does not end");
          const die = dice.next().value ?? 0;
          turn(story, die % 11 === 0 || die % 13 === 0 || die % 5 === 0 ? 1 : die);
        }
        expect(story.state.iteration).toBeLessThanOrEqual(spec.limits.maxIterations);
      }),
      { numRuns: 50 },
    );
  });

  test("moves by the table only", () => {
    fc.assert(
      fc.property(stories, ({ spec, dice }) => {
        const story = tellStory(spec, dice, () => undefined);
        if (story.state.stopped === undefined && inFlight(story.state).length === 0) story.stopAndResume();
        for (const { type, data } of story.events) {
          if (type === "session:moved") expect(checkMove(data.from, data.to).ok).toBe(true);
        }
      }),
    );
  });
});

describe("after a crash", () => {
  test("no piece is in another state, but a gate at work is due again", () => {
    fc.assert(
      fc.property(stories, ({ spec, dice }) => {
        const story = tellStory(spec, dice, () => undefined);
        const before = story.state;
        story.crash();
        expect(story.state.pieces).toEqual(before.pieces);
        expect(story.state).toMatchObject({
          iteration: before.iteration,
          staleIterations: before.staleIterations,
        });
      }),
    );
    const story = Story.running();
    story.attempt("work");
    story.beginGate().crash();
    expect(story.state.pieces).toMatchObject({ work: { state: "succeeded" }, gate: { state: "pending" } });
  });

  test("the time between is not counted as running", () => {
    const story = Story.running();
    story.attempt("work");
    const before = runningMs(story.state, story.nowMs);
    story.pass(3_600_000).crash();
    expect(runningMs(story.state, story.nowMs)).toBe(before);
    expect(runningMs(story.state, story.nowMs + 5000)).toBe(before + 5000);
  });

  test("a lost attempt leaves its piece due in the same round, and its spend is not known", () => {
    const story = Story.running();
    story.attempt("work", { reason: "lost" }, { usage: { kind: "unknown", why: "no log" } });
    expect(story.state.pieces["work"]).toEqual({ state: "pending" });
    expect(story.state.cost.unknownParts).toBe(1);
    const again = story.dispatch("work");
    expect(story.state.attempts.map((attempt) => attempt.iteration)).toEqual([1, 1]);
    expect(story.state.attempts.at(-1)).toMatchObject({ id: again, n: 2 });
  });
});

describe("a resume of a session that was stopped", () => {
  test("keeps what was done, and makes what failed due again", () => {
    const story = Story.running(aSpec([agentPiece("a"), agentPiece("b"), gatePiece(["a", "b"])]));
    story.attempt("a");
    story.attempt("b", { reason: "stalled" });
    story.stopAndResume();
    expect(story.state.pieces).toEqual({
      a: { state: "succeeded", attempt: story.state.attempts[0]?.id },
      b: { state: "pending" },
      gate: { state: "pending" },
    });
  });

  test("after the last round sends back what the gate had refused, with the raised limit", () => {
    const story = Story.running(aSpec(undefined, { maxIterations: 1 }));
    story.attempt("work");
    story.judge(false);
    story.stopAndResume({ maxIterations: 2 });
    expect(story.state.pieces).toEqual({ work: { state: "pending" }, gate: { state: "pending" } });
    expect(story.state.limits.maxIterations).toBe(2);
    story.dispatch("work");
    expect(story.state.iteration).toBe(2);
  });

  test("forgets why it was stopped, and counts rounds without progress anew", () => {
    const story = Story.running();
    for (const tree of ["one", "one", "one"]) {
      story.attempt("work");
      story.judge(false, { tree: treeId(tree) });
    }
    expect(story.state.staleIterations).toBe(2);
    story.stopAndResume();
    expect(story.state.staleIterations).toBe(0);
    expect([story.state.stopped, story.state.outcome, story.state.stopAsked]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

test("the running time goes on after a resume of a parked session", () => {
  const story = Story.running();
  const until = instant(story.nowMs + 60_000);
  story.attempt("work", { reason: "retry-later", retryAt: until, detail: "limit" });
  story.add({ type: "session:parked", data: { until, why: "limit" } });
  const before = runningMs(story.state, story.nowMs);
  story.pass(600_000).add({ type: "session:resumed", data: {} });
  expect(runningMs(story.state, story.nowMs)).toBe(before);
  expect(runningMs(story.state, story.nowMs + 5000)).toBe(before + 5000);
});

test("a round that is undone is due again in all its phases, and what came before it stands", () => {
  const phase = (n: number) => ({ ...gatePiece([`work${n}`]), id: `phase${n}`, goals: ["goal"] });
  const pieces = [agentPiece("work1"), phase(1), agentPiece("work2"), phase(2), agentPiece("work3")];
  const story = Story.running(aSpec([...pieces, gatePiece(["work3"])]));
  story.attempt("work1");
  story.evaluate(true, "phase1");
  story.add({ type: "iteration:started", data: { iteration: 2 } });
  story.attempt("work2");
  story.evaluate(true, "phase2");
  story.attempt("work3");
  const tree = treeId("before");
  story.add({
    type: "work:rolled-back",
    data: { iteration: 2, from: story.state.currentTree, to: tree, rules: ["suite"], kept: [] },
  });
  const standing = Object.entries(story.state.pieces).map(([id, { state }]) => `${id} ${state}`);
  expect(standing).toEqual([
    "work1 succeeded",
    "phase1 succeeded",
    "work2 pending",
    "phase2 pending",
    "work3 pending",
    "gate pending",
  ]);
});
