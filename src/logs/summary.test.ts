import fc from "fast-check";
import { expect, test } from "vitest";
import { addUsage } from "../core/tokens.ts";
import type { Call, SessionLog } from "./call.ts";
import { SLOT_MS, summarise } from "./summary.ts";

function callOf(kind: number, n: number): Call {
  return {
    agent: "codex",
    session: "s",
    isSidechain: false,
    model: `m${kind % 7}`,
    atMs: SLOT_MS * (kind % 5),
    isTimeGuessed: false,
    usage:
      kind % 2 === 0 ? { inputTokens: n, outputTokens: 1, requests: 1 } : { outputTokens: n, requests: 1 },
    webSearches: 1,
    isOutputIncomplete: n === 0,
  };
}

test("each kind of call is one row that adds up all of its calls, few kinds or many", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(69), fc.nat(9)), { maxLength: 120 }), (made) => {
      const calls = made.map(([kind, n]) => callOf(kind, n));
      const session: SessionLog = {
        agent: "codex",
        id: "s",
        root: "s",
        isArchived: false,
        isCompressed: false,
        files: [],
        calls,
        errors: 0,
        warnings: [],
      };
      const before = structuredClone(calls);
      const rows = summarise("codex", { sessions: [session], damaged: { lines: [], more: 0 } }).sessions[0]
        ?.rows;
      // 7, 5 and 2 have no common divisor: a kind is its remainders.
      const kinds = [...new Set(made.map(([kind]) => kind))];
      const expected = kinds.map((kind) => {
        const own = calls.filter((_, i) => made[i]?.[0] === kind);
        return {
          model: `m${kind % 7}`,
          slot: kind % 5,
          usage: own.map(({ usage }) => usage).reduce(addUsage, {}),
          webSearches: own.length,
          lowerBounds: own.filter(({ isOutputIncomplete }) => isOutputIncomplete).length,
        };
      });
      expect(
        rows?.map(({ model, slot, usage, webSearches, lowerBounds }) => ({
          model,
          slot,
          usage,
          webSearches,
          lowerBounds,
        })),
      ).toEqual(expected);
      expect(calls).toEqual(before);
    }),
  );
});
