import fc from "fast-check";
import { expect, test } from "vitest";
import { formatOcp, readStoredOcp } from "./index.ts";
import { readJson } from "./json-text.ts";

const number = fc.oneof(
  fc.constantFrom("1.0", "-0.0", "1e16", "2E-3", "12345678901234567890", "0.31", "0.30", "7", "-1", "100.00"),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.integer().map(String),
);
const space = fc.constantFrom("", " ", "\n  ");
const text = fc.oneof(
  fc.string().map((value) => JSON.stringify(value)),
  fc.constantFrom('"2026-11-30T10:00:00.000Z"', '"a, 1.0"', '"[1e5"', '"__proto__"'),
);
const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    number,
    text,
    fc.constantFrom("null", "true"),
    fc
      .tuple(space, fc.array(tie("value"), { maxLength: 3 }))
      .map(([gap, items]) => `[${gap}${items.join(`,${gap}`)}${gap}]`),
    fc
      .tuple(space, fc.array(fc.tuple(text, tie("value")), { maxLength: 3 }))
      .map(
        ([gap, items]) =>
          `{${gap}${items.map(([key, one]) => `${key}${gap}:${gap}${one}`).join(`,${gap}`)}${gap}}`,
      ),
  ),
}));

test("a stored document is read and written again as by the reader that keeps every number's form", () => {
  fc.assert(
    fc.property(value, (written) => {
      const stored = readStoredOcp(written);
      const read = readJson(written);
      if (!stored.ok || !read.ok) throw new Error(written);
      expect(stored.value.document).toStrictEqual(read.value);
      expect(formatOcp(stored.value.document, stored.value.numbers)).toBe(
        formatOcp(read.value, read.numbers),
      );
    }),
    { numRuns: 500 },
  );
});

test("text that is no JSON is damage", () => {
  expect(readStoredOcp('{"run": ')).toMatchObject({ ok: false, problem: { code: "store-damaged" } });
});
