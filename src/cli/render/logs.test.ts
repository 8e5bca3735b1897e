import fc from "fast-check";
import { expect, test } from "vitest";
import { dollars } from "./logs.ts";

/** As the engine writes it by the rules of the language. */
function spelled(usd: number, digits: number): string {
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return `$${usd.toLocaleString("en-US", options)}`;
}

test("dollars are written as everywhere: with commas, and half a cent rounded up", () => {
  expect([0, 1.005, 2.675, 999.995, 1234567.891].map(dollars)).toEqual([
    "$0.00",
    "$1.01",
    "$2.68",
    "$1,000.00",
    "$1,234,567.89",
  ]);
  expect([0.00995, 0.00005, 0.00004, 1e-7].map(dollars)).toEqual([
    "$0.0100",
    "$0.0001",
    "$0.0000",
    "$0.0000",
  ]);
  expect(dollars(-12.345)).toBe("-$12.35");
});

test("every amount is written as the rules of the language have it", () => {
  const micro = fc.nat({ max: 2 ** 50 }).map((number) => number / 1e6);
  const any = fc.double({ min: 0, max: 1e9, noNaN: true });
  fc.assert(
    fc.property(fc.oneof(micro, any), (usd) => {
      expect(dollars(usd)).toBe(spelled(usd, usd >= 0.01 || Object.is(usd, 0) ? 2 : 4));
    }),
    { numRuns: 3000 },
  );
});
