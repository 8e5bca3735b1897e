import fc from "fast-check";
import { expect, test } from "vitest";
import { minutesTo, paceBetween } from "./spend-pace.ts";

const at = (atMs: number, tokens: number, microUsd: number | undefined) => ({ atMs, tokens, microUsd });

test("the pace is the growth between two readings, by the minute", () => {
  expect(paceBetween(at(0, 100, 1_000_000), at(120_000, 300, 1_500_000))).toEqual({
    tokensPerMinute: 100,
    microUsdPerMinute: 250_000,
  });
});

test("without a known cost there is no pace in dollars and no forecast", () => {
  const pace = paceBetween(at(0, 0, 0), at(60_000, 10, undefined));
  expect(pace).toEqual({ tokensPerMinute: 10, microUsdPerMinute: undefined });
  expect(minutesTo(1_000_000, pace)).toBeUndefined();
});

test("a forecast says nothing while nothing is spent, and no time when all is used up", () => {
  const still = paceBetween(at(0, 5, 5), at(60_000, 5, 5));
  expect(minutesTo(1, still)).toBeUndefined();
  expect(minutesTo(0, still)).toBe(0);
  expect(minutesTo(undefined, still)).toBeUndefined();
});

test("spending at the pace for the minutes of the forecast comes to what was left, within half a minute", () => {
  const amount = fc.integer({ min: 1, max: 1e9 });
  fc.assert(
    fc.property(amount, amount, (left, perMinute) => {
      const pace = { tokensPerMinute: 0, microUsdPerMinute: perMinute };
      const spent = (minutesTo(left, pace) ?? Number.NaN) * perMinute;
      expect(Math.abs(spent - left)).toBeLessThanOrEqual(perMinute / 2 + 1);
    }),
  );
});
