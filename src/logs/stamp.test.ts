import fc from "fast-check";
import { expect, test } from "vitest";
import { Stamp } from "./stamp.ts";

function stampOf(parts: readonly (string | number)[]): string {
  const stamp = new Stamp();
  for (const part of parts) {
    if (typeof part === "string") stamp.text(part);
    else stamp.number(part);
  }
  return stamp.value();
}

const files = fc.array(fc.tuple(fc.string({ unit: "binary" }), fc.double({ noNaN: true })), { maxLength: 8 });

test("equal lists have one stamp and others have others", () => {
  fc.assert(
    fc.property(files, files, (some, others) => {
      const [one, other] = [some.flat(), others.flat()];
      expect(stampOf(one)).toBe(stampOf([...one]));
      const areEqual = one.length === other.length && one.every((part, i) => Object.is(part, other[i]));
      expect(stampOf(one) === stampOf(other)).toBe(areEqual);
    }),
  );
});

test("a text that is cut elsewhere, moved or longer by a zero has another stamp", () => {
  const lists = [["ab", "c"], ["a", "bc"], ["c", "ab"], ["abc"], ["abc\0"], ["abc", ""]];
  expect(new Set(lists.map(stampOf)).size).toBe(lists.length);
});

test("the least that a time or a size can change by changes the stamp", () => {
  const stamps = [1_764_590_000_123.25, 1_764_590_000_123.25 + 2 ** -12, 0, 1, 2 ** 32, 2 ** 40].map(
    (number) => stampOf(["/a/b.jsonl", number, "1"]),
  );
  expect(new Set(stamps).size).toBe(stamps.length);
});
