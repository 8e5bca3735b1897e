import { describe, expect, test } from "vitest";
import { InvariantError } from "../core/result.ts";
import { checkMove, isOutcome, LIFECYCLE, OUTCOMES } from "./lifecycle.ts";
import { beginMoves, movesTo } from "./moves.ts";

describe("the states of a session", () => {
  test("refuse a move that the table does not name, with both names", () => {
    expect(checkMove("created", "running")).toMatchObject({
      ok: false,
      problem: {
        code: "illegal-move",
        message: expect.stringMatching(/`created`.*`running`/),
      },
    });
    expect(checkMove("closed", "running").ok).toBe(false);
    expect(checkMove("succeeded", "running").ok).toBe(false);
  });

  test("never lead to themselves", () => {
    for (const state of LIFECYCLE) expect(checkMove(state, state).ok).toBe(false);
  });

  test("close after every outcome and after nothing else", () => {
    for (const state of LIFECYCLE) expect(checkMove(state, "closed").ok).toBe(isOutcome(state));
  });

  test("can all be reached from the first", () => {
    const reached = new Set<string>(["created"]);
    for (const state of reached) {
      for (const to of LIFECYCLE) if (checkMove(state as (typeof LIFECYCLE)[number], to).ok) reached.add(to);
    }
    expect(reached).toEqual(new Set(LIFECYCLE));
  });
});

describe("moves", () => {
  test("go to every outcome from where a session can be running, by legal steps only", () => {
    for (const from of ["validating", "awaiting_approval", "running", "retrying"] as const) {
      for (const to of OUTCOMES) {
        if (from === "validating" && !checkMove(from, to).ok) continue;
        const moves = movesTo(from, to, "because");
        let at: (typeof LIFECYCLE)[number] = from;
        for (const move of moves) {
          if (move.type !== "session:moved") throw new Error(move.type);
          expect(move.data.from).toBe(at);
          expect(checkMove(at, move.data.to).ok).toBe(true);
          at = move.data.to;
        }
        expect(at).toBe(to);
      }
    }
  });

  test("that no step leads to are a bug", () => {
    expect(() => movesTo("closed", "succeeded", "because")).toThrow(InvariantError);
  });

  test("of a beginning take up where a crash left them", () => {
    expect(beginMoves("created", "start")).toHaveLength(2);
    expect(beginMoves("validating", "start")).toHaveLength(1);
    expect(beginMoves("planning", "start")).toEqual([]);
    expect(beginMoves("running", "start")).toEqual([]);
  });
});
