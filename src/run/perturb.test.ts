import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { agentPiece, aSpec, gatePiece, Story } from "../testing/session-story.ts";
import { decide, stopReason } from "./decide.ts";
import { type Perturbation, perturbationFor } from "./perturb.ts";
import { pieceText } from "./prompt.ts";
import type { SessionSpec } from "./spec.ts";

const A = agentPiece("a", { stronger: ["big"] });
const B = agentPiece("b");
const JUDGE = agentPiece("judge", {
  dependsOn: ["a", "b"],
  answers: "judgement",
  judges: [],
  stronger: ["big"],
});

function spec(more: Partial<SessionSpec> = {}): SessionSpec {
  const plain = aSpec([A, B, JUDGE, gatePiece(["a", "b"])], { noProgressIterations: 9, concurrency: 2 });
  const big = { kind: "command", id: "big", argv: ["big"], promptOnStdin: true } as const;
  return { ...plain, providers: [...plain.providers, big], perturbAfter: 1, ...more };
}

/** Rounds that change nothing after the first. */
function stale(rounds: number, more?: Partial<SessionSpec>): Story {
  const story = Story.running(spec(more));
  for (let n = 0; n < rounds; n += 1) {
    story.attempt("a", undefined, { after: story.state.currentTree });
    story.judge(false);
  }
  return story;
}

function perturbed(story: Story, how: Perturbation): Story {
  const iteration = story.state.iteration + 1;
  return story.add({ type: "iteration:perturbed", data: { iteration, seed: "s", how } });
}

const REFRAME: Perturbation = { choice: "reframe", directive: "Try the other one." };

describe("a round is worked on in another way", () => {
  test("after as many rounds without a change as the file says, and once", () => {
    const ask = (story: Story) => perturbationFor(story.state, "seed", story.state.iteration + 1);
    expect(ask(stale(1))).toBeUndefined();
    expect(ask(stale(2))).toBeDefined();
    expect(ask(stale(2, { perturbAfter: 2 }))).toBeUndefined();
    expect(ask(perturbed(stale(2), REFRAME))).toBeUndefined();
    const { perturbAfter: _none, ...without } = spec();
    expect(perturbationFor({ ...stale(5).state, spec: without }, "seed", 9)).toBeUndefined();
  });

  test("by what can change something here, each way before one comes again, the same for the same seed", () => {
    const chosen = (seed: string): readonly string[] => {
      const story = stale(2);
      return Array.from({ length: 6 }, (_, n) => {
        const how = perturbationFor(story.state, `${seed} ${n}`, story.state.iteration + 1);
        if (how === undefined) throw new Error("nothing was changed");
        perturbed(story, how);
        story.attempt("a", undefined, { after: story.state.currentTree });
        story.judge(false);
        return how.choice;
      });
    };
    const ways = chosen("x");
    expect(ways.slice(0, 3).toSorted()).toEqual(["escalate", "reframe", "reorder"]);
    expect(ways.slice(3).toSorted()).toEqual(["escalate", "reframe", "reorder"]);
    expect(chosen("x")).toEqual(ways);
    const alone = Story.running({ ...aSpec(), perturbAfter: 0 });
    expect(perturbationFor(alone.state, "seed", 1)).toMatchObject({ choice: "reframe" });
  });

  test("reordering begins the same pieces in another order", () => {
    const story = perturbed(stale(2), { choice: "reorder", order: ["b", "a"] });
    story.add({ type: "session:resumed", data: {} });
    const due = { a: { state: "pending" }, b: { state: "pending" } } as const;
    const state = { ...story.state, pieces: { ...story.state.pieces, ...due } };
    expect(decide(state, story.nowMs)).toEqual({ action: "dispatch", pieces: ["b"] });
  });

  test("escalating lets the next tier do that round alone, and no judge", () => {
    const story = perturbed(stale(2), { choice: "escalate" });
    const providers = (): readonly (string | undefined)[] =>
      ["a", "b", "judge"].map((id) => {
        story.attempt(id, undefined, { after: story.state.currentTree });
        return story.state.attempts.at(-1)?.provider;
      });
    expect(providers()).toEqual(["big", "agent", "agent"]);
    story.judge(false);
    expect(providers()).toEqual(["agent", "agent", "agent"]);
  });

  test("agents are told, judges are not", () => {
    const { state } = perturbed(stale(3), REFRAME);
    const told =
      "The last 2 rounds changed nothing. Work in another way than before; what is asked and what decides stays as it is. Try the other one.";
    expect(pieceText(state, A, "", false).prompt).toContain(told);
    expect(pieceText(state, JUDGE, "", false).prompt).not.toContain("another way");
    expect(state.notices.at(-1)).toBe("iteration 4 is worked on in another way: reframe: Try the other one.");
  });
});

test("whatever is chosen, goals, checks, limits and the reasons to stop stay as they are", () => {
  const how = fc.oneof(
    fc.constant<Perturbation>({ choice: "escalate" }),
    fc.constant(REFRAME),
    fc
      .shuffledSubarray(["a", "b"], { minLength: 2 })
      .map((order): Perturbation => ({ choice: "reorder", order })),
  );
  fc.assert(
    fc.property(how, fc.integer({ min: 1, max: 8 }), (chosen, rounds) => {
      const before = stale(rounds).state;
      const story = perturbed(stale(rounds), chosen);
      const { notices: _n, perturbations: _p, updatedAt: _u, ...rest } = story.state;
      const { notices: _m, updatedAt: _v, ...same } = before;
      expect(rest).toEqual(same);
      expect(stopReason(story.state, story.nowMs)).toEqual(stopReason(before, story.nowMs));
    }),
  );
});
